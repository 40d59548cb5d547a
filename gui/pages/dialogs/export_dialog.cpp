#include "gui/pages/dialogs/export_dialog.h"

#include "gui/base/preferences.h"
#include "gui/operations/verb_texts.h"

#include <QCheckBox>
#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QRadioButton>

namespace restante::gui {

namespace {

QString suffixOf(ExportFormat format)
{
    switch (format) {
    case ExportFormat::Csv: return QStringLiteral("csv");
    case ExportFormat::JsonLines: return QStringLiteral("jsonl");
    case ExportFormat::Sip: return QStringLiteral("sip");
    }
    return {};
}

const QString kFormat = QStringLiteral("export/format");
const QString kOmittedColumns = QStringLiteral("export/columnsLeftOut");
const QString kFolder = QStringLiteral("export/folder");

}  // namespace

ExportDialog::ExportDialog(Preferences& preferences,
                           Selection selection,
                           Selection allShown,
                           QStringList filesInProgress,
                           QWidget* parent)
    : FormDialog("exportDialog", parent),
      preferences_(preferences),
      selection_(std::move(selection)),
      allShown_(std::move(allShown)),
      filesInProgress_(std::move(filesInProgress))
{
    selectionButton_ = makeWidget<QRadioButton>("selected", this);
    allShownButton_ = makeWidget<QRadioButton>("everything", this);
    selectionButton_->setEnabled(!selection_.empty());
    (selection_.empty() ? allShownButton_ : selectionButton_)->setChecked(true);
    jobsTitle_ = new QLabel(this);
    jobsTitle_->setBuddy(selectionButton_);
    jobsTitle_->setAlignment(Qt::AlignLeading | Qt::AlignTop);
    auto* jobs = new QVBoxLayout;
    jobs->addWidget(selectionButton_);
    jobs->addWidget(allShownButton_);
    column_->addLayout(form_ = makeForm());
    form_->addRow(jobsTitle_, jobs);
    format_ = addField<QComboBox>("format");
    format_->addItems(QStringList(3));
    format_->setCurrentIndex(qBound(0, preferences_.value(kFormat, 0).toInt(), 2));
    columns_ = addField<QListWidget>("columns", RowHeight::Lines);
    columns_->setFlow(QListView::TopToBottom);
    columns_->setWrapping(true);
    columns_->setResizeMode(QListView::Adjust);
    constexpr int kRows = 6;
    constexpr int kRowPadding = 6;  // pixels
    columns_->setFixedHeight((fontMetrics().height() + kRowPadding) * kRows);
    auto* options = new QVBoxLayout;
    const auto addOption = [this, options](const char* name) {
        auto* box = makeWidget<QCheckBox>(name, this);
        options->addWidget(box);
        return box;
    };
    redact_ = addOption("redact");
    history_ = addOption("history");
    apostrophe_ = addOption("apostrophe");
    form_->addRow(QString(), options);
    file_ = makeWidget<QLineEdit>("file", this);
    proposeFile(preferences_.value(kFolder, QDir::homePath()).toString());
    fileTitle_ = new QLabel(this);
    fileTitle_->setBuddy(file_);
    browse_ = new QPushButton(this);
    browse_->setAutoDefault(false);
    auto* fileRow = new QHBoxLayout;
    fileRow->addWidget(file_, 1);
    fileRow->addWidget(browse_);
    form_->addRow(fileTitle_, fileRow);
    addButtons(84);
    const auto omitted = preferences_.value(kOmittedColumns).toStringList();
    for (const auto column : allColumns()) {
        auto* item = new QListWidgetItem(QString::fromStdString(columnName(column)), columns_);
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsUserCheckable | Qt::ItemIsSelectable);
        item->setCheckState(omitted.contains(item->text()) ? Qt::Unchecked : Qt::Checked);
    }
    connect(format_, &QComboBox::currentIndexChanged, this, &ExportDialog::handleFormat);
    connect(columns_, &QListWidget::itemChanged, this, &ExportDialog::updateState);
    connect(file_, &QLineEdit::textChanged, this, &ExportDialog::updateState);
    for (auto* choice :
         std::initializer_list<QAbstractButton*>{selectionButton_, redact_, apostrophe_}) {
        connect(choice, &QAbstractButton::toggled, this, &ExportDialog::updateState);
    }
    connect(browse_, &QPushButton::clicked, this, &ExportDialog::browse);
    connect(accept_, &QPushButton::clicked, this, &ExportDialog::requestExport);
    retranslate();
}

