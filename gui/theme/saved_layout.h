#pragma once

#include <QByteArray>
#include <QObject>
#include <QSize>
#include <QString>
#include <QTimer>

class QMainWindow;
class QSplitter;
class QWidget;

namespace restante::gui {

class Preferences;

/// Keeps the places of a splitter under `key` from now on, and puts them back as they were left.
/// Preferences::forgetLayouts() restores the standard layout: what the splitter has at this call,
/// so call it once the parts have their standard sizes. `preferences` outlives the splitter. What
/// cannot be read is as if there were nothing.
void rememberSplitter(QSplitter& splitter, Preferences& preferences, const QString& key);

/// Keeps place and size of a window, and of the docks of a main window, under `key`/geometry and
/// `key`/state: soon after each change, so that a program that is killed has lost nothing, and when
/// the window closes. A child of its window. *Thread of the window.*
class WindowStateSaver : public QObject {
    Q_OBJECT

public:
    /// Puts them back as they were left; `preferences` outlives the window. `version` is raised
    /// when what is stored would not fit the docks any more.
    WindowStateSaver(QWidget& window,
                     Preferences& preferences,
                     const QString& key,
                     int version = 0);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void restore();
    void save();
    void restoreDefaults();

    QWidget& window_;
    QMainWindow* mainWindow_;  ///< the same, if it is one
    Preferences& preferences_;
    QString key_;
    int version_;
    QByteArray defaultState_;
    QSize defaultSize_;
    QTimer saveTimer_;
};

}  // namespace restante::gui
