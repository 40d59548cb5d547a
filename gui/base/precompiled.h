#pragma once

// What nearly every file of the console includes; nobody includes this by hand.
#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QLabel>
#include <QMainWindow>
#include <QPainter>
#include <QPointer>
#include <QString>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>
#include <QWidget>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>
