#pragma once

#include "core/base/alert_rules.h"

#include <QDialog>

#include <vector>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QGridLayout;
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
    void showAlerts();

private:
    /// The fields of one rule. *Value.*
    struct AlertFields {
        AlertId rule{};
        QCheckBox* on = nullptr;
        QDoubleSpinBox* threshold = nullptr;  ///< null: the rule has none
        QSpinBox* holds = nullptr;            ///< s
    };

    void buildLooks();
    void buildTimes();
    void buildWork();
    void buildAlerts();
    AlertFields buildAlert(AlertId rule, QGridLayout* grid);
    void loadAlerts(const AlertSettings& settings);
    AlertSetting settingOf(const AlertFields& fields) const;
    /// What is added next goes there.
    void addTab(const QString& title);
    template <class Field, class... Args>
    Field* addField(const QString& title, const char* name, Args&&... args);
    QSpinBox* addNumber(const QString& title, const char* name, int least, int most);
    /// A sentence below a field: why one would set it.
    QLabel* addNote(const QString& text);
    void load();
    void updateZone();
    QByteArray zone() const;

    Preferences& preferences_;
    QTabWidget* tabs_;
    QWidget* tab_ = nullptr;
    QFormLayout* form_ = nullptr;
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
    int alertTab_ = 0;
    std::vector<AlertFields> alerts_;
    QCheckBox* sound_ = nullptr;
};

}  // namespace restante::gui
