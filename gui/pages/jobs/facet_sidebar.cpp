#include "gui/pages/jobs/facet_sidebar.h"

#include "gui/operations/reason_text.h"
#include "gui/pages/jobs/jobs_bars.h"
#include "gui/session/topic_views.h"
#include "gui/theme/icons.h"
#include "gui/theme/table_style.h"
#include "gui/theme/theme.h"

#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLocale>
#include <QMenu>

#include <algorithm>
#include <climits>

namespace restante::gui {

namespace {

constexpr int kValueRole = Qt::UserRole;
constexpr Channel kChannels[] = {Channel::Pull, Channel::Sip, Channel::Sms, Channel::Webhook};
/// Most failures have one of few reasons; the others are found by err: in the filter.
constexpr int kMaxReasons = 12;
/// A store with more topics shows the busiest; the filter finds the others.
constexpr std::size_t kMaxTopics = 200;

QTreeWidgetItem* addRow(QTreeWidgetItem* heading, const QString& text, const QVariant& value)
{
    auto* row = new QTreeWidgetItem(heading);
    row->setText(0, text);
    row->setToolTip(0, literalTip(text));
    row->setData(0, kValueRole, value);
    row->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
    row->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
    row->setSizeHint(0, QSize(0, QFontMetrics(row->font(0)).height() * 5 / 4));
    return row;
}

void setCount(QTreeWidgetItem* row, std::optional<std::uint64_t> count, bool exact = true)
{
    const auto prefix = exact ? QString() : QString(QChar(0x2265));
    row->setText(1, count ? prefix + shortNumber(*count) : QString());
    row->setToolTip(1, count ? QLocale().toString(*count) : QString());
}

/// Shows the count beside a channel or topic, with a tool tip on what it covers.
void setFacet(QTreeWidgetItem* row, std::optional<std::uint64_t> count, const TopicFacets& facets)
{
    const bool isWaitingOnly = facets.coverage() == TopicFacets::Coverage::WaitingOnly;
    const bool exact = !isWaitingOnly && facets.coverage() != TopicFacets::Coverage::AtLeast;
    if (!exact && count == 0U) {
        count.reset();  // "at least none" says nothing
    }
    setCount(row, count, exact);
    if (isWaitingOnly && count) {
        row->setToolTip(1, FacetSidebar::tr("%1 scheduled or ready; jobs in other states are not "
                                            "counted by channel and topic")
                               .arg(row->toolTip(1)));
    }
}

std::uint64_t waitingCount(const TopicView& topic)
{
    std::uint64_t sum = 0;
    for (const auto& channel : topic.channels) {
        sum += channel.scheduled + channel.ready;
    }
    return sum;
}

bool contains(const std::vector<JobState>& states, JobState state)
{
    return std::ranges::find(states, state) != states.end();
}

/// The states that a view shows; none when its filter has conditions other than states, or when it
/// shows the jobs of one error or those that retry.
std::optional<std::vector<JobState>> shownStates(const JobsView& view)
{
    const auto plan = view.filter.plan();
    const bool statesOnly = plan.exact && !plan.channels && !plan.topics;
    if (view.retrying || !view.error.empty()) {
        return {};
    }
    if (!view.filter.empty() && !statesOnly) {
        return {};
    }
    std::vector<JobState> states;
    for (const auto state : kJobStates) {
        if ((view.states.empty() || contains(view.states, state)) &&
            (!plan.states || contains(*plan.states, state))) {
            states.push_back(state);
        }
    }
    return states;
}

}  // namespace

TopicFacets::TopicFacets(const JobsView& view) : channel_(view.channel), topic_(view.topic)
{
    const auto states = shownStates(view);
    if (!states) {
        coverage_ = Coverage::NotForFilter;
        return;
    }
    showsScheduled_ = contains(*states, JobState::Scheduled);
    showsReady_ = contains(*states, JobState::Ready);
    showsOnlyLeased_ = *states == std::vector{JobState::Leased};
    const auto waitingStates =
        static_cast<std::size_t>(showsScheduled_ ? 1 : 0) + (showsReady_ ? 1U : 0U);
    coverage_ = waitingStates == 0               ? Coverage::NotForStates
                : waitingStates < states->size() ? Coverage::WaitingOnly
                                                 : Coverage::Complete;
    const bool held = contains(*states, JobState::Held);
    const bool dead = contains(*states, JobState::Dead);
    const auto heldOrDeadStates = static_cast<std::size_t>(held ? 1 : 0) + (dead ? 1U : 0U);
    if (waitingStates + heldOrDeadStates == states->size()) {
        addsHeld_ = held;
        addsDead_ = dead;
    }
}

void TopicFacets::setActivity(const std::optional<TopicActivity>& activity)
{
    if (!activity || !wantsActivity()) {
        return;
    }
    activity_ = activity;
    const bool isComplete =
        (!addsHeld_ || activity->held.isComplete) && (!addsDead_ || activity->dead.isComplete);
    coverage_ = isComplete ? Coverage::Complete : Coverage::AtLeast;
}

/// The number of held and dead jobs whose channel and topic satisfy `matches`.
std::uint64_t TopicFacets::heldAndDeadCount(
    const std::function<bool(Channel, const std::string& topic)>& matches) const
{
    std::uint64_t total = 0;
    for (const auto* part : {addsHeld_ && activity_ ? &activity_->held : nullptr,
                             addsDead_ && activity_ ? &activity_->dead : nullptr}) {
        if (part == nullptr) {
            continue;
        }
        for (const auto& [key, jobs] : part->byChannelAndTopic) {
            total += matches(key.first, key.second) ? jobs : 0;
        }
    }
    return total;
}

std::uint64_t TopicFacets::shownWaitingCount(const TopicCounts& counts) const
{
    return (showsScheduled_ ? counts.scheduled : 0) + (showsReady_ ? counts.ready : 0);
}

std::optional<std::uint64_t> TopicFacets::count(const TopicView& topic) const
{
    if (showsOnlyLeased_ && !channel_) {
        return topic.leased;
    }
    if (coverage_ == Coverage::NotForStates || coverage_ == Coverage::NotForFilter) {
        return {};
    }
    auto total = heldAndDeadCount([&](Channel channel, const std::string& name) {
        return name == topic.topic && (!channel_ || *channel_ == channel);
    });
    for (const auto& counts : topic.channels) {
        total += !channel_ || *channel_ == counts.channel ? shownWaitingCount(counts) : 0;
    }
    return total;
}

std::optional<std::uint64_t> TopicFacets::count(Channel channel,
                                                const std::vector<TopicView>& topics) const
{
    if (coverage_ == Coverage::NotForStates || coverage_ == Coverage::NotForFilter) {
        return {};
    }
    auto total = heldAndDeadCount([&](Channel jobChannel, const std::string& name) {
        return jobChannel == channel && (topic_.empty() || topic_ == name);
    });
    for (const auto& topic : topics) {
        for (const auto& counts : topic.channels) {
            const bool matches =
                counts.channel == channel && (topic_.empty() || topic_ == topic.topic);
            total += matches ? shownWaitingCount(counts) : 0;
        }
    }
    return total;
}

FacetSidebar::FacetSidebar(SavedViews& views, QWidget* parent) : QTreeWidget(parent), views_(views)
{
    setObjectName(QStringLiteral("facetSidebar"));
    setColumnCount(2);
    setHeaderHidden(true);
    setRootIsDecorated(false);
    setIndentation(fontMetrics().horizontalAdvance(u'0'));
    setAllColumnsShowFocus(true);
    setFrameShape(QFrame::NoFrame);
    setSelectionMode(QAbstractItemView::NoSelection);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(0, QHeaderView::Stretch);
    header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    for (int at = Channels; at <= Views; ++at) {
        auto* heading = new QTreeWidgetItem(this);
        heading->setFlags(Qt::ItemIsEnabled);
        heading->setFirstColumnSpanned(true);
        auto bold = font();
        bold.setBold(true);
        heading->setFont(0, bold);
        heading->setExpanded(true);
        heading->setTextAlignment(0, Qt::AlignLeading | Qt::AlignBottom);
        heading->setSizeHint(0, QSize(0, fontMetrics().height() * (at == Channels ? 3 : 4) / 2));
    }
    retranslate();
    connect(this, &QTreeWidget::itemClicked, this,
            [this](QTreeWidgetItem* item) { activate(item); });
    connect(&views_, &SavedViews::changed, this, [this] {
        buildViews();
        highlightSelection();
    });
}

void FacetSidebar::retranslate()
{
    setAccessibleName(tr("Filters"));
    section(Channels)->setText(0, tr("Channels"));
    section(Topics)->setText(0, tr("Topics"));
    section(Reasons)->setText(0, tr("Last failure"));
    section(Views)->setText(0, tr("Saved views"));
    buildChannels();
    buildTopics();
    buildReasons();
    buildViews();
    highlightSelection();
    // Otherwise the keyboard focus starts on a heading, which then looks chosen.
    setCurrentItem(section(Channels)->child(0));
}

void FacetSidebar::buildChannels()
{
    auto* heading = section(Channels);
    qDeleteAll(heading->takeChildren());
    addRow(heading, tr("All"), -1);
    for (const auto channel : kChannels) {
        auto* row = addRow(heading, Theme::channelName(channel), static_cast<int>(channel));
        row->setIcon(0, icon(QStringLiteral("channel-") + QString::fromLatin1(name(channel))));
        setFacet(row, topicsKnown_ ? facets_.count(channel, topics_) : std::nullopt, facets_);
    }
    addNotCountedRow(heading);
}

void FacetSidebar::buildTopics()
{
    auto* heading = section(Topics);
    qDeleteAll(heading->takeChildren());
    addRow(heading, tr("All"), QString());
    bool anyCounted = false;
    const bool includesHeldAndDead = facets_.wantsActivity() && activity_;
    auto shown = includesHeldAndDead ? withAllTopics(topics_, *activity_) : topics_;
    for (const auto& name : seenTopics_) {
        const bool listed = std::any_of(shown.begin(), shown.end(),
                                        [&](const TopicView& one) { return one.topic == name; });
        if (!listed) {
            shown.emplace_back().topic = name;
        }
    }
    const auto topicCount = shown.size();
    if (shown.size() > kMaxTopics) {
        std::stable_sort(shown.begin(), shown.end(), [](const TopicView& a, const TopicView& b) {
            return waitingCount(a) > waitingCount(b);
        });
        shown.resize(kMaxTopics);
    }
    for (const auto& topic : shown) {
        const auto text = Theme::topicName(topic.topic);
        const auto raw = QString::fromStdString(topic.topic);
        auto* row = addRow(heading, topic.pause ? tr("%1 (paused)").arg(text) : text, raw);
        row->setToolTip(0, literalTip(raw));
        if (topic.pause) {
            row->setIcon(0, icon(QStringLiteral("queue-pause")));
        }
        const auto count = facets_.count(topic);
        anyCounted = anyCounted || count;
        setFacet(row, count, facets_);
    }
    if (!anyCounted) {
        addNotCountedRow(heading);
    }
    if (const auto remaining = topicCount - shown.size(); remaining > 0) {
        auto* row = addRow(heading, tr("%n more topic(s)", "", static_cast<int>(remaining)), {});
        row->setFlags(Qt::NoItemFlags);
    }
}

/// Says why there are no counts: empty cells would look like zero.
void FacetSidebar::addNotCountedRow(QTreeWidgetItem* heading)
{
    const auto coverage = facets_.coverage();
    if (!topicsKnown_ || (coverage != TopicFacets::Coverage::NotForStates &&
                          coverage != TopicFacets::Coverage::NotForFilter)) {
        return;
    }
    auto* row =
        addRow(heading,
               coverage == TopicFacets::Coverage::NotForStates ? tr("not counted in this state")
                                                               : tr("not counted under a filter"),
               {});
    row->setFlags(Qt::NoItemFlags);
    row->setToolTip(0, coverage == TopicFacets::Coverage::NotForStates
                           ? tr("The jobs of these states are not counted by channel and topic. A "
                                "click narrows the view all the same.")
                           : tr("The store counts all jobs of a channel or topic, not those that a "
                                "filter finds. A click narrows the view all the same."));
}

void FacetSidebar::buildViews()
{
    auto* heading = section(Views);
    qDeleteAll(heading->takeChildren());
    for (const auto& saved : views_.all()) {
        auto* row = addRow(heading, saved.name, saved.name);
        row->setIcon(0, icon(QStringLiteral("star-filled")));
        const auto filter = QString::fromStdString(saved.view.filter.text());
        row->setToolTip(0, literalTip(filter));
    }
    if (heading->childCount() == 0) {
        auto* row = addRow(heading, tr("Star a filter to keep it"), {});
        row->setFlags(Qt::NoItemFlags);
    }
}

void FacetSidebar::setView(const JobsView& view)
{
    view_ = view;
    facets_ = TopicFacets(view);
    facets_.setActivity(activity_);
    rebuild();
}

void FacetSidebar::setActivity(const TopicActivity& activity)
{
    activity_ = activity;
    facets_ = TopicFacets(view_);
    facets_.setActivity(activity_);
    rebuild();
}

/// The selected rows are bold and described to screen readers, not marked by colour alone.
void FacetSidebar::highlightSelection()
{
    const auto highlight = [this](Section sectionId, const QVariant& value) {
        auto* heading = section(sectionId);
        for (int at = 0; at < heading->childCount(); ++at) {
            auto* row = heading->child(at);
            const bool isChosen =
                row->data(0, kValueRole).isValid() && row->data(0, kValueRole) == value;
            auto rowFont = font();
            rowFont.setBold(isChosen);
            row->setFont(0, rowFont);
            const auto background = palette().brush(QPalette::Midlight);
            row->setBackground(0, isChosen ? background : QBrush());
            row->setBackground(1, isChosen ? background : QBrush());
            row->setData(0, Qt::AccessibleDescriptionRole, isChosen ? tr("chosen") : QString());
        }
    };
    highlight(Channels, view_.channel ? static_cast<int>(*view_.channel) : -1);
    highlight(Topics, QString::fromStdString(view_.topic));
    highlight(Reasons, QString::fromStdString(view_.error));
    QVariant savedName;
    for (const auto& candidate : views_.all()) {
        if (candidate.view == view_) {
            savedName = candidate.name;
        }
    }
    highlight(Views, savedName);
}

void FacetSidebar::setReasons(const ReasonCounter& counter)
{
    reasons_ = counter.reasons();
    reasonsExact_ = counter.exact();
    rebuild();
}

/// Without failures the heading is hidden, too.
void FacetSidebar::buildReasons()
{
    auto* heading = section(Reasons);
    qDeleteAll(heading->takeChildren());
    std::vector<ReasonCounter::Reason> shown(
        reasons_.begin(),
        reasons_.begin() +
            std::min<std::ptrdiff_t>(kMaxReasons, static_cast<std::ptrdiff_t>(reasons_.size())));
    auto unshownCount = reasons_.size() - shown.size();
    const bool listed =
        view_.error.empty() ||
        std::ranges::find(shown, view_.error, &ReasonCounter::Reason::text) != shown.end();
    if (!listed) {
        const auto known = std::ranges::find(reasons_, view_.error, &ReasonCounter::Reason::text);
        shown.push_back(known == reasons_.end() ? ReasonCounter::Reason{view_.error, 0} : *known);
        unshownCount -= known == reasons_.end() ? 0U : 1U;
    }
    heading->setHidden(shown.empty());
    if (shown.empty()) {
        return;
    }
    addRow(heading, tr("All"), QString());
    for (const auto& reason : shown) {
        const auto text = QString::fromStdString(reason.text);
        auto* row = addRow(heading, reasonText(text.simplified()), text);
        setCount(row, reason.count == 0 ? std::nullopt : std::optional(reason.count),
                 reasonsExact_);
    }
    if (unshownCount > 0) {
        auto* row =
            addRow(heading, tr("%n more reason(s)", "", static_cast<int>(unshownCount)), {});
        row->setFlags(Qt::NoItemFlags);
    }
}

void FacetSidebar::setTopics(const std::vector<TopicView>& topics)
{
    topics_ = topics;
    topicsKnown_ = true;
    rebuild();
}

void FacetSidebar::forgetStore()
{
    topics_.clear();
    topicsKnown_ = false;
    activity_.reset();
    seenTopics_.clear();
    rebuild();
}

void FacetSidebar::setSeenTopics(const std::set<std::string>& topics)
{
    if (seenTopics_ != topics) {
        seenTopics_ = topics;
        rebuild();
    }
}

void FacetSidebar::rebuild()
{
    const auto currentValue =
        currentItem() != nullptr ? currentItem()->data(0, kValueRole) : QVariant();
    const auto* parent = currentItem() != nullptr ? currentItem()->parent() : nullptr;
    buildChannels();
    buildTopics();
    buildReasons();
    highlightSelection();
    // The rows are new; the keyboard focus returns to the same value.
    for (int child = 0; parent != nullptr && child < parent->childCount(); ++child) {
        if (parent->child(child)->data(0, kValueRole) == currentValue) {
            setCurrentItem(parent->child(child));
        }
    }
}

bool FacetSidebar::isPaused(const std::string& topic) const
{
    return std::any_of(topics_.begin(), topics_.end(), [&](const TopicView& view) {
        return view.topic == topic && view.pause.has_value();
    });
}

void FacetSidebar::activate(const QTreeWidgetItem* item)
{
    if (item == nullptr || item->parent() == nullptr || !item->data(0, kValueRole).isValid()) {
        return;
    }
    const auto value = item->data(0, kValueRole);
    switch (indexOfTopLevelItem(item->parent())) {
    case Channels:
        emit channelRequested(
            value.toInt() < 0 ? std::nullopt : std::optional(static_cast<Channel>(value.toInt())));
        break;
    case Reasons: emit reasonRequested(value.toString().toStdString()); break;
    case Topics: emit topicRequested(value.toString().toStdString()); break;
    case Views: emit savedViewRequested(value.toString()); break;
    default: break;
    }
}

void FacetSidebar::changeEvent(QEvent* event)
{
    QTreeWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && topLevelItemCount() > Views) {
        rebuild();
    }
}

