#include "gui/pages/jobs/jobs_bars.h"

#include "gui/pages/page_parts.h"
#include "gui/theme/icons.h"
#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QProgressBar>
#include <QScopedValueRollback>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace restante::gui {

namespace {

/// What a tab shows. *Value.*
struct Tab {
    std::vector<JobState> states = {};  ///< none = all
    bool retrying = false;
};

const std::vector<Tab>& tabsShown()
{
    static const std::vector<Tab> kTabs{{},
                                        {{JobState::Scheduled}},
                                        {{JobState::Ready}},
                                        {{JobState::Scheduled, JobState::Ready}, true},
                                        {{JobState::Leased}},
                                        {{JobState::Held}},
                                        {{JobState::Dead}},
                                        {{JobState::Done}},
                                        {{JobState::Trashed}}};
    return kTabs;
}

QString codeName(const Error& error)
{
    return QString::fromLatin1(name(error.code));
}

QToolButton* makeButton(const char* name, const char* iconName, QWidget* parent)
{
    auto* button = makeWidget<QToolButton>(name, parent);
    button->setIcon(icon(QString::fromLatin1(iconName)));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    return button;
}

/// A horizontal layout for the widgets of a strip.
QHBoxLayout* makeRowLayout(QWidget* owner)
{
    auto* row = new QHBoxLayout(owner);
    row->setContentsMargins(6, 2, 6, 2);
    return row;
}

}  // namespace

QString shortNumber(std::uint64_t number)
{
    const QLocale locale;
    if (number < 10'000) {
        return locale.toString(number);
    }
    const bool thousands = number < 1'000'000;
    const auto scaled = static_cast<double>(number) / (thousands ? 1e3 : 1e6);
    // Cut, not rounded: 999,999 are not a million.
    const auto decimals = scaled < 100 ? 1 : 0;
    const auto stepsPerUnit = decimals == 1 ? 10.0 : 1.0;
    const auto truncated = std::floor(scaled * stepsPerUnit) / stepsPerUnit;
    return locale.toString(truncated, 'f', decimals) + (thousands ? u'k' : u'M');
}

StateTabs::StateTabs(QWidget* parent) : QTabBar(parent), counts_(tabsShown().size())
{
    setObjectName(QStringLiteral("stateTabs"));
    setDrawBase(false);
    setExpanding(false);
    setUsesScrollButtons(true);
    for (const auto& tab : tabsShown()) {
        const auto at = addTab({});
        if (tab.retrying) {
            setTabIcon(at, icon(QStringLiteral("state-retrying")));
        } else if (!tab.states.empty()) {
            setTabIcon(at, icon(Theme::style(tab.states.front()).icon));
        }
    }
    retranslate();
    connect(this, &QTabBar::currentChanged, this, [this](int at) {
        if (!updatingTabs_ && at >= 0) {
            const auto& tab = tabsShown()[static_cast<std::size_t>(at)];
            emit statesRequested(tab.states, tab.retrying);
        }
    });
}

void StateTabs::setView(const JobsView& view)
{
    const QScopedValueRollback updating(updatingTabs_, true);
    const auto& tabs = tabsShown();
    const auto found = std::ranges::find_if(tabs, [&](const Tab& tab) {
        return tab.states == view.states && tab.retrying == view.retrying;
    });
    setCurrentIndex(found == tabs.end() ? 0 : static_cast<int>(found - tabs.begin()));
}

void StateTabs::setCounts(const JobsCounter& counter, const RetryingCounter& retrying)
{
    const QLocale locale;
    for (std::size_t at = 0; at < tabsShown().size(); ++at) {
        const auto& tab = tabsShown()[at];
        const auto count = tab.retrying ? retrying.count() : counter.count(tab.states);
        const bool exact = tab.retrying ? retrying.exact() : counter.exact();
        auto text = count ? shortNumber(*count) : QString();
        if (count && !exact) {
            // "At least none" says nothing.
            text = *count == 0 ? QString() : text.prepend(QChar(0x2265));
        }
        counts_[at] = text;
        auto tip = count ? locale.toString(*count) : tr("counting…");
        if (tab.retrying) {
            tip = retrying.tip();
        }
        setTabToolTip(static_cast<int>(at), tip);
    }
    retranslate();
}

