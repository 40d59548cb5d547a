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

QString buttonText(const Command& command)
{
    return QCoreApplication::translate("restante::gui::JobButtons", command.text);
}

}  // namespace

JobButtons::JobButtons(QWidget* parent)
    : QWidget(parent),
      runButton_(barButton(this, nullptr, Qt::ToolButtonTextBesideIcon, "detailRun")),
      moreButton_(barButton(this, nullptr, Qt::ToolButtonIconOnly, "detailMore")),
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
    runButton_->setDefaultAction(action(Verb::RunNow));
    moreButton_->setMenu(menu_);
    moreButton_->setPopupMode(QToolButton::InstantPopup);
    menu_->setToolTipsVisible(true);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(runButton_);
    row->addWidget(moreButton_);
    retranslate();
}

void JobButtons::setContent(const std::optional<JobView>& view, const QString& refusal)
{
    setVisible(view.has_value());
    for (const auto& command : kCommands) {
        const auto states = statesFor(command.verb);
        const bool isAllowed = view && std::ranges::find(states, view->state) != states.end();
        auto* action = actions_[command.verb];
        action->setEnabled(isAllowed && refusal.isEmpty());
        const auto text = buttonText(command).remove(u'&');
        action->setToolTip(!refusal.isEmpty() ? text + u'\n' + refusal
                           : isAllowed        ? text
                                       : text + u'\n' + tr("Its state does not allow that."));
    }
}

