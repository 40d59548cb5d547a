#include "gui/base/preferences.h"
#include "gui/commands/job_actions.h"
#include "gui/operations/exporter.h"
#include "gui/operations/importer.h"
#include "gui/pages/dialogs/export_dialog.h"
#include "gui/pages/dialogs/go_to_dialog.h"
#include "gui/pages/dialogs/import_dialog.h"
#include "gui/pages/dialogs/job_dialog.h"
#include "gui/pages/dialogs/pause_dialog.h"
#include "gui/pages/dialogs/reminder_dialog.h"
#include "gui/pages/dialogs/test_message_dialog.h"
#include "gui/pages/page.h"
#include "gui/session/store_session.h"

#include <QFileDialog>

namespace restante::gui {

// The part of JobActions that opens dialogs and does what they ask for: it creates and finds jobs,
// pauses and limits topics, exports and imports.

void JobActions::newJob()
{
    if (session_ == nullptr) {
        return;
    }
    JobForm form;
    if (const auto* from = selectionOwner()) {
        form.topic = QString::fromStdString(from->selectedTopic());
    }
    openJobDialog(form);
}

void JobActions::openJobDialog(const JobForm& form)
{
    auto* dialog =
        new JobDialog(*session_, context_.preferences, JobDialog::Purpose::New, form, window_);
    connect(dialog, &JobDialog::stored, this, &JobActions::jobRequested);
    showDialog(dialog);
}

void JobActions::newMessageTo(const QString& recipient)
{
    if (session_ == nullptr) {
        return;
    }
    JobForm form;
    form.channel = Channel::Sip;
    form.topic = QStringLiteral("sip");
    form.recipient = recipient;
    form.contentType = QStringLiteral("text/plain;charset=UTF-8");
    openJobDialog(form);
}

void JobActions::duplicate()
{
    const auto* from = selectionOwner();
    if (session_ == nullptr || from == nullptr) {
        return;
    }
    const auto selection = from->selected();
    if (selection.all || selection.ids.size() != 1) {
        return;
    }
    session_->source().show(
        selection.ids.front(),
        {this, [this](const Result<JobView>& view) {
             if (!view) {
                 emit statusTextChanged(tr("It cannot be duplicated: %1")
                                            .arg(QString::fromStdString(view.error().message)));
                 return;
             }
             auto* dialog = new JobDialog(*session_, context_.preferences,
                                          JobDialog::Purpose::Duplicate, formOf(*view), window_);
             connect(dialog, &JobDialog::stored, this, &JobActions::jobRequested);
             showDialog(dialog);
         }});
}

void JobActions::newReminder()
{
    openReminderDialog([](ReminderDialog&) {});
}

void JobActions::newRecurringReminder()
{
    openReminderDialog([](ReminderDialog& dialog) { dialog.makeRecurring(); });
}

void JobActions::editSeries(const reminder::SeriesView& series)
{
    openReminderDialog([&](ReminderDialog& dialog) { dialog.edit(series); });
}

void JobActions::openReminderDialog(const std::function<void(ReminderDialog&)>& prepare)
{
    if (session_ == nullptr) {
        return;
    }
    auto* dialog = new ReminderDialog(*session_, context_.preferences, window_);
    prepare(*dialog);
    connect(dialog, &ReminderDialog::stored, this, &JobActions::jobRequested);
    connect(dialog, &ReminderDialog::seriesStored, this, &JobActions::seriesRequested);
    showDialog(dialog);
}

void JobActions::testMessage()
{
    if (session_ == nullptr) {
        return;
    }
    const auto* from = selectionOwner();
    auto* dialog = new TestMessageDialog(
        *session_, context_.preferences,
        from == nullptr ? QString() : QString::fromStdString(from->selectedRecipient()), window_);
    connect(dialog, &TestMessageDialog::jobRequested, this, &JobActions::jobRequested);
    showDialog(dialog);
}

void JobActions::goToJob()
{
    if (session_ == nullptr) {
        return;
    }
    auto* dialog = new GoToDialog(*session_, window_);
    connect(dialog, &GoToDialog::found, this, &JobActions::jobRequested);
    showDialog(dialog);
}

void JobActions::pauseOrResume()
{
    const auto* from = selectionOwner();
    const auto topic = from == nullptr ? std::string{} : from->selectedTopic();
    if (session_ == nullptr || topic.empty()) {
        return;
    }
    if (!page()->selection().topicPaused) {
        auto* dialog = new PauseDialog(*session_, topic, window_);
        connect(dialog, &PauseDialog::paused, this, [this, topic](const QString& reason) {
            addTopicStep({topic, JobWriter::TopicVerb::Pause, reason.toStdString(), {}});
            emit statusTextChanged(tr("“%1” is paused").arg(QString::fromStdString(topic)));
        });
        return showDialog(dialog);
    }
    // Undoing the resumption needs the reason of the pause.
    session_->source().topics({this, [this, topic](const Result<std::vector<TopicView>>& topics) {
                                   std::string reason;
                                   for (const auto& view :
                                        topics ? *topics : std::vector<TopicView>{}) {
                                       if (view.topic == topic && view.pause) {
                                           reason = view.pause->reason;
                                       }
                                   }
                                   if (session_ != nullptr) {
                                       resume(topic, reason);
                                   }
                               }});
}

void JobActions::resume(const std::string& topic, const std::string& pauseReason)
{
    TopicAction action;
    action.topic = topic;
    session_->commands().changeTopic(
        JobWriter::TopicVerb::Resume, std::move(action),
        {this, [this, topic, pauseReason](const Result<void>& done) {
             const auto name = QString::fromStdString(topic);
             if (done) {
                 addTopicStep({topic, JobWriter::TopicVerb::Resume, pauseReason, {}});
             }
             emit statusTextChanged(
                 done ? tr("“%1” is resumed").arg(name)
                      : tr("“%1” is not resumed: %2")
                            .arg(name, QString::fromStdString(done.error().message)));
         }});
}

void JobActions::limitTopic(const std::string& topic, const LimitChange& limits)
{
    if (session_ == nullptr) {
        return;
    }
    TopicAction action;
    action.topic = topic;
    session_->commands().setTopicLimits(
        std::move(action), limits.after,
        {this, [this, topic, limits](const Result<void>& done) {
             if (done) {
                 addTopicStep({.topic = topic, .limits = limits});
                 emit statusTextChanged(
                     tr("The limits of “%1” are changed").arg(QString::fromStdString(topic)));
             } else {
                 emit limitsRefused(topic, QString::fromStdString(done.error().message));
             }
         }});
}

void JobActions::exportJobs()
{
    const auto* from = selectionOwner();
    if (session_ == nullptr || from == nullptr) {
        return;
    }
    Selection shown;
    shown.all = true;
    shown.view = from->shownView();
    shown.exact = false;
    QStringList filesInProgress;
    for (const auto& work : transfers_) {
        if (const auto* exporter = qobject_cast<Exporter*>(work.data())) {
            filesInProgress.append(exporter->fileName());
        }
    }
    auto* dialog =
        new ExportDialog(context_.preferences, from->selected(), shown, filesInProgress, window_);
    connect(dialog, &ExportDialog::exportRequested, this, &JobActions::exportTo);
    showDialog(dialog);
}

void JobActions::exportTo(const Selection& selection,
                          const QString& file,
                          const ExportOptions& options)
{
    if (session_ != nullptr) {
        auto* exporter = new Exporter(*session_, board_, selection, file, options, this);
        transfers_.emplace_back(exporter);
        exporter->start();
    }
}

void JobActions::importJobs()
{
    if (session_ == nullptr) {
        return;
    }
    auto* dialog = new QFileDialog(window_, tr("Import Jobs"));
    dialog->setObjectName(QStringLiteral("importFileDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("JSON Lines (*.jsonl *.json *.ndjson)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, &JobActions::importFrom);
    showDialog(dialog);
}

void JobActions::importFrom(const QString& file)
{
    if (session_ != nullptr) {
        auto* importer = new Importer(*session_, board_, file, this);
        transfers_.emplace_back(importer);
        showDialog(new ImportDialog(importer, file, window_));
    }
}

}  // namespace restante::gui
