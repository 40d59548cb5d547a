#include "gui/pages/dialogs/pause_dialog.h"

#include "gui/session/store_session.h"

#include <QLineEdit>

namespace restante::gui {

PauseDialog::PauseDialog(StoreSession& session, std::string topic, QWidget* parent)
    : FormDialog("pauseDialog", parent),
      session_(session),
      topic_(std::move(topic)),
      heading_(newHeading(this)),
      explanation_(newSelectableText(this))
{
    column_->addWidget(heading_);
    column_->addWidget(explanation_);
    column_->addLayout(form_ = makeForm());
    reason_ = addReason();
    addButtons(64);
    connect(accept_, &QPushButton::clicked, this, &PauseDialog::send);
    retranslate();
    reason_->setFocus();
}

void PauseDialog::send()
{
    TopicAction action;
    action.topic = topic_;
    action.reason = reason_->text().trimmed().toStdString();
    if (auto valid = validate(action); !valid) {
        return showError(valid.error());
    }
    accept_->setEnabled(false);
    const auto reason = QString::fromStdString(action.reason);
    session_.commands().changeTopic(JobWriter::TopicVerb::Pause, std::move(action),
                                    {this, [this, reason](const Result<void>& done) {
                                         accept_->setEnabled(true);
                                         if (!done) {
                                             return showError(done.error());
                                         }
                                         accept();
                                         emit paused(reason);
                                     }});
}

void PauseDialog::retranslate()
{
    setWindowTitle(tr("Pause Topic"));
    heading_->setText(tr("Pause “%1”").arg(QString::fromStdString(topic_)));
    explanation_->setText(
        tr("Nothing of this topic is given out, on any channel, until it is resumed. "
           "What is being delivered goes on, and new jobs are taken."));
    setRowTitle(reason_, tr("&Reason:"));
    accept_->setText(tr("&Pause Topic"));
}

}  // namespace restante::gui
