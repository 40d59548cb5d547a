#include "gui/tasks/task_strip.h"

#include "gui/commands/job_actions.h"
#include "gui/operations/task_board.h"
#include "gui/theme/icons.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>

#include <algorithm>

namespace restante::gui {

namespace {

/// How long a task runs before it is shown as running; one that ends sooner shows its result only.
constexpr int kShowDelayMs = 300;
/// How long the result of a task that succeeded, and its Undo button, stay; Ctrl+Z goes on working.
constexpr int kHideDelayMs = 12'000;

QToolButton* newButton(QWidget* parent, const char* name)
{
    auto* button = new QToolButton(parent);
    button->setObjectName(QString::fromLatin1(name));
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    // A line that comes and goes does not take the focus by the way.
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

}  // namespace

TaskStrip::TaskStrip(TaskBoard& board, JobActions& actions, QWidget* parent)
    : QFrame(parent),
      board_(board),
      actions_(actions)
{
    setObjectName(QStringLiteral("taskStrip"));
    setFrameShape(QFrame::StyledPanel);
    build();
    showDelay_.setSingleShot(true);
    hideDelay_.setSingleShot(true);
    connect(&showDelay_, &QTimer::timeout, this, &TaskStrip::refresh);
    connect(&hideDelay_, &QTimer::timeout, this, [this] {
        shownTaskId_ = 0;
        refresh();
    });
    connect(&board_, &TaskBoard::listChanged, this, [this] {
        if (board_.runningCount() > 0) {
            showDelay_.start(kShowDelayMs);
        }
        refresh();
    });
    connect(&board_, &TaskBoard::changed, this, &TaskStrip::refresh);
    connect(&board_, &TaskBoard::ended, this, &TaskStrip::handleEnd);
    connect(&actions_, &JobActions::stepsChanged, this, &TaskStrip::refresh);
    retranslate();
}

void TaskStrip::build()
{
    icon_ = new QLabel(this);
    title_ = new QLabel(this);
    title_->setObjectName(QStringLiteral("taskTitle"));
    outcome_ = new QLabel(this);
    outcome_->setObjectName(QStringLiteral("taskOutcome"));
    outcome_->setWordWrap(true);
    auto font = title_->font();
    font.setBold(true);
    title_->setFont(font);
    for (auto* label : {title_, outcome_}) {
        label->setTextFormat(Qt::PlainText);
    }
    bar_ = new QProgressBar(this);
    bar_->setFixedWidth(fontMetrics().averageCharWidth() * 24);
    undo_ = newButton(this, "taskUndo");
    retry_ = newButton(this, "taskRetry");
    details_ = newButton(this, "taskDetails");
    stop_ = newButton(this, "taskStop");
    close_ = newButton(this, "taskClose");
    auto* row = new QHBoxLayout(this);
    constexpr int kMargin = 3;
    row->setContentsMargins(3 * kMargin, kMargin, kMargin, kMargin);
    row->addWidget(icon_);
    row->addWidget(title_);
    row->addWidget(bar_);
    row->addWidget(outcome_, 1);
    for (auto* button : {undo_, retry_, details_, stop_, close_}) {
        row->addWidget(button);
    }
    connect(undo_, &QToolButton::clicked, this, [this] { actions_.undoTask(shownTaskId_); });
    connect(retry_, &QToolButton::clicked, this, [this] { board_.repeat(shownTaskId_); });
    connect(details_, &QToolButton::clicked, this, &TaskStrip::detailsRequested);
    connect(stop_, &QToolButton::clicked, this, [this] { board_.stop(shownTaskId_); });
    connect(close_, &QToolButton::clicked, this, [this] {
        shownTaskId_ = 0;
        refresh();
    });
}

void TaskStrip::handleEnd(int id)
{
    const auto* task = board_.task(id);
    if (task == nullptr) {
        return;
    }
    shownTaskId_ = id;
    hideDelay_.stop();
    // What went wrong stays until it has been read.
    if (!task->hasProblems()) {
        hideDelay_.start(kHideDelayMs);
    }
    refresh();
}

void TaskStrip::refresh()
{
    const auto& tasks = board_.tasks();
    const auto running =
        std::find_if(tasks.begin(), tasks.end(), [](const Task& task) { return task.running(); });
    if (running != tasks.end() && running->elapsedMs() >= kShowDelayMs) {
        shownTaskId_ = running->id;
        hideDelay_.stop();
    }
    const auto* task = board_.task(shownTaskId_);
    setVisible(task != nullptr);
    if (task == nullptr) {
        return;
    }
    const auto others = board_.runningCount() - (task->running() ? 1 : 0);
    const auto title = titleOf(*task);
    title_->setText(others > 0 ? tr("%1 (and %2 more)").arg(title).arg(others) : title);
    const auto percent = percentOf(*task);
    bar_->setVisible(task->running());
    bar_->setRange(0, percent < 0 ? 0 : 100);
    bar_->setValue(std::max(percent, 0));
    auto outcome = outcomeText(*task);
    if (const auto timeLeft = timeLeftText(*task); !timeLeft.isEmpty()) {
        outcome += QStringLiteral(" · ") + timeLeft;
    }
    outcome_->setText(outcome);
    const auto size = style()->pixelMetric(QStyle::PM_SmallIconSize);
    icon_->setPixmap(icon(iconName(*task)).pixmap(size, size));
    undo_->setVisible(!task->running() && actions_.steps().canUndo(task->id));
    undo_->setEnabled(actions_.mayRunStep());
    retry_->setVisible(board_.canRepeat(*task));
    retry_->setText(task->remainder ? tr("Do the Rest") : tr("Retry Failed"));
    retry_->setEnabled(actions_.mayWrite());
    stop_->setVisible(task->running());
    stop_->setEnabled(task->phase == Task::Phase::Running);
    close_->setVisible(!task->running());
}

void TaskStrip::retranslate()
{
    undo_->setText(tr("Undo"));
    details_->setText(tr("Details"));
    stop_->setText(tr("Stop"));
    close_->setText(tr("Dismiss"));
    bar_->setAccessibleName(tr("Progress of the task"));
    setAccessibleName(tr("Task"));
    refresh();
}

void TaskStrip::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    } else if (event->type() == QEvent::PaletteChange) {
        refresh();
    }
    QFrame::changeEvent(event);
}

}  // namespace restante::gui
