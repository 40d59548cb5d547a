#include "gui/pages/jobs/state_tabs.h"

#include "gui/theme/icons.h"
#include "gui/theme/theme.h"

#include <QEvent>
#include <QLocale>
#include <QScopedValueRollback>

#include <algorithm>
#include <cmath>

namespace restante::gui {

namespace {

constexpr JobState kTabs[] = {JobState::Scheduled, JobState::Ready, JobState::Leased,
                              JobState::Held,      JobState::Dead,  JobState::Done,
                              JobState::Trashed};
constexpr int kTabCount = static_cast<int>(std::size(kTabs)) + 1;

}  // namespace

QString shortNumber(std::uint64_t number)
{
    const QLocale locale;
    if (number < 10'000) {
        return locale.toString(static_cast<qulonglong>(number));
    }
    const bool thousands = number < 1'000'000;
    const auto scaled = static_cast<double>(number) / (thousands ? 1e3 : 1e6);
    // Cut, not rounded: 999,999 are not a million.
    const auto digits = scaled < 100 ? 1 : 0;
    const auto step = digits == 1 ? 10.0 : 1.0;
    const auto cut = std::floor(scaled * step) / step;
    return locale.toString(cut, 'f', digits) + (thousands ? u'k' : u'M');
}

StateTabs::StateTabs(QWidget* parent) : QTabBar(parent), counts_(kTabCount)
{
    setObjectName(QStringLiteral("stateTabs"));
    setDrawBase(false);
    setExpanding(false);
    setUsesScrollButtons(true);
    for (int at = 0; at < kTabCount; ++at) {
        addTab({});
        if (at > 0) {
            setTabIcon(at, icon(Theme::style(kTabs[at - 1]).icon));
        }
    }
    retranslate();
    connect(this, &QTabBar::currentChanged, this, [this](int at) {
        if (setting_ || at < 0) {
            return;
        }
        emit statesWanted(at == 0 ? std::vector<JobState>{} : std::vector<JobState>{kTabs[at - 1]});
    });
}

void StateTabs::setStates(const std::vector<JobState>& states)
{
    const QScopedValueRollback quiet(setting_, true);
    int tab = states.empty() ? 0 : -1;
    for (int at = 1; states.size() == 1 && at < kTabCount; ++at) {
        tab = kTabs[at - 1] == states.front() ? at : tab;
    }
    setCurrentIndex(std::max(0, tab));
}

void StateTabs::setCounts(const JobsCounter& counter)
{
    const QLocale locale;
    for (int at = 0; at < kTabCount; ++at) {
        const auto count =
            counter.of(at == 0 ? std::vector<JobState>{} : std::vector<JobState>{kTabs[at - 1]});
        auto text = count ? shortNumber(*count) : QString();
        if (count && !counter.exact()) {
            text.prepend(QChar(0x2265));  // at least
        }
        counts_[static_cast<std::size_t>(at)] = text;
        setTabToolTip(at,
                      count ? locale.toString(static_cast<qulonglong>(*count)) : tr("counting…"));
    }
    retranslate();
}

void StateTabs::retranslate()
{
    setAccessibleName(tr("States"));
    for (int at = 0; at < kTabCount; ++at) {
        const auto name = at == 0 ? tr("All") : Theme::stateName(kTabs[at - 1]);
        const auto& count = counts_[static_cast<std::size_t>(at)];
        const auto text = count.isEmpty() ? name : QStringLiteral("%1  %2").arg(name, count);
        if (tabText(at) != text) {
            setTabText(at, text);
        }
        setAccessibleTabName(at, text);
    }
}

void StateTabs::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
    QTabBar::changeEvent(event);
}

QSize StateTabs::minimumTabSizeHint(int index) const
{
    return tabSizeHint(index);
}

}  // namespace restante::gui
