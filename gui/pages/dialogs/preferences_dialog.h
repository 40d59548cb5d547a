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
    QWidget* appearanceTab();
    QWidget* timeTab();
    QWidget* liveTab();
    QWidget* confirmTab();
    QWidget* payloadTab();
    QWidget* connectionsTab();
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
    QSpinBox* production_ = nullptr;
    QSpinBox* part_ = nullptr;
    QCheckBox* clock24_ = nullptr;
    QCheckBox* grouped_ = nullptr;
    QCheckBox* reopens_ = nullptr;
};

}  // namespace restante::gui
