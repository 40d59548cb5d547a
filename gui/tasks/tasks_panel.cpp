#include "gui/tasks/tasks_panel.h"

#include "gui/base/csv_text.h"
#include "gui/commands/job_actions.h"
#include "gui/operations/task_board.h"
#include "gui/tasks/tasks_model.h"
#include "gui/theme/table_style.h"

#include <QApplication>
#include <QEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QStackedWidget>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QTableWidget>

#include <algorithm>

namespace restante::gui {

namespace {

/// Rows of failures that are shown; the export has all.
constexpr std::size_t kMaxFailureRows = 1'000;

/// Draws a bar instead of the text in cells that have a percentage.
class ProgressDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        const auto percent = index.data(TasksModel::kPercentRole);
        if (!percent.isValid() || percent.toInt() < 0) {
            return QStyledItemDelegate::paint(painter, option, index);
        }
        QStyleOptionProgressBar bar;
        constexpr int kBarMargin = 3;
        bar.rect = option.rect.adjusted(kBarMargin, kBarMargin, -kBarMargin, -kBarMargin);
        bar.palette = option.palette;
        bar.state = QStyle::State_Enabled | QStyle::State_Horizontal;
        bar.minimum = 0;
        bar.maximum = 100;
        bar.progress = percent.toInt();
        bar.text = index.data().toString();
        bar.textVisible = true;
        bar.textAlignment = Qt::AlignCenter;
        QApplication::style()->drawControl(QStyle::CE_ProgressBar, &bar, painter);
    }
};

void setupTable(QTableView* table)
{
    constexpr int kRowPadding = 8;
    applyRowStyle(*table, table->fontMetrics().height() + kRowPadding);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setWordWrap(false);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeading | Qt::AlignVCenter);
}

}  // namespace

TasksPanel::TasksPanel(TaskBoard& board, JobActions& actions, QWidget* parent)
    : QWidget(parent),
      board_(board),
      actions_(actions),
      model_(new TasksModel(board, this))
{
    setObjectName(QStringLiteral("tasksPanel"));
    build();
    connect(&board_, &TaskBoard::changed, this, [this](int id) {
        if (id == selectedTask()) {
            showFailures();
        }
        updateButtons();
    });
    connect(model_, &QAbstractItemModel::modelReset, this, [this] {
        if (model_->rowCount() > 0) {
            table_->selectRow(0);
        }
        showFailures();
        updateButtons();
    });
    connect(&actions_, &JobActions::stepsChanged, this, &TasksPanel::updateButtons);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        showFailures();
        updateButtons();
    });
    retranslate();
}

void TasksPanel::build()
{
    table_ = new QTableView(this);
    table_->setObjectName(QStringLiteral("tasksTable"));
    table_->setModel(model_);
    table_->setItemDelegateForColumn(TasksModel::Progress, new ProgressDelegate(table_));
    setupTable(table_);
    const auto characterWidth = fontMetrics().averageCharWidth();
    const int widths[] = {30, 14, 44, 20, 14, 44, 14, 24};
    for (int column = 0; column < TasksModel::ColumnCount; ++column) {
        table_->setColumnWidth(column, characterWidth * widths[column]);
    }
    table_->horizontalHeader()->setStretchLastSection(true);
    failures_ = new QTableWidget(0, 3, this);
    failures_->setObjectName(QStringLiteral("failuresTable"));
    setupTable(failures_);
    fitTitles(*table_->horizontalHeader());
    failures_->setColumnWidth(0, characterWidth * 34);
    failures_->setColumnWidth(1, characterWidth * 14);
    failures_->horizontalHeader()->setStretchLastSection(true);
    emptyLabel_ = new QLabel(this);
    emptyLabel_->setAlignment(Qt::AlignCenter);
    emptyLabel_->setWordWrap(true);
    auto* content = new QWidget(this);
    auto* rows = new QVBoxLayout(content);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->addWidget(table_, 3);
    rows->addWidget(failures_, 2);
    stack_ = new QStackedWidget(this);
    stack_->addWidget(emptyLabel_);
    stack_->addWidget(content);
    auto* column = new QVBoxLayout(this);
    column->addWidget(stack_, 1);
    column->addWidget(buildButtons());
}

