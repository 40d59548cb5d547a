#pragma once

#include "core/queue/delay_queue.h"
#include "gui/base/file_work.h"
#include "gui/pages/dialogs/dialog_parts.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

class QHBoxLayout;
class QPlainTextEdit;
class QRadioButton;
class QSpinBox;

namespace restante::gui {

class Preferences;
class StoreSession;

/// What somebody has typed to make a job. *Value.*
struct JobForm {
    QString id;  ///< empty = a generated one
    QString topic;
    Channel channel = Channel::Pull;
    QString recipient;
    QString sender;
    QString bizKey;
    QString contentType;
    QString headers;  ///< "Name: value", one a line
    std::string body;
    int priority = 5;
    QString ttr;                       ///< a duration; empty = 60 s
    QString expires;                   ///< a duration from now; empty = never
    QString retry;                     ///< empty = the channel's
    QString delay;                     ///< a duration; empty = at once
    std::optional<TimePoint> at = {};  ///< wins over delay
};

/// The push that the form asks for, checked as far as that can be done without the store. Invalid
/// names the field as the store calls it. *Pure.*
Result<PushOptions> pushOptionsOf(const JobForm& form, TimePoint now);
/// A form that makes such a job again: without its id, due at once.
JobForm formOf(const JobView& view);

/// Makes a job: every field, what is wrong said beside the field's name before anything is stored,
/// and again by the store. *Thread of the window.*
class JobDialog : public FormDialog {
    Q_OBJECT

public:
    /// With a `form` of another job it says that it duplicates.
    enum class Purpose { New, Duplicate };
    JobDialog(StoreSession& session,
              const Preferences& preferences,
              Purpose purpose,
              const JobForm& form,
              QWidget* parent);

signals:
    void stored(const QString& id);

private:
    QFormLayout* addHalf(QHBoxLayout* halves);
    void buildWho(QFormLayout* half);
    void buildWhen(QFormLayout* half);
    QWidget* makeWhen(QWidget* parent);
    void buildBody();
    QPlainTextEdit* addText(const char* field, int stretch);
    void fill(const JobForm& form);
    JobForm form() const;
    void loadBody();
    void loadFrom(const QString& name);
    void setBody(std::string bytes);
    void check();
    void send();
    void complain(const Error& error);
    void retranslate() override;
    void showRecipientHint();
    /// A row of a half; `field` is the store's name.
    void addRow(QFormLayout* half, const char* field, QWidget* widget);
    QLineEdit*
    addLine(QFormLayout* half, const char* field, const char* name, QString JobForm::*text);

    StoreSession& session_;
    const Preferences& preferences_;
    Purpose purpose_;
    std::string kept_;  ///< a body that cannot be edited as text
    bool keepsBody_ = false;
    bool sending_ = false;
    std::string onceKey_;  ///< of this dialog
    FileWork loading_;
    std::map<std::string, QWidget*> fields_;  ///< by the store's name
    std::map<std::string, QLabel*> titles_;
    struct Line {
        QLineEdit* edit;
        QString JobForm::*text;
    };
    std::vector<Line> lines_;  ///< that hold a field of the form as it is

    QLineEdit* id_ = nullptr;
    QLineEdit* topic_ = nullptr;
    QComboBox* channel_ = nullptr;
    QLineEdit* recipient_ = nullptr;
    QLineEdit* bizKey_ = nullptr;
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
};

}  // namespace restante::gui
