#pragma once

#include "core/reminder/series_list.h"
#include "gui/pages/dialogs/dialog_parts.h"
#include "gui/session/job_writer.h"
#include "gui/session/reply.h"

#include <QTimer>

#include <optional>

class QListWidget;
class QPlainTextEdit;
class QRadioButton;

namespace restante::gui {

class Preferences;
class StoreSession;

/// Makes a reminder, once or again and again, or changes one that comes again and again, and shows
/// when it will run. *Thread of the window.*
class ReminderDialog : public FormDialog {
    Q_OBJECT

public:
    ReminderDialog(StoreSession& session, const Preferences& preferences, QWidget* parent);

    /// Begins as one that comes every day.
    void makeRecurring();
    /// Changes this one, which can be read, instead of making another.
    void edit(const reminder::SeriesView& view);

signals:
    /// The first of its jobs.
    void stored(const QString& id);
    /// The same of one that comes again and again: the job that stands for it.
    void seriesStored(const QString& id);

private:
    void buildWhen();
    void buildForm();
    reminder::ReminderRequest request() const;
    void readTime(reminder::ReminderRequest& request) const;
    void askForPreview();
    void showTimes(const std::vector<TimePoint>& times);
    void edited();
    void send();
    void change();
    void handleStored(const Result<Pushed>& pushed, bool isSeries);
    void retranslate() override;

    StoreSession& session_;
    const Preferences& preferences_;
    QTimer previewTimer_;   ///< the preview is asked for when the typing pauses
    RequestId latest_ = 0;  ///< counts previews: only the newest is shown
    bool sending_ = false;
    std::optional<reminder::SeriesView> edited_;  ///< none = it makes a new one
    std::string token_;  ///< of what this dialog makes, to which each content adds its own

    QLineEdit* to_ = nullptr;
    QComboBox* channel_ = nullptr;
    QPlainTextEdit* text_ = nullptr;
    QWidget* when_ = nullptr;
    QRadioButton* in_ = nullptr;
    QRadioButton* at_ = nullptr;
    QRadioButton* event_ = nullptr;
    QLineEdit* delay_ = nullptr;
    QDateTimeEdit* time_ = nullptr;
    QLabel* offsetsTitle_ = nullptr;
    QLineEdit* offsets_ = nullptr;
    QComboBox* zone_ = nullptr;
    QComboBox* every_ = nullptr;
    QLineEdit* sender_ = nullptr;
    QLineEdit* key_ = nullptr;
    QLineEdit* expires_ = nullptr;
    QLineEdit* retry_ = nullptr;
    QListWidget* preview_ = nullptr;
};

}  // namespace restante::gui