void JobButtons::retranslate()
{
    for (const auto& command : kCommands) {
        actions_[command.verb]->setText(buttonText(command));
    }
    runButton_->setAccessibleName(tr("Run this job now"));
    moreButton_->setText(tr("More"));
    moreButton_->setAccessibleName(tr("More that can be done with this job"));
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
      noJobLabel_(wrappedLabel(this, "noJob")),
      loadingTimer_(new QTimer(this))
{
    setObjectName(QStringLiteral("jobDetail"));
    // Beside the table it may be narrower than its widest row of buttons.
    setMinimumWidth(fontMetrics().averageCharWidth() * 44);
    noJobLabel_->setAlignment(Qt::AlignCenter);
    auto* page = new QWidget(this);
    auto* column = tightVBoxLayout(page);
    column->addWidget(buildHeader());
    banner_ = wrappedLabel(page, "jobBanner");
    banner_->setAutoFillBackground(true);
    banner_->setMargin(6);
    banner_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(banner_);
    waitingLabel_ = wrappedLabel(page, "jobWhy");
    waitingLabel_->setAutoFillBackground(true);
    waitingLabel_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    const auto gap = style()->pixelMetric(QStyle::PM_LayoutHorizontalSpacing);
    waitingLabel_->setContentsMargins(gap, gap / 2, gap, gap / 2);
    column->addWidget(waitingLabel_);
    seriesLink_ = makeWidget<LinkButton>("jobSeries", LinkButton::Look::Accent, page);
    seriesLink_->setElided(true);
    seriesLink_->hide();
    auto* seriesRow = new QHBoxLayout;
    seriesRow->setContentsMargins(gap, 0, gap, 0);
    seriesRow->addWidget(seriesLink_);
    column->addLayout(seriesRow);
    connect(seriesLink_, &LinkButton::clicked, this, [this] { emit seriesRequested(seriesId_); });
    tabWidget_ = makeWidget<QTabWidget>("detailTabs", page);
    tabWidget_->setDocumentMode(true);
    column->addWidget(tabWidget_, 1);
    stack_->addWidget(noJobLabel_);
    stack_->addWidget(page);
    tightVBoxLayout(this)->addWidget(stack_);

    addTab(new OverviewTab(context_, *watch_, tabWidget_));
    payloadTab_ = new PayloadTab(context_, *watch_, tabWidget_);
    addTab(payloadTab_);
    addTab(new HistoryTab(context_, *watch_, tabWidget_));
    addTab(new AttemptsTab(context_, *watch_, tabWidget_));
    addTab(new RelatedTab(context_, *watch_, tabWidget_));

    connect(watch_, &JobWatch::changed, this, &JobDetail::updateContent);
    connect(watch_, &JobWatch::historyChanged, this, &JobDetail::updateContent);
    connect(&context_.preferences, &Preferences::changed, this, &JobDetail::updateContent);
    connect(tabWidget_, &QTabWidget::currentChanged, this, [this] { updateContent(); });
    connectFind();
    loadingTimer_->setSingleShot(true);
    loadingTimer_->setInterval(300);
    connect(loadingTimer_, &QTimer::timeout, this, [this] {
        banner_->setText(tr("Loading…"));
        applyTint(*banner_, Theme::tint(Theme::Severity::Notice));
        banner_->show();
    });
    retranslate();
}

JobDetail::Tab JobDetail::tab() const
{
    return static_cast<Tab>(std::max(0, tabWidget_->currentIndex()));
}

QWidget* JobDetail::firstFocus()
{
    auto* tab = shownTab();
    return tab == nullptr || stack_->currentIndex() == 0 ? this : tab->firstFocus();
}

bool JobDetail::hasPayloadFocus() const
{
    const auto* focus = QApplication::focusWidget();
    return focus != nullptr && payloadTab_->isAncestorOf(focus);
}

void JobDetail::connectFind()
{
    using Direction = PayloadDocument::Direction;
    const auto findInPayload = [this](Direction direction) {
        if (payloadTab_->isVisible() && isActiveWindow()) {
            payloadTab_->findNext(direction);
        }
    };
    auto& actions = context_.actions;
    connect(actions[ActionId::Find], &QAction::triggered, this, [this] {
        if (hasPayloadFocus()) {
            payloadTab_->openFindBar();
        }
    });
    connect(actions[ActionId::FindNext], &QAction::triggered, this,
            [findInPayload] { findInPayload(Direction::Forward); });
    connect(actions[ActionId::FindPrevious], &QAction::triggered, this,
            [findInPayload] { findInPayload(Direction::Backward); });
}

void JobDetail::addTab(DetailTab* tab)
{
    tabs_.push_back(tab);
    tabWidget_->addTab(tab, tab->title());
    connect(tab, &DetailTab::jobRequested, this, &JobDetail::jobRequested);
    connect(tab, &DetailTab::filterRequested, this, &JobDetail::filterRequested);
}

QWidget* JobDetail::buildHeader()
{
    auto* header = new QWidget(this);
    auto* row = new FlowLayout(header);
    const auto gap = style()->pixelMetric(QStyle::PM_LayoutHorizontalSpacing);
    row->setContentsMargins(gap, gap / 2, gap, gap / 2);
    stateIcon_ = plainLabel(header, "jobStateIcon");
    stateLabel_ = plainLabel(header, "jobState");
    idLabel_ = plainLabel(header, "jobId");
    idLabel_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    // An id may be 128 characters long; the window must be allowed to be smaller.
    idLabel_->setMinimumWidth(1);
    auto bold = font();
    bold.setBold(true);
    stateLabel_->setFont(bold);
    row->addWidget(stateIcon_);
    row->addWidget(stateLabel_);
    row->addWidget(idLabel_);
    row->alignRestRight();
    buttons_ = new JobButtons(header);
    row->addWidget(buttons_);
    connect(buttons_, &JobButtons::actionRequested, this, [this](BulkAction::Verb verb) {
        Selection selection;
        selection.ids = {watch_->id()};
        selection.count = 1;
        emit actionRequested(verb, selection);
    });
    return header;
}

DetailTab* JobDetail::shownTab() const
{
    const auto index = tabWidget_->currentIndex();
    return index < 0 ? nullptr : tabs_[static_cast<std::size_t>(index)];
}

void JobDetail::updateContent()
{
    const auto phase = watch_->phase();
    stack_->setCurrentIndex(phase == Phase::NoJob ? 0 : 1);
    if (tabsJobId_ != watch_->id()) {
        tabsJobId_ = watch_->id();
        for (auto* tab : tabs_) {
            tab->reset();
        }
    }
    updateHeader();
    updateBanner();
    updateSeriesLink();
    updateWaitingText();
    if (auto* tab = shownTab()) {
        watch_->setHistoryWanted(tab->needsHistory());
        tab->refresh();
    }
}

void JobDetail::updateHeader()
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
        stateLabel_->setPalette(palette());
    } else if (view) {
        const auto stateStyle = Theme::style(view->state);
        stateIcon_->setPixmap(icon(stateStyle.icon).pixmap(QSize(size, size), devicePixelRatioF()));
        auto colors = palette();
        colors.setColor(QPalette::WindowText, stateStyle.foreground);
        stateLabel_->setPalette(colors);
        word = Theme::stateName(view->state);
    } else {
        stateIcon_->setPixmap({});  // the one of the job before
    }
    stateLabel_->setText(word);
    const bool isPresent = watch_->phase() != Phase::Gone;
    buttons_->setContent(isPresent ? view : std::nullopt, watch_->refusal());
    emit titleChanged(id.isEmpty() || word.isEmpty() ? id : tr("%1 - %2").arg(id, word));
}

void JobDetail::open(StoreSession* session)
{
    session_ = session;
    seriesId_.clear();
    watch_->open(session);
}

