#include "gui/pages/dialogs/pause_dialog.h"

#include "gui/session/session.h"

#include <QDialogButtonBox>
#include <QEvent>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace restante::gui {

PauseDialog::PauseDialog(Session& session, std::string topic, QWidget* parent)
    : QDialog(parent),
      session_(session),
      topic_(std::move(topic))
{
    setObjectName(QStringLiteral("pauseDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    heading_ = headingIn(this);
    meaning_ = plainIn(this);
    reason_ = reasonIn(this);
    reasonTitle_ = new QLabel(this);
    reasonTitle_->setBuddy(reason_);
    notice_ = new NoticeLine(this);
    notice_->setObjectName(QStringLiteral("notice"));
    buttons_ = buttonsIn(this, DefaultButton::Accept);
    auto* form = formIn(this);
    form->addRow(reasonTitle_, reason_);
    auto* column = new QVBoxLayout(this);
    column->addWidget(heading_);
    column->addWidget(meaning_);
    column->addLayout(form);
    column->addWidget(notice_);
    column->addStretch(1);
    column->addWidget(buttons_.box);
    setMinimumWidth(fontMetrics().averageCharWidth() * 64);
    connect(buttons_.accept, &QPushButton::clicked, this, &PauseDialog::send);
    retranslate();
    reason_->setFocus();
}

void PauseDialog::send()
{
    TopicAction action;
    action.topic = topic_;
    action.reason = reason_->text().trimmed().toStdString();
    if (auto sound = validate(action); !sound) {
        return notice_->say(QString::fromStdString(sound.error().message), Theme::Meaning::Bad);
    }
    buttons_.accept->setEnabled(false);
    session_.commands().topic(JobWriter::TopicVerb::Pause, std::move(action),
                              {this, [this](const Result<void>& done) {
                                   buttons_.accept->setEnabled(true);
                                   if (!done) {
                                       return notice_->say(
                                           QString::fromStdString(done.error().message),
                                           Theme::Meaning::Bad);
                                   }
                                   accept();
                                   emit paused(reason_->text().trimmed());
                               }});
}

void PauseDialog::retranslate()
{
    setWindowTitle(tr("Pause Topic"));
    heading_->setText(tr("Pause “%1”").arg(QString::fromStdString(topic_)));
    meaning_->setText(tr("Nothing of this topic is given out, on any channel, until it is resumed. "
                         "What is being delivered goes on, and new jobs are taken."));
    reasonTitle_->setText(tr("&Reason:"));
    buttons_.accept->setText(tr("&Pause Topic"));
}

void PauseDialog::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
    QDialog::changeEvent(event);
}

}  // namespace restante::gui
