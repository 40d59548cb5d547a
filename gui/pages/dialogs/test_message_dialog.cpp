#include "gui/pages/dialogs/test_message_dialog.h"

#include "gui/pages/detail/delivery_step.h"
#include "gui/pages/detail/detail_text.h"
#include "gui/pages/detail/waiting_text.h"
#include "gui/pages/dialogs/job_dialog.h"
#include "gui/session/store_session.h"
#include "gui/theme/tab_order.h"
#include "gui/theme/time_text.h"

#include <QLineEdit>
#include <QListWidget>
#include <QRegularExpression>

#include <algorithm>
#include <utility>

namespace restante::gui {

namespace {

/// Time between two refreshes.
constexpr int kRefreshMs = 500;
/// A job that left the store is in the journal by then, if there is one.
constexpr qint64 kJournalDelayMs = 5'000;
constexpr int kShownSteps = 5;

/// The typed text as a SIP address, with "sip:" added if missing; empty when it is no address.
QString addressIn(const QString& typed)
{
    static const QRegularExpression kAddress(QStringLiteral("^(sips?:)?[^\\s@:]+@[^\\s@]+$"));
    const auto match = kAddress.match(typed.trimmed());
    return !match.hasMatch()             ? QString()
           : match.captured(1).isEmpty() ? QStringLiteral("sip:") + match.captured(0)
                                         : match.captured(0);
}

bool hasKnownOutcome(const DeliveryStep& step)
{
    return step.outcome != DeliveryStep::Outcome::UnderWay &&
           step.outcome != DeliveryStep::Outcome::Unknown;
}

}  // namespace

TestMessageDialog::TestMessageDialog(StoreSession& session,
                                     const Preferences& preferences,
                                     const QString& recipient,
                                     QWidget* parent)
    : FormDialog("testMessageDialog", parent),
      session_(session),
      preferences_(preferences)
{
    column_->addLayout(form_ = makeForm());
    to_ = addField<QLineEdit>("to");
    text_ = addField<QLineEdit>("text");
    column_->addWidget(hint_ = newSelectableText(this, "hint"));
    steps_ = makeWidget<QListWidget>("steps", this);
    steps_->setSelectionMode(QAbstractItemView::NoSelection);
    steps_->setWordWrap(true);
    constexpr int kRowPadding = 6;
    steps_->setMinimumHeight((fontMetrics().height() + kRowPadding) * kShownSteps);
    column_->addWidget(steps_, 1);
    makeButtons(DefaultButton::Accept, 76);
    openButton_ = buttons_->addButton(QString(), QDialogButtonBox::ActionRole);
    openButton_->setObjectName(QStringLiteral("openButton"));
    openButton_->setAutoDefault(false);
    openButton_->setEnabled(false);
    column_->addWidget(notice_);
    column_->addWidget(buttons_);
    tabInOrder({to_, text_, steps_, buttons_});

    to_->setText(recipient);
    text_->setText(tr("This is a test message."));
    const auto updateSendButton = [this] {
        accept_->setEnabled(!addressIn(to_->text()).isEmpty() && !text_->text().isEmpty());
    };
    connect(to_, &QLineEdit::textChanged, this, updateSendButton);
    connect(text_, &QLineEdit::textChanged, this, updateSendButton);
    connect(accept_, &QPushButton::clicked, this, &TestMessageDialog::send);
    connect(openButton_, &QPushButton::clicked, this, [this] {
        emit jobRequested(QString::fromStdString(jobWatch_.id()));
        accept();
    });

    jobWatch_.open(&session_);
    jobWatch_.setHistoryWanted(true);
    connect(&jobWatch_, &JobWatch::changed, this, &TestMessageDialog::showProgress);
    connect(&jobWatch_, &JobWatch::historyChanged, this, &TestMessageDialog::showProgress);
    refreshTimer_.setInterval(kRefreshMs);
    connect(&refreshTimer_, &QTimer::timeout, &jobWatch_, &JobWatch::refresh);
    retranslate();
    updateSendButton();
    (recipient.isEmpty() ? to_ : text_)->setFocus();
}

void TestMessageDialog::send()
{
    JobForm form;
    form.topic = QStringLiteral("sip");
    form.channel = Channel::Sip;
    form.recipient = addressIn(to_->text());
    form.contentType = QStringLiteral("text/plain;charset=UTF-8");
    form.body = text_->text().toStdString();
    form.expires = QString::number(kExpiresAfter.count()) + QStringLiteral("ms");
    auto push = pushOptionsOf(form, session_.source().now());
    if (!push) {
        return showError(push.error());
    }
    refreshTimer_.stop();
    jobWatch_.follow({});
    sinceGone_.invalidate();
    steps_->clear();
    notice_->clearText();
    openButton_->setEnabled(false);
    accept_->setEnabled(false);
    session_.commands().push(std::move(*push), {this, [this](const Result<Pushed>& pushed) {
                                                    accept_->setEnabled(true);
                                                    if (!pushed) {
                                                        return showError(pushed.error());
                                                    }
                                                    if (!pushed->ids.empty()) {
                                                        startWatching(pushed->ids.front());
                                                    }
                                                }});
}

void TestMessageDialog::startWatching(const std::string& id)
{
    storedAt_ = session_.source().now();
    openButton_->setEnabled(true);
    accept_->setText(tr("&Send Again"));
    refreshTimer_.start();
    jobWatch_.follow(id);
}

void TestMessageDialog::showProgress()
{
    if (jobWatch_.id().empty() || jobWatch_.phase() == JobWatch::Phase::NoJob) {
        return;
    }
    if (jobWatch_.phase() == JobWatch::Phase::Gone && !sinceGone_.isValid()) {
        sinceGone_.start();
    }
    showSteps();
    if (showOutcome()) {
        refreshTimer_.stop();
    }
}

void TestMessageDialog::showSteps()
{
    const auto log =
        deliveryLogOf(jobWatch_.history().value_or(std::vector<HistoryRow>{}), jobWatch_.view());
    std::vector<std::pair<TimePoint, QString>> lines{
        {storedAt_, tr("%1  stored").arg(timeText(storedAt_))}};
    for (const auto& step : log.steps) {
        if (!hasKnownOutcome(step)) {
            continue;
        }
        const auto text =
            step.outcome == DeliveryStep::Outcome::NoAnswer
                ? tr("%1  sent to %2: no answer").arg(timeText(step.sent), step.target)
                : tr("%1  sent to %2: %3").arg(timeText(step.sent), step.target, step.answer);
        lines.emplace_back(step.sent, text);
    }
    for (const auto& unsent : log.unsent) {
        lines.emplace_back(
            unsent.at, unsent.why.isEmpty()
                           ? tr("%1  nothing could be sent").arg(timeText(unsent.at))
                           : tr("%1  nothing was sent: %2").arg(timeText(unsent.at), unsent.why));
    }
    std::stable_sort(lines.begin() + 1, lines.end(),
                     [](const auto& one, const auto& other) { return one.first < other.first; });
    steps_->clear();
    for (const auto& [at, line] : lines) {
        auto* item = new QListWidgetItem(line, steps_);
        item->setFlags(Qt::ItemIsEnabled);
    }
    steps_->scrollToBottom();
}

bool TestMessageDialog::showOutcome()
{
    using Phase = JobWatch::Phase;
    using Severity = Theme::Severity;
    const auto log =
        deliveryLogOf(jobWatch_.history().value_or(std::vector<HistoryRow>{}), jobWatch_.view());
    for (const auto& step : log.steps) {
        if (step.outcome == DeliveryStep::Outcome::Delivered) {
            notice_->showMessage(step.took ? tr("It was delivered: %1 answered after %2.")
                                                 .arg(step.target, TimeText::duration(*step.took))
                                           : tr("It was delivered: %1 answered.").arg(step.target),
                                 Severity::Good);
            return true;
        }
    }
    switch (jobWatch_.phase()) {
    case Phase::NoJob:
    case Phase::Loading: return false;
    case Phase::Failed: notice_->showMessage(jobWatch_.problem(), Severity::Bad); return false;
    case Phase::Loaded:
        if (jobWatch_.outlook()) {
            const bool isDead = jobWatch_.view()->state == JobState::Dead;
            notice_->showMessage(
                waitingText(jobWatch_.outlook()->waiting, jobWatch_.now(), preferences_),
                isDead                                         ? Severity::Bad
                : wantsAttention(jobWatch_.outlook()->waiting) ? Severity::Warning
                                                               : Severity::Notice);
            return isDead;
        }
        return false;
    case Phase::Gone: break;
    }
    if (!jobWatch_.historyProblem().isEmpty() || sinceGone_.elapsed() > kJournalDelayMs) {
        notice_->showMessage(
            tr("It is no longer in the store: delivered, or taken away. The journal, which "
               "could tell, does not answer."),
            Severity::Warning);
        return true;
    }
    return false;
}

QString TestMessageDialog::timeText(TimePoint at) const
{
    return QDateTime::fromMSecsSinceEpoch(toEpochMs(at), zoneOf(preferences_))
        .toString(QStringLiteral("HH:mm:ss.zzz"));
}

void TestMessageDialog::retranslate()
{
    setWindowTitle(tr("Test Message"));
    setRowTitle(to_, tr("&To:"));
    to_->setPlaceholderText(QStringLiteral("sip:bob@example.org"));
    setRowTitle(text_, tr("Te&xt:"));
    static_assert(kExpiresAfter == std::chrono::minutes{10});
    hint_->setText(tr("It waits its turn behind what that person has not got yet, and is given up "
                      "after ten minutes."));
    setAccessibleNameOf(steps_, tr("What has happened"));
    accept_->setText(jobWatch_.id().empty() ? tr("&Send") : tr("&Send Again"));
    openButton_->setText(tr("Show &Job"));
    buttons_->button(QDialogButtonBox::Cancel)->setText(tr("Close"));
    showProgress();
}

}  // namespace restante::gui