void JobDetail::updateSeriesLink()
{
    const auto& view = watch_->view();
    const bool isSeries = view && view->job.topic == reminder::kSeriesTopic;
    const auto id = isSeries ? std::optional(view->job.id)
                    : view   ? reminder::seriesOf(view->job)
                             : std::nullopt;
    if (id.value_or(std::string{}) != seriesId_) {
        seriesId_ = id.value_or(std::string{});
        knownSeries_.reset();
        if (id && !isSeries) {
            loadSeries(*id);
        }
    }
    if (isSeries) {
        // It may have been changed since.
        auto series = reminder::Series::parse(view->job.body);
        knownSeries_ = series ? std::optional(std::move(*series)) : std::nullopt;
    }
    seriesLink_->setVisible(id.has_value());
    if (!id) {
        return;
    }
    const auto text = isSeries ? tr("Show it among the reminders: next times, pause, edit, cancel")
                      : knownSeries_
                          ? tr("Sent by a recurring reminder: %1")
                                .arg(SeriesText(context_.preferences).ruleAndZone(*knownSeries_))
                          : tr("Sent by a recurring reminder");
    seriesLink_->setContent(text, text);
}

void JobDetail::loadSeries(const std::string& id)
{
    if (session_ == nullptr) {
        return;
    }
    session_->source().show(id, {this, [this, id](const Result<JobView>& view) {
                                     if (view && id == seriesId_) {
                                         auto series = reminder::Series::parse(view->job.body);
                                         knownSeries_ =
                                             series ? std::optional(*series) : std::nullopt;
                                         updateSeriesLink();
                                     }
                                 }});
}

/// The label stays visible while the answer is pending, so that the layout does not jump.
void JobDetail::updateWaitingText()
{
    const auto& outlook = watch_->outlook();
    const bool isLoaded = watch_->phase() == Phase::Loaded && watch_->view();
    waitingLabel_->setVisible(isLoaded);
    if (!isLoaded || !outlook) {
        waitingLabel_->setText({});
        waitingLabel_->setPalette(palette());
        return;
    }
    const auto& waiting = outlook->waiting;
    const auto& view = *watch_->view();
    const bool hasEnded = view.state == JobState::Dead || view.state == JobState::Trashed ||
                          view.state == JobState::Done;
    if (view.job.topic == reminder::kSeriesTopic && knownSeries_ && !hasEnded) {
        // The state of the job that stores a series says little; its rule is shown instead.
        const auto sentence =
            view.state == JobState::Held
                ? tr("A recurring reminder to %1 that is paused: %2.", "to whom, how often")
                : tr("A recurring reminder to %1: %2.", "to whom, how often");
        waitingLabel_->setText(
            sentence.arg(SeriesText::person(view.job.recipient),
                         SeriesText(context_.preferences).ruleAndZone(*knownSeries_)));
        waitingLabel_->setPalette(palette());
        return;
    }
    waitingLabel_->setText(waitingText(waiting, watch_->now(), context_.preferences));
    if (wantsAttention(waiting)) {
        applyTint(*waitingLabel_,
                  Theme::tint(waiting.why == WaitingReason::Why::Dead ? Theme::Severity::Bad
                                                                      : Theme::Severity::Warning));
    } else {
        waitingLabel_->setPalette(palette());
    }
}

void JobDetail::tick()
{
    if (isVisible() && watch_->phase() == Phase::Loaded) {
        updateWaitingText();
        if (auto* tab = shownTab(); tab != nullptr && tab->refreshesEachSecond()) {
            tab->refresh();
        }
    }
}

void JobDetail::updateBanner()
{
    const auto phase = watch_->phase();
    loadingTimer_->stop();
    switch (phase) {
    case Phase::NoJob:
    case Phase::Loaded: banner_->hide(); return;
    case Phase::Loading:
        // Most stores answer at once; a short message would make the layout jump.
        banner_->hide();
        loadingTimer_->start();
        return;
    case Phase::Gone: {
        auto text = watch_->view() ? tr("This job is gone; below is how it was last seen.")
                                   : tr("The store has no job with this id.");
        const auto last = lastTransition();
        banner_->setText(last.isEmpty() ? text : text + u' ' + last);
        applyTint(*banner_, Theme::tint(Theme::Severity::Warning));
        break;
    }
    case Phase::Failed:
        banner_->setText(watch_->view()
                             ? tr("Not up to date: %1").arg(watch_->problem())
                             : tr("The job could not be read: %1").arg(watch_->problem()));
        applyTint(*banner_, Theme::tint(Theme::Severity::Bad));
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
    const auto when = absoluteAndRelative(last.at, watch_->now(), context_.preferences);
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
    noJobLabel_->setText(tr("Select a job to see all that is known about it."));
    tabWidget_->setAccessibleName(tr("What is known about the job"));
    banner_->setAccessibleName(tr("Whether this is up to date"));
    waitingLabel_->setAccessibleName(tr("Why is it waiting?"));
    for (int at = 0; at < tabWidget_->count(); ++at) {
        tabWidget_->setTabText(at, tabs_[static_cast<std::size_t>(at)]->title());
    }
    buttons_->retranslate();
    updateContent();
}

void JobDetail::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    } else if (event->type() == QEvent::PaletteChange && watch_ != nullptr && !tabs_.empty()) {
        updateContent();
    }
    QWidget::changeEvent(event);
}

}  // namespace restante::gui
