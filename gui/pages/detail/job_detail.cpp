#include "gui/pages/detail/job_detail.h"

#include "core/reminder/reminder_plan.h"
#include "gui/actions/action_registry.h"
#include "gui/base/preferences.h"
#include "gui/operations/reason_text.h"
#include "gui/operations/series_text.h"
#include "gui/pages/detail/attempts_tab.h"
#include "gui/pages/detail/detail_tab.h"
#include "gui/pages/detail/detail_text.h"
#include "gui/pages/detail/history_tab.h"
#include "gui/pages/detail/overview_tab.h"
#include "gui/pages/detail/payload_tab.h"
#include "gui/pages/detail/related_tab.h"
#include "gui/pages/detail/waiting_text.h"
#include "gui/session/store_session.h"
#include "gui/theme/flow_layout.h"
#include "gui/theme/icons.h"
#include "gui/theme/link_button.h"
#include "gui/theme/theme.h"

#include <QApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QStackedWidget>
#include <QStyle>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace restante::gui {

namespace {

using Phase = JobWatch::Phase;
using Verb = BulkAction::Verb;

struct Command {
    Verb verb;
    const char* icon;
    const char* text;
};
constexpr std::array kCommands{
    Command{Verb::RunNow, "media-playback-start",
            QT_TRANSLATE_NOOP("restante::gui::JobButtons", "Run Now")},
    Command{Verb::Reschedule, "appointment-new",
            QT_TRANSLATE_NOOP("restante::gui::JobButtons", "Re&schedule…")},
    Command{Verb::Hold, "media-playback-pause",
            QT_TRANSLATE_NOOP("restante::gui::JobButtons", "&Hold")},
    Command{Verb::Release, "go-next", QT_TRANSLATE_NOOP("restante::gui::JobButtons", "Re&lease")},
    Command{Verb::Restore, "edit-reset",
            QT_TRANSLATE_NOOP("restante::gui::JobButtons", "Res&tore")},
    Command{Verb::Trash, "user-trash",
            QT_TRANSLATE_NOOP("restante::gui::JobButtons", "&Move to Trash")},
    Command{Verb::Purge, "edit-delete",
            QT_TRANSLATE_NOOP("restante::gui::JobButtons", "&Delete for Good…")},
};

QString textOf(const Command& command)
{
    return QCoreApplication::translate("restante::gui::JobButtons", command.text);
}

}  // namespace

JobButtons::JobButtons(QWidget* parent)
    : QWidget(parent),
      run_(barButton(this, nullptr, Qt::ToolButtonTextBesideIcon, "detailRun")),
      more_(barButton(this, nullptr, Qt::ToolButtonIconOnly, "detailMore")),
      menu_(new QMenu(this))
{
    for (const auto& command : kCommands) {
        const auto verb = command.verb;
        auto* action = new QAction(icon(QString::fromLatin1(command.icon)), {}, this);
        connect(action, &QAction::triggered, this, [this, verb] { emit actionRequested(verb); });
        actions_[verb] = action;
        if (verb != Verb::RunNow) {
            menu_->addAction(action);
        }
    }
    run_->setDefaultAction(action(Verb::RunNow));
    more_->setMenu(menu_);
    more_->setPopupMode(QToolButton::InstantPopup);
    menu_->setToolTipsVisible(true);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(run_);
    row->addWidget(more_);
    retranslate();
}

void JobButtons::setContent(const std::optional<JobView>& view, const QString& refusal)
{
    setVisible(view.has_value());
    for (const auto& command : kCommands) {
        const auto states = statesFor(command.verb);
        const bool fits = view && std::ranges::find(states, view->state) != states.end();
        auto* action = actions_[command.verb];
        action->setEnabled(fits && refusal.isEmpty());
        const auto text = textOf(command).remove(u'&');
        action->setToolTip(!refusal.isEmpty() ? text + u'\n' + refusal
                           : fits             ? text
                                  : text + u'\n' + tr("Its state does not allow that."));
    }
}

void JobButtons::retranslate()
{
    for (const auto& command : kCommands) {
        actions_[command.verb]->setText(textOf(command));
    }
    run_->setAccessibleName(tr("Run this job now"));
    more_->setText(tr("More"));
    more_->setAccessibleName(tr("More that can be done with this job"));
}

QAction* JobButtons::action(Verb verb) const
{
    const auto found = actions_.find(verb);
    return found == actions_.end() ? nullptr : found->second;
}

