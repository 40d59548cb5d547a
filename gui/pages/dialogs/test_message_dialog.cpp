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

/// Between two looks.
constexpr int kLookMs = 500;
/// The journal has written what has gone by then, if there is one.
constexpr qint64 kJournalMs = 5'000;
constexpr int kShownSteps = 5;

/// What somebody typed as a SIP address, "bob@example.org" also; empty when it is none.
QString addressIn(const QString& typed)
{
    static const QRegularExpression kAddress(QStringLiteral("^(sips?:)?[^\\s@:]+@[^\\s@]+$"));
    const auto match = kAddress.match(typed.trimmed());
    return !match.hasMatch()             ? QString()
           : match.captured(1).isEmpty() ? QStringLiteral("sip:") + match.captured(0)
                                         : match.captured(0);
}

bool hasLeft(const DeliveryStep& step)
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
    column_->addWidget(hint_ = plainIn(this, "hint"));
    steps_ = makeWidget<QListWidget>("steps", this);
    steps_->setSelectionMode(QAbstractItemView::NoSelection);
    steps_->setWordWrap(true);
    constexpr int kAir = 6;
    steps_->setMinimumHeight((fontMetrics().height() + kAir) * kShownSteps);
    column_->addWidget(steps_, 1);
    makeButtons(DefaultButton::Accept, 76);
    open_ = buttons_->addButton(QString(), QDialogButtonBox::ActionRole);
    open_->setObjectName(QStringLiteral("openButton"));
    open_->setAutoDefault(false);
    open_->setEnabled(false);
    column_->addWidget(notice_);
    column_->addWidget(buttons_);
    tabInOrder({to_, text_, steps_, buttons_});

    to_->setText(recipient);
    text_->setText(tr("This is a test message."));
    const auto allow = [this] {
        accept_->setEnabled(!addressIn(to_->text()).isEmpty() && !text_->text().isEmpty());
    };
    connect(to_, &QLineEdit::textChanged, this, allow);
    connect(text_, &QLineEdit::textChanged, this, allow);
    connect(accept_, &QPushButton::clicked, this, &TestMessageDialog::send);
    connect(open_, &QPushButton::clicked, this, [this] {
        emit jobRequested(QString::fromStdString(watch_.id()));
        accept();
    });

    watch_.open(&session_);
    watch_.wantHistory(true);
    connect(&watch_, &JobWatch::changed, this, &TestMessageDialog::showProgress);
    connect(&watch_, &JobWatch::historyChanged, this, &TestMessageDialog::showProgress);
    again_.setInterval(kLookMs);
    connect(&again_, &QTimer::timeout, &watch_, &JobWatch::refresh);
    retranslate();
    allow();
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
    form.expires = QString::number(kLasts.count()) + QStringLiteral("ms");
    auto push = pushOptionsOf(form, session_.source().now());
    if (!push) {
        return showError(push.error());
    }
    again_.stop();
    watch_.follow({});
    sinceGone_.invalidate();
    steps_->clear();
    notice_->clearText();
    open_->setEnabled(false);
    accept_->setEnabled(false);
    session_.commands().push(std::move(*push), {this, [this](const Result<Pushed>& pushed) {
                                                    accept_->setEnabled(true);
                                                    if (!pushed) {
                                                        return showError(pushed.error());
                                                    }
                                                    if (!pushed->ids.empty()) {
                                                        watch(pushed->ids.front());
                                                    }
                                                }});
}

void TestMessageDialog::watch(const std::string& id)
{
    stored_ = session_.source().now();
    open_->setEnabled(true);
    accept_->setText(tr("&Send Again"));
    again_.start();
    watch_.follow(id);
}

void TestMessageDialog::showProgress()
{
    if (watch_.id().empty() || watch_.phase() == JobWatch::Phase::Nothing) {
        return;
    }
    if (watch_.phase() == JobWatch::Phase::Gone && !sinceGone_.isValid()) {
        sinceGone_.start();
    }
    showSteps();
    if (sayVerdict()) {
        again_.stop();
    }
}

void TestMessageDialog::showSteps()
{
    const auto log =
        deliveryLogOf(watch_.history().value_or(std::vector<HistoryRow>{}), watch_.view());
    std::vector<std::pair<TimePoint, QString>> lines{
        {stored_, tr("%1  stored").arg(clock(stored_))}};
    for (const auto& step : log.steps) {
        if (!hasLeft(step)) {
            continue;
        }
        const auto answer =
            step.outcome == DeliveryStep::Outcome::NoAnswer
                ? tr("%1  sent to %2: no answer").arg(clock(step.sent), step.target)
                : tr("%1  sent to %2: %3").arg(clock(step.sent), step.target, step.answer);
        lines.emplace_back(step.sent, answer);
    }
    for (const auto& unsent : log.unsent) {
        lines.emplace_back(unsent.at,
                           unsent.why.isEmpty()
                               ? tr("%1  nothing could be sent").arg(clock(unsent.at))
                               : tr("%1  nothing was sent: %2").arg(clock(unsent.at), unsent.why));
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

bool TestMessageDialog::sayVerdict()
{
    using Phase = JobWatch::Phase;
    using Meaning = Theme::Meaning;
    const auto log =
        deliveryLogOf(watch_.history().value_or(std::vector<HistoryRow>{}), watch_.view());
    for (const auto& step : log.steps) {
        if (step.outcome == DeliveryStep::Outcome::Delivered) {
            notice_->say(step.took ? tr("It was delivered: %1 answered after %2.")
                                         .arg(step.target, TimeText::duration(*step.took))
                                   : tr("It was delivered: %1 answered.").arg(step.target),
                         Meaning::Good);
            return true;
        }
    }
    switch (watch_.phase()) {
    case Phase::Nothing:
    case Phase::Loading: return false;
    case Phase::Failed: notice_->say(watch_.problem(), Meaning::Bad); return false;
    case Phase::There:
        if (watch_.standing()) {
            const bool over = watch_.view()->state == JobState::Dead;
            notice_->say(waitingText(watch_.standing()->why, watch_.now(), preferences_),
                         over                                     ? Meaning::Bad
                         : wantsAttention(watch_.standing()->why) ? Meaning::Warning
                                                                  : Meaning::Notice);
            return over;
        }
        return false;
    case Phase::Gone: break;
    }
    if (!watch_.historyProblem().isEmpty() || sinceGone_.elapsed() > kJournalMs) {
        notice_->say(
            tr("It is no longer in the store: delivered, or taken away. The journal, which "
               "could tell, does not answer."),
            Meaning::Warning);
        return true;
    }
    return false;
}

QString TestMessageDialog::clock(TimePoint at) const
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
    static_assert(kLasts == std::chrono::minutes{10});
    hint_->setText(tr("It waits its turn behind what that person has not got yet, and is given up "
                      "after ten minutes."));
    nameIt(steps_, tr("What has happened"));
    accept_->setText(watch_.id().empty() ? tr("&Send") : tr("&Send Again"));
    open_->setText(tr("Show &Job"));
    buttons_->button(QDialogButtonBox::Cancel)->setText(tr("Close"));
    showProgress();
}

}  // namespace restante::gui