void FacetSidebar::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter ||
        event->key() == Qt::Key_Space) {
        activate(currentItem());
        return;
    }
    QTreeWidget::keyPressEvent(event);
}

void FacetSidebar::contextMenuEvent(QContextMenuEvent* event)
{
    auto* item =
        event->reason() == QContextMenuEvent::Keyboard ? currentItem() : itemAt(event->pos());
    if (item == nullptr || !item->data(0, kValueRole).isValid()) {
        return;
    }
    if (item->parent() == section(Reasons)) {
        return showReasonMenu(item->data(0, kValueRole).toString().toStdString(),
                              event->globalPos());
    }
    if (item->parent() != section(Views)) {
        return;
    }
    const auto name = item->data(0, kValueRole).toString();
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("&Rename…"), this, [this, name] { emit renameRequested(name); });
    menu->addAction(tr("Remove this &View"), this, [this, name] { emit removeRequested(name); });
    menu->popup(event->globalPos());
}

void FacetSidebar::showReasonMenu(const std::string& reason, const QPoint& at)
{
    const auto found = std::find_if(reasons_.begin(), reasons_.end(),
                                    [&](const auto& one) { return one.text == reason; });
    if (found == reasons_.end() || found->count == 0) {
        return;
    }
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("reasonMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto n = static_cast<int>(std::min<std::uint64_t>(found->count, INT_MAX));
    menu->addAction(
        icon(QStringLiteral("media-playback-start")), tr("&Retry These %Ln Job(s)", "", n), this,
        [this, reason, jobs = found->count] { emit reasonRetryRequested(reason, jobs); });
    menu->popup(at);
}

QSize FacetSidebar::sizeHint() const
{
    return {fontMetrics().horizontalAdvance(u'0') * 26, QTreeWidget::sizeHint().height()};
}

}  // namespace restante::gui