JobDetail::JobDetail(Context context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      watch_(new JobWatch(this)),
      stack_(new QStackedWidget(this)),
      nothing_(wrappedLabel(this, "noJob")),
      loading_(new QTimer(this))
{
    setObjectName(QStringLiteral("jobDetail"));
    // Beside the table it may be narrower than its widest row of buttons.
    setMinimumWidth(fontMetrics().averageCharWidth() * 44);
    nothing_->setAlignment(Qt::AlignCenter);
    auto* page = new QWidget(this);
    auto* column = tightColumn(page);
    column->addWidget(buildHead());
    banner_ = wrappedLabel(page, "jobBanner");
    banner_->setAutoFillBackground(true);
    banner_->setMargin(6);
    banner_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(banner_);
    why_ = wrappedLabel(page, "jobWhy");
    why_->setAutoFillBackground(true);
    why_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    const auto gap = style()->pixelMetric(QStyle::PM_LayoutHorizontalSpacing);
    why_->setContentsMargins(gap, gap / 2, gap, gap / 2);
    column->addWidget(why_);
    series_ = makeWidget<LinkButton>("jobSeries", LinkButton::Look::Accent, page);
    series_->setElided(true);
    series_->hide();
    auto* seriesRow = new QHBoxLayout;
    seriesRow->setContentsMargins(gap, 0, gap, 0);
    seriesRow->addWidget(series_);
    column->addLayout(seriesRow);
    connect(series_, &LinkButton::clicked, this, [this] { emit seriesRequested(seriesId_); });
    tabs_ = makeWidget<QTabWidget>("detailTabs", page);
    tabs_->setDocumentMode(true);
    column->addWidget(tabs_, 1);
    stack_->addWidget(nothing_);
    stack_->addWidget(page);
    tightColumn(this)->addWidget(stack_);

    addTab(new OverviewTab(context_, *watch_, tabs_));
    payload_ = new PayloadTab(context_, *watch_, tabs_);
    addTab(payload_);
    addTab(new HistoryTab(context_, *watch_, tabs_));
    addTab(new AttemptsTab(context_, *watch_, tabs_));
    addTab(new RelatedTab(context_, *watch_, tabs_));

    connect(watch_, &JobWatch::changed, this, &JobDetail::showCurrent);
    connect(watch_, &JobWatch::historyChanged, this, &JobDetail::showCurrent);
    connect(&context_.preferences, &Preferences::changed, this, &JobDetail::showCurrent);
    connect(tabs_, &QTabWidget::currentChanged, this, [this] { showCurrent(); });
    connectFind();
    loading_->setSingleShot(true);
    loading_->setInterval(300);
    connect(loading_, &QTimer::timeout, this, [this] {
        banner_->setText(tr("Loading…"));
        applyTint(*banner_, Theme::tint(Theme::Meaning::Notice));
        banner_->show();
    });
    retranslate();
}

JobDetail::Tab JobDetail::tab() const
{
    return static_cast<Tab>(std::max(0, tabs_->currentIndex()));
}

QWidget* JobDetail::firstFocus()
{
    auto* tab = shownTab();
    return tab == nullptr || stack_->currentIndex() == 0 ? this : tab->firstFocus();
}

bool JobDetail::takesFind() const
{
    const auto* focus = QApplication::focusWidget();
    return focus != nullptr && payload_->isAncestorOf(focus);
}

void JobDetail::connectFind()
{
    using Direction = PayloadDocument::Direction;
    const auto again = [this](Direction direction) {
        if (payload_->isVisible() && isActiveWindow()) {
            payload_->findAgain(direction);
        }
    };
    auto& actions = context_.actions;
    connect(actions[ActionId::Find], &QAction::triggered, this, [this] {
        if (takesFind()) {
            payload_->find();
        }
    });
    connect(actions[ActionId::FindNext], &QAction::triggered, this,
            [again] { again(Direction::Forward); });
    connect(actions[ActionId::FindPrevious], &QAction::triggered, this,
            [again] { again(Direction::Backward); });
}

void JobDetail::addTab(DetailTab* tab)
{
    tabList_.push_back(tab);
    tabs_->addTab(tab, tab->title());
    connect(tab, &DetailTab::jobRequested, this, &JobDetail::jobRequested);
    connect(tab, &DetailTab::filterRequested, this, &JobDetail::filterRequested);
}

QWidget* JobDetail::buildHead()
{
    auto* head = new QWidget(this);
    auto* row = new FlowLayout(head);
    const auto gap = style()->pixelMetric(QStyle::PM_LayoutHorizontalSpacing);
    row->setContentsMargins(gap, gap / 2, gap, gap / 2);
    stateIcon_ = plainLabel(head, "jobStateIcon");
    stateWord_ = plainLabel(head, "jobState");
    idLabel_ = plainLabel(head, "jobId");
    idLabel_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    // An id may be 128 characters long; the window must be allowed to be smaller.
    idLabel_->setMinimumWidth(1);
    auto bold = font();
    bold.setBold(true);
    stateWord_->setFont(bold);
    row->addWidget(stateIcon_);
    row->addWidget(stateWord_);
    row->addWidget(idLabel_);
    row->alignRestRight();
    buttons_ = new JobButtons(head);
    row->addWidget(buttons_);
    connect(buttons_, &JobButtons::actionRequested, this, [this](BulkAction::Verb verb) {
        Selection selection;
        selection.ids = {watch_->id()};
        selection.count = 1;
        emit actionRequested(verb, selection);
    });
    return head;
}

DetailTab* JobDetail::shownTab() const
{
    const auto index = tabs_->currentIndex();
    return index < 0 ? nullptr : tabList_[static_cast<std::size_t>(index)];
}

void JobDetail::showCurrent()
{
    const auto phase = watch_->phase();
    stack_->setCurrentIndex(phase == Phase::Nothing ? 0 : 1);
    if (shown_ != watch_->id()) {
        shown_ = watch_->id();
        for (auto* tab : tabList_) {
            tab->forget();
        }
    }
    showHead();
    showBanner();
    showSeries();
    showWhy();
    if (auto* tab = shownTab()) {
        watch_->wantHistory(tab->needsHistory());
        tab->refresh();
    }
}

void JobDetail::showHead()
{
    const auto& view = watch_->view();
    const auto id = textOf(watch_->id());
    idLabel_->setText(id);
    idLabel_->setToolTip(tipOf(id));
    QString word;
    const auto size = style()->pixelMetric(QStyle::PM_SmallIconSize);
    if (watch_->phase() == Phase::Gone) {
        word = tr("Gone");
        stateIcon_->setPixmap(
            icon(QStringLiteral("dialog-warning")).pixmap(QSize(size, size), devicePixelRatioF()));
        stateWord_->setPalette(palette());
    } else if (view) {
        const auto stateStyle = Theme::style(view->state);
        stateIcon_->setPixmap(icon(stateStyle.icon).pixmap(QSize(size, size), devicePixelRatioF()));
        auto ink = palette();
        ink.setColor(QPalette::WindowText, stateStyle.ink);
        stateWord_->setPalette(ink);
        word = Theme::stateName(view->state);
    } else {
        stateIcon_->setPixmap({});  // the one of the job before
    }
    stateWord_->setText(word);
    const bool there = watch_->phase() != Phase::Gone;
    buttons_->setContent(there ? view : std::nullopt, watch_->refusal());
    emit titleChanged(id.isEmpty() || word.isEmpty() ? id : tr("%1 - %2").arg(id, word));
}

void JobDetail::open(StoreSession* session)
{
    session_ = session;
    seriesId_.clear();
    watch_->open(session);
}

void JobDetail::showSeries()
{
    const auto& view = watch_->view();
    const bool stands = view && view->job.topic == reminder::kSeriesTopic;
    const auto id = stands ? std::optional(view->job.id)
                    : view ? reminder::seriesOf(view->job)
                           : std::nullopt;
    if (id.value_or(std::string{}) != seriesId_) {
        seriesId_ = id.value_or(std::string{});
        itsSeries_.reset();
        if (id && !stands) {
            askSeries(*id);
        }
    }
    if (stands) {
        // It may have been changed since.
        auto series = reminder::Series::parse(view->job.body);
        itsSeries_ = series ? std::optional(std::move(*series)) : std::nullopt;
    }
    series_->setVisible(id.has_value());
    if (!id) {
        return;
    }
    const auto text = stands ? tr("Show it among the reminders: next times, pause, edit, cancel")
                      : itsSeries_
                          ? tr("Sent by a recurring reminder: %1")
                                .arg(SeriesText(context_.preferences).ruleAndZone(*itsSeries_))
                          : tr("Sent by a recurring reminder");
    series_->setContent(text, text);
}

void JobDetail::askSeries(const std::string& id)
{
    if (session_ == nullptr) {
        return;
    }
    session_->source().show(id, {this, [this, id](const Result<JobView>& view) {
                                     if (view && id == seriesId_) {
                                         auto series = reminder::Series::parse(view->job.body);
                                         itsSeries_ =
                                             series ? std::optional(*series) : std::nullopt;
                                         showSeries();
                                     }
                                 }});
}

/// Keeps its place while the answer is awaited, so that nothing jumps; what is not known is said
/// nowhere.
void JobDetail::showWhy()
{
    const auto& standing = watch_->standing();
    const bool there = watch_->phase() == Phase::There && watch_->view();
    why_->setVisible(there);
    if (!there || !standing) {
        why_->setText({});
        why_->setPalette(palette());
        return;
    }
    const auto& why = standing->why;
    const auto& view = *watch_->view();
    const bool hasEnded = view.state == JobState::Dead || view.state == JobState::Trashed ||
                          view.state == JobState::Done;
    if (view.job.topic == reminder::kSeriesTopic && itsSeries_ && !hasEnded) {
        // Not how its job is kept, but what it is.
        const auto sentence =
            view.state == JobState::Held
                ? tr("A recurring reminder to %1 that is paused: %2.", "to whom, how often")
                : tr("A recurring reminder to %1: %2.", "to whom, how often");
        why_->setText(sentence.arg(SeriesText::person(view.job.recipient),
                                   SeriesText(context_.preferences).ruleAndZone(*itsSeries_)));
        why_->setPalette(palette());
        return;
    }
    why_->setText(waitingText(why, watch_->now(), context_.preferences));
    if (wantsAttention(why)) {
        applyTint(*why_,
                  Theme::tint(why.why == WaitingReason::Why::Dead ? Theme::Meaning::Bad
                                                                  : Theme::Meaning::Warning));
    } else {
        why_->setPalette(palette());
    }
}

void JobDetail::tick()
{
    if (isVisible() && watch_->phase() == Phase::There) {
        showWhy();
        if (auto* tab = shownTab(); tab != nullptr && tab->ticks()) {
            tab->refresh();
        }
    }
}

void JobDetail::showBanner()
{
    const auto phase = watch_->phase();
    loading_->stop();
    switch (phase) {
    case Phase::Nothing:
    case Phase::There: banner_->hide(); return;
    case Phase::Loading:
        // Most stores have answered before anybody could read it, and nothing shall jump.
        banner_->hide();
        loading_->start();
        return;
    case Phase::Gone: {
        auto text = watch_->view() ? tr("This job is gone; below is how it was last seen.")
                                   : tr("The store has no job with this id.");
        const auto last = lastTransition();
        banner_->setText(last.isEmpty() ? text : text + u' ' + last);
        applyTint(*banner_, Theme::tint(Theme::Meaning::Warning));
        break;
    }
    case Phase::Failed:
        banner_->setText(watch_->view()
                             ? tr("Not up to date: %1").arg(watch_->problem())
                             : tr("The job could not be read: %1").arg(watch_->problem()));
        applyTint(*banner_, Theme::tint(Theme::Meaning::Bad));
        break;
    }
    banner_->show();
}

QString JobDetail::lastTransition() const
{
    const auto& history = watch_->history();
    if (!history || history->empty()) {
        return {};
    }
    const auto& last = history->back();
    const auto when = momentOf(last.at, watch_->now(), context_.preferences);
    auto text = last.actor.empty()
                    ? tr("Last: %1, %2.").arg(transitionName(last.transition), when)
                    : tr("Last: %1 by %2, %3.")
                          .arg(transitionName(last.transition), textOf(last.actor), when);
    return last.reason.empty()
               ? text
               : text + u' ' + tr("Reason: %1").arg(reasonText(textOf(last.reason)));
}

void JobDetail::retranslate()
{
    nothing_->setText(tr("Select a job to see all that is known about it."));
    tabs_->setAccessibleName(tr("What is known about the job"));
    banner_->setAccessibleName(tr("Whether this is up to date"));
    why_->setAccessibleName(tr("Why is it waiting?"));
    for (int at = 0; at < tabs_->count(); ++at) {
        tabs_->setTabText(at, tabList_[static_cast<std::size_t>(at)]->title());
    }
    buttons_->retranslate();
    showCurrent();
}

void JobDetail::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    } else if (event->type() == QEvent::PaletteChange && watch_ != nullptr && !tabList_.empty()) {
        showCurrent();
    }
    QWidget::changeEvent(event);
}

}  // namespace restante::gui
