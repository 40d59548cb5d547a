#pragma once

#include "core/queue/delay_queue.h"
#include "gui/base/file_work.h"
#include "gui/pages/dialogs/dialog_parts.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

class QHBoxLayout;
class QPlainTextEdit;
class QRadioButton;
class QSpinBox;

namespace restante::gui {

class Preferences;
class StoreSession;

/// The fields of a new job as typed. *Value.*
struct JobForm {
    QString id;  ///< empty = a generated one
    QString topic;
    Channel channel = Channel::Pull;
    QString recipient;
    QString sender;
    QString bizKey;
    QString contentType;
    QString headers;  ///< "Name: value", one a line
    /// Headers that such text would change; taken as they are, instead of it, unless empty.
    std::vector<std::pair<std::string, std::string>> uneditableHeaders = {};
    std::string body;
    int priority = 5;
    QString ttr;                       ///< a duration; empty = 60 s
    QString expires;                   ///< a duration from now; empty = never
    QString retry;                     ///< empty = the channel's
    QString delay;                     ///< a duration; empty = at once
    std::optional<TimePoint> at = {};  ///< wins over delay
};

/// The push that the form describes, checked as far as possible without the store. An Invalid error
/// names the field as the store does. *Pure.*
Result<PushOptions> pushOptionsOf(const JobForm& form, TimePoint now);
/// A form for a copy of the job: without its id, due at once.
JobForm formOf(const JobView& view);

/// Creates a job. Errors name their field; they are shown before anything is stored, and again when
/// the store refuses the job. *Thread of the window.*
class JobDialog : public FormDialog {
    Q_OBJECT

public:
    /// Decides the title of the dialog.
    enum class Purpose { New, Duplicate };
    JobDialog(StoreSession& session,
              const Preferences& preferences,
              Purpose purpose,
              const JobForm& form,
              QWidget* parent);

signals:
    void stored(const QString& id);

private:
    QFormLayout* addColumn(QHBoxLayout* columns);
    void buildRecipientColumn(QFormLayout* column);
    void buildTimeColumn(QFormLayout* column);
    QWidget* newDueField(QWidget* parent);
    void buildBody();
    QPlainTextEdit* addText(const char* field, int stretch);
    void fill(const JobForm& form);
    JobForm form() const;
    void loadBody();
    void loadFrom(const QString& path);
    void setHeaders(const JobForm& form);
    void setBody(std::string bytes);
    void updateState();
    void store();
    void showProblem(const Error& error);
    void retranslate() override;
    void showRecipientHint();
    /// Adds a row to a column; `field` is the store's name of the field.
    void addRow(QFormLayout* column, const char* field, QWidget* widget);
    QLineEdit*
    addLine(QFormLayout* column, const char* field, const char* name, QString JobForm::*text);

    StoreSession& session_;
    const Preferences& preferences_;
    Purpose purpose_;
    std::vector<std::pair<std::string, std::string>> uneditableHeaders_;
    std::string uneditableBody_;  ///< what an edit field would change, or is too long for one
    bool isBodyUneditable_ = false;
    bool sending_ = false;
    std::string onceKeyPrefix_;  ///< followed by the fingerprint of the content
    FileWork fileWork_;
    std::map<std::string, QWidget*> fields_;  ///< by the store's name
    std::map<std::string, QLabel*> titles_;
    struct Line {
        QLineEdit* edit;
        QString JobForm::*text;
    };
    std::vector<Line> lines_;  ///< line edits whose text is a field of the form

    QLineEdit* id_ = nullptr;
    QLineEdit* topic_ = nullptr;
    QComboBox* channel_ = nullptr;
    QLineEdit* recipient_ = nullptr;
    QLineEdit* bizKey_ = nullptr;
    QRadioButton* atOnceButton_ = nullptr;
    QRadioButton* inButton_ = nullptr;
    QRadioButton* atButton_ = nullptr;
    QLineEdit* delay_ = nullptr;
    QDateTimeEdit* time_ = nullptr;
    QComboBox* zone_ = nullptr;
    QSpinBox* priority_ = nullptr;
    QLineEdit* ttr_ = nullptr;
    QLineEdit* expires_ = nullptr;
    QLineEdit* retry_ = nullptr;
    QPlainTextEdit* headers_ = nullptr;
    QPlainTextEdit* body_ = nullptr;
    QLabel* sizeLabel_ = nullptr;
    QPushButton* loadButton_ = nullptr;
};

}  // namespace restante::gui
