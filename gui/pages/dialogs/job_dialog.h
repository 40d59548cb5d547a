#pragma once

#include "gui/base/file_work.h"
#include "gui/pages/dialogs/dialog_parts.h"
#include "gui/pages/dialogs/job_form.h"

#include <QDialog>

#include <map>
#include <string>

class QCheckBox;
class QComboBox;
class QDateTimeEdit;
class QLineEdit;
class QPlainTextEdit;
class QRadioButton;
class QSpinBox;

namespace restante::gui {

class Preferences;
class Session;

/// Makes a job: every field, what is wrong said beside the field's name before anything is stored,
/// and again by the store. *Thread of the window.*
class JobDialog : public QDialog {
    Q_OBJECT

public:
    /// With a `form` of another job it says that it duplicates.
    enum class Purpose { New, Duplicate };
    JobDialog(Session& session,
              const Preferences& preferences,
              Purpose purpose,
              const JobForm& form,
              QWidget* parent);

signals:
    void stored(const QString& id);

protected:
    void changeEvent(QEvent* event) override;

private:
    void build();
    QWidget* buildWho();
    QWidget* buildWhen();
    QWidget* buildBody();
    void fill(const JobForm& form);
    JobForm form() const;
    void loadBody();
    void loadFrom(const QString& name);
    void setBody(std::string bytes);
    void check();
    void send();
    void complain(const std::string& message);
    void retranslate();
    void row(QFormLayout* form, const char* field, QWidget* widget);

    Session& session_;
    const Preferences& preferences_;
    Purpose purpose_;
    std::string kept_;  ///< a body that cannot be edited as text
    bool keepsBody_ = false;
    bool sending_ = false;
    std::string onceKey_;  ///< of this dialog
    FileWork loading_;
    std::map<std::string, QWidget*> fields_;  ///< by the store's name
    std::map<std::string, QLabel*> titles_;

    QLineEdit* id_ = nullptr;
    QLineEdit* topic_ = nullptr;
    QComboBox* channel_ = nullptr;
    QLineEdit* recipient_ = nullptr;
    QLineEdit* sender_ = nullptr;
    QLineEdit* bizKey_ = nullptr;
    QLineEdit* contentType_ = nullptr;
    QRadioButton* now_ = nullptr;
    QRadioButton* in_ = nullptr;
    QRadioButton* at_ = nullptr;
    QLineEdit* delay_ = nullptr;
    QDateTimeEdit* time_ = nullptr;
    QComboBox* zone_ = nullptr;
    QSpinBox* priority_ = nullptr;
    QLineEdit* ttr_ = nullptr;
    QLineEdit* expires_ = nullptr;
    QLineEdit* retry_ = nullptr;
    QPlainTextEdit* headers_ = nullptr;
    QPlainTextEdit* body_ = nullptr;
    QLabel* size_ = nullptr;
    QPushButton* load_ = nullptr;
    NoticeLine* notice_ = nullptr;
    Buttons buttons_{};
};

}  // namespace restante::gui
