#include "gui/pages/detail/history_tab.h"

#include "core/base/timestamp.h"
#include "gui/base/csv_text.h"
#include "gui/base/file_writer.h"
#include "gui/operations/reason_text.h"
#include "gui/pages/detail/detail_text.h"
#include "gui/pages/detail/job_watch.h"
#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include <array>

namespace restante::gui {

namespace {

QString stateText(const std::string& word)
{
    const auto state = jobStateNamed(word);
    if (word == "cold") {  // docs/journal.md
        return QCoreApplication::translate("DetailText", "In the journal");
    }
    return state ? Theme::stateName(*state) : textOf(word);
}

/// For files: times in RFC 3339, transitions and states as the store names them.
QByteArray historyAsCsv(const std::string& id, const std::vector<HistoryRow>& rows)
{
    std::string file = "id,at,transition,from,to,actor,reason,worker,shard,note\r\n";
    for (const auto& row : rows) {
        const std::array cells{id,
                               formatRfc3339(row.at),
                               row.transition,
                               row.from,
                               row.to,
                               row.actor,
                               row.reason,
                               row.worker,
                               std::to_string(row.shard),
                               row.note};
        for (std::size_t at = 0; at < cells.size(); ++at) {
            file += (at == 0 ? "" : ",") + csvCell(cells[at]);
        }
        file += "\r\n";
    }
    return QByteArray::fromStdString(file);
}

QByteArray historyAsJsonLines(const std::string& id, const std::vector<HistoryRow>& rows)
{
    QByteArray file;
    for (const auto& row : rows) {
        const QJsonObject line{{QStringLiteral("id"), textOf(id)},
                               {QStringLiteral("at"), textOf(formatRfc3339(row.at))},
                               {QStringLiteral("transition"), textOf(row.transition)},
                               {QStringLiteral("from"), textOf(row.from)},
                               {QStringLiteral("to"), textOf(row.to)},
                               {QStringLiteral("actor"), textOf(row.actor)},
                               {QStringLiteral("reason"), textOf(row.reason)},
                               {QStringLiteral("worker"), textOf(row.worker)},
                               {QStringLiteral("shard"), static_cast<int>(row.shard)},
                               {QStringLiteral("note"), textOf(row.note)}};
        file += QJsonDocument(line).toJson(QJsonDocument::Compact) + '\n';
    }
    return file;
}

}  // namespace

const std::vector<TableColumn>& HistoryModel::columns() const
{
    static const std::vector<TableColumn> kColumns{
        {QT_TR_NOOP("Time")},   {QT_TR_NOOP("What happened")},
        {QT_TR_NOOP("From")},   {QT_TR_NOOP("To")},
        {QT_TR_NOOP("By")},     {QT_TR_NOOP("Reason")},
        {QT_TR_NOOP("Worker")}, {QT_TR_NOOP("What it told")}};
    return kColumns;
}

QString HistoryModel::text(const HistoryRow& row, int column) const
{
    switch (column) {
    case Time: return formatTime_(row.at);
    case Transition: return transitionName(row.transition);
    case From: return stateText(row.from);
    case To: return row.to.empty() && row.toIsKnown ? tr("(gone)") : stateText(row.to);
    case By: return textOf(row.actor);
    case Reason: return reasonText(textOf(row.reason));
    case Worker: return textOf(row.worker);
    case Note: return textOf(row.note).trimmed().replace(u'\n', QStringLiteral(" · "));
    default: return {};
    }
}

QVariant HistoryModel::attribute(const HistoryRow& row, int column, int role) const
{
    if (column == Note && role == Qt::ToolTipRole) {
        return textOf(row.note);
    }
    const auto state = column == From ? jobStateNamed(row.from)
                       : column == To ? jobStateNamed(row.to)
                                      : std::nullopt;
    return state
               ? iconOrForeground(Theme::style(*state).icon, Theme::style(*state).foreground, role)
               : QVariant();
}

HistoryTab::HistoryTab(Context context, JobWatch& watch, QWidget* parent)
    : DetailTab(context, watch, parent),
      statusLabel_(wrappedLabel(this, "historyStatus")),
      exportButton_(
          barButton(this, "document-save-as", Qt::ToolButtonTextBesideIcon, "exportHistory")),
      table_(makeWidget<DetailTable>("historyTable", this)),
      model_(new HistoryModel(this))
{
    firstFocus_ = table_;
    connect(exportButton_, &QToolButton::clicked, this, &HistoryTab::askWhereToExport);
    table_->setModel(model_);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(6, 4, 6, 4);
    bar->addWidget(statusLabel_, 1);
    bar->addWidget(exportButton_);
    auto* column = tightVBoxLayout(this);
    column->addLayout(bar);
    column->addWidget(table_, 1);
    retranslate();
}

void HistoryTab::retranslate()
{
    exportButton_->setText(tr("Export…"));
    exportButton_->setToolTip(tr("Write the history to a file"));
    table_->setAccessibleName(tr("History of the job"));
}

void HistoryTab::refresh()
{
    const TimeText times(context_.preferences);
    const auto formatTime = [times](TimePoint at) { return times.exact(at); };
    const auto& history = watch_.history();
    const bool wasEmpty = model_->rowCount() == 0;
    table_->keepSelectionAndScroll(
        [&] { model_->setContent(history.value_or(std::vector<HistoryRow>{}), formatTime); });
    if (wasEmpty && model_->rowCount() > 0) {
        table_->fitColumns(45);
    }
    exportButton_->setEnabled(model_->rowCount() > 0);
    if (!watch_.historyProblem().isEmpty()) {
        statusLabel_->setText(history ? tr("Not up to date: %1").arg(watch_.historyProblem())
                                      : tr("There is no history: %1").arg(watch_.historyProblem()));
    } else if (!history) {
        statusLabel_->setText(tr("Asking the journal…"));
    } else if (history->empty()) {
        statusLabel_->setText(tr("The journal has no history of this job."));
    } else {
        statusLabel_->setText(tr("%n transition(s), oldest first", "", model_->rowCount()));
    }
}

void HistoryTab::askWhereToExport()
{
    const auto jsonLinesFilter = tr("JSON Lines (*.jsonl)");
    auto* dialog = fileDialog({.name = "exportHistoryDialog",
                               .title = tr("Export History"),
                               .filter = tr("CSV (*.csv)") + QStringLiteral(";;") + jsonLinesFilter,
                               .acceptMode = QFileDialog::AcceptSave,
                               .defaultSuffix = QStringLiteral("csv")},
                              this, [this](const QString& path) { exportTo(path); });
    connect(dialog, &QFileDialog::filterSelected, dialog,
            [dialog, jsonLinesFilter](const QString& chosen) {
                dialog->setDefaultSuffix(chosen == jsonLinesFilter ? QStringLiteral("jsonl")
                                                                   : QStringLiteral("csv"));
            });
    dialog->open();
}

void HistoryTab::exportTo(const QString& path)
{
    const auto& id = watch_.id();
    const auto content = path.endsWith(QStringLiteral(".jsonl"))
                             ? historyAsJsonLines(id, model_->rows())
                             : historyAsCsv(id, model_->rows());
    writeFile(path, content.toStdString(), this, [this, path](const QString& problem) {
        statusLabel_->setText(problem.isEmpty() ? tr("Saved as %1").arg(path) : problem);
    });
}

}  // namespace restante::gui