void StateTabs::retranslate()
{
    setAccessibleName(tr("States"));
    for (int at = 0; at < count(); ++at) {
        const auto& tab = tabsShown()[static_cast<std::size_t>(at)];
        const auto name = tab.retrying         ? tr("Retrying")
                          : tab.states.empty() ? tr("All")
                                               : Theme::stateName(tab.states.front());
        const auto& number = counts_[static_cast<std::size_t>(at)];
        const auto text = number.isEmpty() ? name : QStringLiteral("%1  %2").arg(name, number);
        if (tabText(at) != text) {
            setTabText(at, text);
        }
        setAccessibleTabName(at, text);
    }
}

ErrorBar::ErrorBar(QWidget* parent) : MessageBar(parent)
{
    setObjectName(QStringLiteral("troubleBar"));
    ageTimer_.setInterval(1'000);
    connect(&ageTimer_, &QTimer::timeout, this, &ErrorBar::reformat);
}

void ErrorBar::setContent(const std::optional<Error>& error, bool hasRows)
{
    error_ = error;
    hasOldRows_ = hasRows && sinceUpToDate_.isValid();
    if (!error_) {
        ageTimer_.stop();
        clear();
        return;
    }
    ageTimer_.start();
    reformat();
}

void ErrorBar::reformat()
{
    const auto message = QString::fromStdString(error_->message);
    auto text =
        tr("The store did not answer as it should: %1 (%2)").arg(message, codeName(*error_));
    if (hasOldRows_) {
        text +=
            u'\n' + tr("What is shown is %1 old.")
                        .arg(TimeText::duration(Millis{sinceUpToDate_.elapsed() / 1'000 * 1'000}));
    }
    showMessage(Theme::Severity::Bad, text,
                QStringLiteral("%1: %2").arg(codeName(*error_), message));
}

ScanStrip::ScanStrip(QWidget* parent)
    : QFrame(parent),
      text_(plainLabel(this, "scanText")),
      progressBar_(new QProgressBar(this)),
      stopButton_(makeButton("scanStop", "stop", this)),
      continueButton_(makeButton("scanContinue", "media-playback-start", this)),
      searchAgainButton_(makeButton("scanAgain", "view-refresh", this))
{
    setObjectName(QStringLiteral("scanStrip"));
    progressBar_->setRange(0, 1'000);
    progressBar_->setTextVisible(false);
    progressBar_->setFixedWidth(fontMetrics().horizontalAdvance(u'0') * 20);
    progressBar_->setMaximumHeight(fontMetrics().height());
    auto* row = makeRowLayout(this);
    row->addWidget(progressBar_);
    row->addWidget(text_, 1);
    row->addWidget(stopButton_);
    row->addWidget(continueButton_);
    row->addWidget(searchAgainButton_);
    connect(stopButton_, &QToolButton::clicked, this, &ScanStrip::stopRequested);
    connect(continueButton_, &QToolButton::clicked, this, &ScanStrip::continueRequested);
    connect(searchAgainButton_, &QToolButton::clicked, this, &ScanStrip::searchAgainRequested);
    retranslate();
}

void ScanStrip::setContent(const ScanState& scan, std::uint64_t jobsToScan, bool counting)
{
    scan_ = scan;
    jobsToScan_ = jobsToScan;
    counting_ = counting;
    retranslate();
}

void ScanStrip::setOutdated(bool outdated)
{
    outdated_ = outdated;
    retranslate();
}

void ScanStrip::retranslate()
{
    using Phase = ScanState::Phase;
    const QLocale locale;
    const bool running = scan_.phase == Phase::Running;
    auto text = jobsToScan_ == 0 || scan_.phase == Phase::Done
                    ? tr("Scanned %1 · %2 found")
                          .arg(locale.toString(scan_.examined), locale.toString(scan_.found))
                    : tr("Scanned %1 of ~%2 · %3 found")
                          .arg(locale.toString(scan_.examined), locale.toString(jobsToScan_),
                               locale.toString(scan_.found));
    switch (scan_.phase) {
    case Phase::Stopped: text += tr(" · stopped"); break;
    case Phase::Waiting: text += tr(" · goes on when you scroll"); break;
    case Phase::Done: text += tr(" · all looked at"); break;
    case Phase::Off:
    case Phase::Running: break;
    }
    if (counting_) {
        text += tr(" · counting…");
    }
    if (outdated_) {
        text += tr(" · the store has changed since");
    }
    text_->setText(text);
    const auto share = jobsToScan_ == 0 ? 0.0 : static_cast<double>(scan_.examined) / jobsToScan_;
    progressBar_->setVisible(running || scan_.phase == Phase::Stopped);
    if (running && jobsToScan_ == 0) {
        progressBar_->setRange(0, 0);
    } else {
        progressBar_->setRange(0, 1'000);
        progressBar_->setValue(static_cast<int>(std::min(1.0, share) * 1'000));
    }
    stopButton_->setText(tr("Stop"));
    continueButton_->setText(tr("Continue"));
    searchAgainButton_->setText(tr("Search Again"));
    progressBar_->setAccessibleName(tr("Progress of the search"));
    stopButton_->setVisible(running || counting_);
    continueButton_->setVisible(scan_.phase == Phase::Stopped || scan_.phase == Phase::Waiting);
    searchAgainButton_->setVisible(outdated_ || scan_.phase == Phase::Done);
}

SelectionBar::SelectionBar(QWidget* parent)
    : QFrame(parent),
      text_(plainLabel(this, "selectionText")),
      selectAll_(makeButton("selectAllMatching", "select-matching", this)),
      selectNone_(makeButton("selectNone", "edit-clear", this)),
      newJobsButton_(makeButton("newPill", "go-up", this))
{
    setObjectName(QStringLiteral("selectionBar"));
    auto* row = makeRowLayout(this);
    row->addWidget(text_);
    row->addWidget(selectAll_);
    row->addWidget(selectNone_);
    row->addStretch(1);
    row->addWidget(newJobsButton_);
    connect(selectAll_, &QToolButton::clicked, this, &SelectionBar::selectAllRequested);
    connect(selectNone_, &QToolButton::clicked, this, &SelectionBar::selectNoneRequested);
    connect(newJobsButton_, &QToolButton::clicked, this, &SelectionBar::newJobsRequested);
    retranslate();
}

void SelectionBar::setContent(const SelectedJobs& selected, std::uint64_t total, bool exact)
{
    selectedCount_ = selected.count(total);
    excludedCount_ = selected.excludedCount();
    allMatching_ = selected.all();
    total_ = total;
    totalExact_ = exact;
    retranslate();
}

void SelectionBar::setNewJobs(std::uint64_t count, NewJobsSide side)
{
    newJobs_ = count;
    newJobsSide_ = side;
    retranslate();
}

void SelectionBar::retranslate()
{
    const QLocale locale;
    const auto total = locale.toString(total_);
    if (allMatching_ && excludedCount_ > 0) {
        text_->setText((totalExact_ ? tr("All %1 matching selected, minus %2")
                                    : tr("All that match selected, at least %1, minus %2"))
                           .arg(total, locale.toString(excludedCount_)));
    } else if (allMatching_) {
        text_->setText((totalExact_ ? tr("All %1 matching selected")
                                    : tr("All that match selected, at least %1"))
                           .arg(total));
    } else {
        text_->setText(selectedCount_ == 0
                           ? tr("Nothing selected")
                           : tr("%1 selected").arg(locale.toString(selectedCount_)));
    }
    selectAll_->setText(totalExact_ ? tr("Select All %1 Matching").arg(locale.toString(total_))
                                    : tr("Select All Matching"));
    selectAll_->setVisible(selectedCount_ > 0 && (!allMatching_ || excludedCount_ > 0) &&
                           selectedCount_ < total_);
    selectNone_->setText(tr("Clear"));
    selectNone_->setToolTip(tr("Select nothing"));
    selectNone_->setVisible(selectedCount_ > 0 || allMatching_);
    newJobsButton_->setText(tr("%1 new").arg(locale.toString(newJobs_)));
    newJobsButton_->setIcon(icon(newJobsSide_ == NewJobsSide::Above ? QStringLiteral("go-up")
                                                                    : QStringLiteral("go-down")));
    newJobsButton_->setToolTip(tr("Jobs that have come since you looked: go there"));
    newJobsButton_->setVisible(newJobs_ > 0);
}

}  // namespace restante::gui