ExportOptions ExportDialog::options() const
{
    ExportOptions options;
    options.format = format();
    const auto columns = allColumns();
    for (int row = 0; row < columns_->count(); ++row) {
        if (columns_->item(row)->checkState() == Qt::Checked) {
            options.columns.push_back(columns[static_cast<std::size_t>(row)]);
        }
    }
    if (redact_->isChecked()) {
        options.payload = ExportOptions::Payload::Redacted;
    }
    if (history_->isChecked() && options.format == ExportFormat::JsonLines) {
        options.history = ExportOptions::History::With;
    }
    if (apostrophe_->isChecked()) {
        options.formulas = CsvFormulas::Apostrophe;
    }
    return options;
}

void ExportDialog::updateState()
{
    const bool csv = format() == ExportFormat::Csv;
    columns_->setEnabled(csv);
    label(columns_)->setEnabled(csv);
    apostrophe_->setEnabled(csv);
    history_->setEnabled(format() == ExportFormat::JsonLines);
    const bool hasColumns = !csv || !options().columns.empty();
    accept_->setEnabled(hasColumns && !file_->text().trimmed().isEmpty());
    if (!hasColumns) {
        notice_->showMessage(tr("Choose at least one column."), Theme::Severity::Bad);
    } else if (csv && !apostrophe_->isChecked()) {
        notice_->showMessage(
            tr("Spreadsheets take cells that begin with = + - @ for formulas, and phone "
               "numbers begin with +. They are quoted; an apostrophe before them also keeps "
               "spreadsheets from calculating."),
            Theme::Severity::Notice);
    } else if (format() == ExportFormat::Sip) {
        notice_->showMessage(tr("Only SIP messages are written; other jobs are skipped."),
                             Theme::Severity::Notice);
    } else if (format() == ExportFormat::JsonLines && redact_->isChecked()) {
        notice_->showMessage(tr("Without payloads the file cannot be imported again."),
                             Theme::Severity::Warning);
    } else {
        notice_->clearText();
    }
}

bool ExportDialog::isTaken(const QString& file) const
{
    const QFileInfo info(file);
    return info.exists() || filesInProgress_.contains(info.absoluteFilePath());
}

QString ExportDialog::freeFile(const QString& folder) const
{
    const auto named = [&](const QString& name) {
        return folder + u'/' + name + u'.' + suffixOf(format());
    };
    auto file = named(QStringLiteral("jobs"));
    for (int number = 2; isTaken(file); ++number) {
        file = named(QStringLiteral("jobs-%1").arg(number));
    }
    return file;
}

void ExportDialog::proposeFile(const QString& folder)
{
    proposedFile_ = QDir::toNativeSeparators(freeFile(folder));
    file_->setText(proposedFile_);
}

/// A name that the user has typed keeps its beginning.
void ExportDialog::handleFormat()
{
    const QFileInfo info(QDir::fromNativeSeparators(file_->text()));
    if (file_->text() == proposedFile_) {
        proposeFile(info.path());
    } else {
        file_->setText(QDir::toNativeSeparators(info.path() + u'/' + info.completeBaseName() +
                                                u'.' + suffixOf(format())));
    }
    updateState();
}

