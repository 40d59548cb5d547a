#include "gui/pages/dialogs/import_dialog.h"

#include "gui/operations/verb_texts.h"

#include <QCheckBox>
#include <QFileInfo>
#include <QHeaderView>
#include <QProgressBar>
#include <QTableWidget>

namespace restante::gui {

ImportDialog::ImportDialog(Importer* importer, const QString& file, QWidget* parent)
    : FormDialog("importDialog", parent),
      importer_(importer),
      file_(file)
{
    heading_ = newHeading(this);
    summary_ = newSelectableText(this, "summary");
    progressBar_ = new QProgressBar(this);
    progressBar_->setRange(0, 0);
    progressBar_->setTextVisible(false);
    problems_ = newReadOnlyTable(this, "problems", 2);
    problems_->setSelectionBehavior(QAbstractItemView::SelectRows);
    problems_->horizontalHeader()->setStretchLastSection(true);
    constexpr int kShown = 8;
    problems_->setMinimumHeight(problems_->verticalHeader()->defaultSectionSize() * kShown);
    problems_->hide();
    replace_ = makeWidget<QCheckBox>("replace", this);
    makeButtons(DefaultButton::Accept, 80);
    column_->addWidget(heading_);
    column_->addWidget(summary_);
    column_->addWidget(progressBar_);
    column_->addWidget(notice_);
    column_->addWidget(problems_, 1);
    column_->addWidget(replace_);
    column_->addStretch(0);
    column_->addWidget(buttons_);
    connect(accept_, &QPushButton::clicked, this, [this] {
        hasStarted_ = true;
        const auto existing =
            replace_->isChecked() ? Importer::Existing::Replace : Importer::Existing::Keep;
        accept();
        if (importer_ != nullptr) {
            importer_->start(existing);
        }
    });
    retranslate();
    connect(importer_, &Importer::progress, this, [this](quint64 jobs) {
        if (!check_) {
            summary_->setText(tr("Checking: %1 so far").arg(jobsText(jobs)));
        }
    });
    connect(importer_, &Importer::checked, this, [this](const Importer::Check& check) {
        check_ = check;
        showCheck();
    });
    importer_->check();
}

ImportDialog::~ImportDialog()
{
    if (!hasStarted_) {
        delete importer_;
    }
}

void ImportDialog::showCheck()
{
    progressBar_->setVisible(!check_);
    replace_->setVisible(!check_ || check_->isValid());
    accept_->setEnabled(check_ && check_->isValid() && check_->jobs + check_->nonJobLines > 0);
    accept_->setText(tr("&Import %1").arg(check_ ? jobsText(check_->jobs) : jobsText(0)));
    if (!check_) {
        return;
    }
    auto text = check_->isValid() ? tr("%1 can be stored.").arg(jobsText(check_->jobs))
                : check_->wrongLines > 0
                    ? tr("Besides the wrong lines it has %1.").arg(jobsText(check_->jobs))
                    : QString();  // it cannot be read
    if (check_->doneJobs > 0) {
        text += u' ' + tr("%1 are done already and are left out.").arg(jobsText(check_->doneJobs));
    }
    if (check_->nonJobLines > 0) {
        text +=
            u' ' +
            tr("Lines with pauses, limits or once keys: %1.").arg(numberText(check_->nonJobLines));
    }
    summary_->setText(text.trimmed());
    if (!check_->readProblem.isEmpty()) {
        notice_->showMessage(check_->readProblem, Theme::Severity::Bad);
    } else if (check_->wrongLines > 0) {
        notice_->showMessage(tr("%Ln line(s) are wrong, so nothing is stored. Mend the file first.",
                                "", static_cast<int>(check_->wrongLines)),
                             Theme::Severity::Bad);
    } else {
        notice_->clearText();
    }
    problems_->setVisible(!check_->problems.empty());
    problems_->setRowCount(static_cast<int>(check_->problems.size()));
    for (std::size_t at = 0; at < check_->problems.size(); ++at) {
        const auto row = static_cast<int>(at);
        problems_->setItem(row, 0, new QTableWidgetItem(numberText(check_->problems[at].first)));
        problems_->setItem(
            row, 1, new QTableWidgetItem(QString::fromStdString(check_->problems[at].second)));
    }
}

void ImportDialog::retranslate()
{
    setWindowTitle(tr("Import"));
    heading_->setText(tr("Import %1").arg(QFileInfo(file_).fileName()));
    summary_->setText(tr("Checking…"));
    progressBar_->setAccessibleName(tr("Checking"));
    problems_->setAccessibleName(tr("Wrong lines"));
    problems_->setHorizontalHeaderLabels({tr("Line"), tr("What is wrong")});
    replace_->setText(tr("&Replace jobs of the same ids that differ"));
    showCheck();
}

}  // namespace restante::gui
