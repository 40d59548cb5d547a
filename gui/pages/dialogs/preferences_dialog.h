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

/// Edits the preferences. OK saves them, Cancel changes nothing; layouts are forgotten at once.
/// *Thread of the window.*
class PreferencesDialog : public QDialog {
    Q_OBJECT

public:
    PreferencesDialog(Preferences& preferences, QWidget* parent);

    void accept() override;
    void showAlerts();

private:
    /// The fields of one rule. *Value.*
    struct AlertFields {
        AlertId id{};
        QCheckBox* on = nullptr;
        QDoubleSpinBox* threshold = nullptr;  ///< null: the rule has none
        QSpinBox* holdSeconds = nullptr;
    };

    void buildGeneral();
    void buildAppearance();
    void buildTimes();
    void buildLiveUpdate();
    void buildConfirmations();
    void buildPayload();
    void buildConnections();
    void buildAlerts();
    AlertFields buildAlert(AlertId id, QGridLayout* grid);
    void loadAlerts(const AlertSettings& settings);
    AlertSetting settingOf(const AlertFields& fields) const;
    /// Adds a tab; addField() and addNote() add to the last one.
    void addTab(const QString& title);
    template <class Field, class... Args>
    Field* addField(const QString& title, const char* name, Args&&... args);
    QSpinBox* addNumber(const QString& title, const char* name, int minimum, int maximum);
    /// A sentence below a field that explains it.
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
    QLabel* zoneHint_ = nullptr;
    QCheckBox* relative_ = nullptr;
    QSpinBox* liveInterval_ = nullptr;
    QSpinBox* typedCountFrom_ = nullptr;
    QSpinBox* productionCountFrom_ = nullptr;
    QSpinBox* payloadChunk_ = nullptr;
    QCheckBox* clock24_ = nullptr;
    QCheckBox* groupedNumbers_ = nullptr;
    QCheckBox* reopenLast_ = nullptr;
    int alertTab_ = 0;
    std::vector<AlertFields> alerts_;
    QCheckBox* sound_ = nullptr;
};

}  // namespace restante::gui