void ExportDialog::browse()
{
    auto* dialog = fileDialog({.name = "exportFileDialog",
                               .title = tr("Export To"),
                               .acceptMode = QFileDialog::AcceptSave,
                               .defaultSuffix = suffixOf(format())},
                              this, [this](const QString& file) {
                                  const QFileInfo info(file);
                                  // The file dialog has asked about a file that is there.
                                  confirmedFile_ =
                                      info.exists() ? info.absoluteFilePath() : QString();
                                  file_->setText(QDir::toNativeSeparators(file));
                              });
    dialog->setDirectory(QFileInfo(file_->text()).path());
    dialog->selectFile(QFileInfo(file_->text()).fileName());
    dialog->open();
}

void ExportDialog::askToReplace(const QString& file)
{
    auto* question = makeWidget<QMessageBox>(
        "replaceFileDialog", QMessageBox::Warning, tr("Replace the file?"),
        tr("“%1” is there already, or another export is writing it. Replace it?")
            .arg(QDir::toNativeSeparators(file)),
        QMessageBox::Cancel, this);
    question->setTextFormat(Qt::PlainText);
    question->setAttribute(Qt::WA_DeleteOnClose);
    auto* yes = question->addButton(tr("Replace"), QMessageBox::DestructiveRole);
    question->setDefaultButton(QMessageBox::Cancel);
    connect(yes, &QPushButton::clicked, this, [this, file] {
        confirmedFile_ = file;
        requestExport();
    });
    question->open();
}

void ExportDialog::requestExport()
{
    const auto file = QDir::fromNativeSeparators(file_->text().trimmed());
    const QFileInfo info(file);
    if (info.isDir() || !QFileInfo(info.path()).isDir()) {
        return notice_->showMessage(tr("%1 is no place for a file.").arg(file_->text()),
                                    Theme::Severity::Bad);
    }
    if (isTaken(file) && info.absoluteFilePath() != confirmedFile_) {
        return askToReplace(info.absoluteFilePath());
    }
    QStringList omitted;
    for (int row = 0; row < columns_->count(); ++row) {
        if (columns_->item(row)->checkState() != Qt::Checked) {
            omitted.append(columns_->item(row)->text());
        }
    }
    preferences_.setValue(kFormat, format_->currentIndex());
    preferences_.setValue(kOmittedColumns, omitted);
    preferences_.setValue(kFolder, info.path());
    const auto jobs = selectionButton_->isChecked() ? selection_ : allShown_;
    const auto chosenOptions = options();
    accept();
    emit exportRequested(jobs, info.absoluteFilePath(), chosenOptions);
}

void ExportDialog::retranslate()
{
    setWindowTitle(tr("Export"));
    jobsTitle_->setText(tr("&Jobs:"));
    selectionButton_->setText(selection_.empty()
                                  ? tr("Nothing is selected")
                                  : tr("Selected: %1").arg(jobsText(selection_.count)));
    const auto filter = filterText(allShown_.view);
    allShownButton_->setText(filter.isEmpty()
                                 ? tr("All jobs of the store")
                                 : tr("All that match: %1")
                                       .arg(fontMetrics().elidedText(
                                           QString(filter).replace(u'&', QStringLiteral("&&")),
                                           Qt::ElideRight, fontMetrics().averageCharWidth() * 60)));
    setRowTitle(format_, tr("&Format:"));
    format_->setItemText(0, tr("CSV, for spreadsheets"));
    format_->setItemText(1, tr("JSON Lines, which can be imported again"));
    format_->setItemText(2, tr("SIP messages"));
    setRowTitle(columns_, tr("&Columns:"));
    setAccessibleNameOf(columns_, tr("Columns"));
    redact_->setText(tr("&Leave out the payloads"));
    history_->setText(tr("&Include the history of each job"));
    apostrophe_->setText(tr("Put an &apostrophe before formulas"));
    fileTitle_->setText(tr("File &name:"));
    browse_->setText(tr("&Browse…"));
    accept_->setText(tr("&Export"));
    updateState();
}

}  // namespace restante::gui
