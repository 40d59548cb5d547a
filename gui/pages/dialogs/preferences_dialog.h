#pragma once

#include <QDialog>

class QCheckBox;
class QComboBox;
class QFormLayout;
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
    void buildLooks();
    void buildTimes();
    void buildWork();
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
};

}  // namespace restante::gui
