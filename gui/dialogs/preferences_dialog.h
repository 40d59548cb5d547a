#pragma once

#include <QDialog>

class QCheckBox;
class QComboBox;
class QLabel;
class QSpinBox;
class QTabWidget;

namespace restante::gui {

class Preferences;

/// What the user may set. OK keeps it, Cancel leaves everything as it was. *Thread of the window.*
class PreferencesDialog : public QDialog {
    Q_OBJECT

public:
    PreferencesDialog(Preferences& preferences, QWidget* parent);

    void accept() override;

private:
    QWidget* generalTab();
    QWidget* timeTab();
    QWidget* liveTab();
    QWidget* confirmTab();
    void load();
    void tellZone();
    QByteArray zone() const;

    Preferences& preferences_;
    QTabWidget* tabs_;
    QComboBox* language_ = nullptr;
    QComboBox* scheme_ = nullptr;
    QComboBox* zone_ = nullptr;
    QLabel* zoneSays_ = nullptr;
    QCheckBox* relative_ = nullptr;
    QSpinBox* live_ = nullptr;
    QSpinBox* typed_ = nullptr;
};

}  // namespace restante::gui
