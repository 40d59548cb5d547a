#include "gui/base/preferences.h"
#include "gui/commands/job_actions.h"
#include "gui/orders/exporter.h"
#include "gui/orders/importer.h"
#include "gui/pages/dialogs/export_dialog.h"
#include "gui/pages/dialogs/import_dialog.h"
#include "gui/session/session.h"

#include <QFileDialog>

namespace restante::gui {

// The part of JobActions that writes and reads files.

void JobActions::exportJobs()
{
    const auto* from = owner();
    if (session_ == nullptr || from == nullptr) {
        return;
    }
    Selection shown;
    shown.all = true;
    shown.view = from->shownView();
    shown.exact = false;
    auto* dialog = new ExportDialog(context_.preferences, from->selected(), shown, window_);
    connect(dialog, &ExportDialog::wanted, this, &JobActions::exportTo);
    showDialog(dialog);
}

void JobActions::exportTo(const Selection& what, const QString& file, const ExportOptions& options)
{
    if (session_ != nullptr) {
        auto* exporter = new Exporter(*session_, board_, what, file, options, this);
        works_.emplace_back(exporter);
        exporter->start();
    }
}

void JobActions::importJobs()
{
    if (session_ == nullptr) {
        return;
    }
    auto* dialog = new QFileDialog(window_, tr("Import Jobs"));
    dialog->setObjectName(QStringLiteral("importFileDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("JSON Lines (*.jsonl *.json *.ndjson)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, &JobActions::importFrom);
    showDialog(dialog);
}

void JobActions::importFrom(const QString& file)
{
    if (session_ != nullptr) {
        auto* importer = new Importer(*session_, board_, file, this);
        works_.emplace_back(importer);
        showDialog(new ImportDialog(importer, file, window_));
    }
}

}  // namespace restante::gui