QWidget* TasksPanel::buildButtons()
{
    auto* bar = new QWidget(this);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    const auto addButton = [&](QPushButton*& member, const char* name) {
        member = new QPushButton(bar);
        member->setObjectName(QString::fromLatin1(name));
        row->addWidget(member);
    };
    addButton(stop_, "stopTask");
    addButton(undo_, "undoTask");
    addButton(retry_, "retryFailed");
    addButton(export_, "exportFailures");
    row->addStretch(1);
    addButton(clear_, "clearEnded");
    connect(stop_, &QPushButton::clicked, this, [this] { board_.stop(selectedTask()); });
    connect(undo_, &QPushButton::clicked, this, [this] { actions_.undoTask(selectedTask()); });
    connect(retry_, &QPushButton::clicked, this, [this] { board_.repeat(selectedTask()); });
    connect(export_, &QPushButton::clicked, this, &TasksPanel::exportFailures);
    connect(clear_, &QPushButton::clicked, &board_, &TaskBoard::clearEnded);
    return bar;
}

int TasksPanel::selectedTask() const
{
    const auto index = table_->currentIndex();
    return index.isValid() ? index.data(TasksModel::kIdRole).toInt() : 0;
}

void TasksPanel::updateButtons()
{
    const auto* task = board_.task(selectedTask());
    stack_->setCurrentIndex(board_.tasks().empty() ? 0 : 1);
    stop_->setEnabled(task != nullptr && task->phase == Task::Phase::Running);
    undo_->setEnabled(task != nullptr && !task->running() && actions_.steps().canUndo(task->id) &&
                      actions_.mayRunStep());
    const bool endedWithFailures = task != nullptr && !task->running() && !task->failures.empty();
    retry_->setText(task != nullptr && task->remainder ? tr("Do the &Rest") : tr("&Retry Failed"));
    retry_->setEnabled(task != nullptr && board_.canRepeat(*task) && actions_.mayWrite());
    export_->setEnabled(endedWithFailures);
    clear_->setEnabled(static_cast<int>(board_.tasks().size()) > board_.runningCount());
}

void TasksPanel::showFailures()
{
    const auto* task = board_.task(selectedTask());
    const auto count = task == nullptr ? 0 : std::min(task->failures.size(), kMaxFailureRows);
    failures_->setVisible(count > 0);
    failures_->setRowCount(static_cast<int>(count));
    for (std::size_t at = 0; at < count; ++at) {
        const auto& [id, error] = task->failures[at];
        const QString texts[] = {QString::fromStdString(id),
                                 QString::fromLatin1(name(error.code).data()),
                                 QString::fromStdString(error.message)};
        for (int column = 0; column < 3; ++column) {
            failures_->setItem(static_cast<int>(at), column, new QTableWidgetItem(texts[column]));
        }
    }
}

void TasksPanel::writeFailures(const Task& task,
                               const QString& file,
                               QObject* receiver,
                               FileWriter::Completed completed)
{
    std::string text = "id,code,message\r\n";
    for (const auto& [id, error] : task.failures) {
        text +=
            csvCell(id) + "," + csvCell(name(error.code)) + "," + csvCell(error.message) + "\r\n";
    }
    writeFile(file, std::move(text), receiver, std::move(completed));
}

void TasksPanel::showProblem(const QString& problem)
{
    auto* box = new QMessageBox(QMessageBox::Warning, tr("Export Failures"), problem,
                                QMessageBox::Ok, this);
    box->setObjectName(QStringLiteral("cannotWrite"));
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

void TasksPanel::exportFailures()
{
    auto* dialog = new QFileDialog(this, tr("Export Failures"));
    dialog->setObjectName(QStringLiteral("exportFailuresDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilter(tr("CSV (*.csv)"));
    dialog->setDefaultSuffix(QStringLiteral("csv"));
    dialog->selectFile(QStringLiteral("failures.csv"));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, id = selectedTask()](const QString& file) {
                if (const auto* task = board_.task(id)) {
                    writeFailures(*task, file, this, [this](const QString& problem) {
                        if (!problem.isEmpty()) {
                            showProblem(problem);
                        }
                    });
                }
            });
    dialog->open();
}

void TasksPanel::retranslate()
{
    emptyLabel_->setText(tr("No tasks yet: what you do to many jobs shows its progress here."));
    stop_->setText(tr("&Stop"));
    undo_->setText(tr("&Undo"));
    export_->setText(tr("&Export Failures…"));
    clear_->setText(tr("&Clear Ended"));
    table_->setAccessibleName(tr("Tasks"));
    failures_->setAccessibleName(tr("Failures of the selected task"));
    failures_->setHorizontalHeaderLabels({tr("Job"), tr("Error"), tr("What went wrong")});
    showFailures();
    updateButtons();
}

void TasksPanel::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
    QWidget::changeEvent(event);
}

}  // namespace restante::gui
