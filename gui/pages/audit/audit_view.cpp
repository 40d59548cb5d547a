#include "gui/pages/audit/audit_view.h"

#include "core/job/job_filter.h"
#include "gui/pages/audit/audit_export.h"
#include "gui/pages/audit/audit_filter.h"
#include "gui/session/session.h"
#include "gui/theme/blank_pane.h"
#include "gui/theme/icons.h"
#include "gui/theme/notice_bar.h"
#include "gui/theme/table_look.h"
#include "gui/theme/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QShortcut>
#include <QTableView>

#include <array>
#include <utility>

namespace restante::gui {

namespace {

bool isAboutATopic(const QString& verb)
{
    return verb == QLatin1String("pause") || verb == QLatin1String("resume") ||
           verb == QLatin1String("limit");
}

bool isAboutAPerson(const QString& verb)
{
    return verb == QLatin1String("trace") || verb == QLatin1String("untrace");
}

}  // namespace

AuditView::AuditView(Context context, QWidget* parent)
    : StorePage(context, parent),
      model_(context.preferences)
{
    setObjectName(QStringLiteral("auditPage"));
    build();
    connectAll();
    retranslate();
}

void AuditView::build()
{
    auto* rows = new QVBoxLayout;
    auto* bar = new QHBoxLayout;
    filter_ = new AuditFilter(context_.preferences, this);
    export_ = new QPushButton(icon(QStringLiteral("document-save-as")), {}, this);
    export_->setObjectName(QStringLiteral("auditExport"));
    source_ = new QLabel(this);
    source_->setObjectName(QStringLiteral("auditSource"));
    source_->setTextFormat(Qt::PlainText);
    source_->setWordWrap(true);
    bar->addWidget(filter_, 1);
    bar->addSpacing(12);
    bar->addWidget(export_);
    rows->addLayout(bar);
    rows->addWidget(source_);
    buildTable();
    lay(QStringLiteral("auditNotice"), rows, table_);
}

void AuditView::buildTable()
{
    table_ = new QTableView(this);
    table_->setObjectName(QStringLiteral("auditTable"));
    table_->setModel(&model_);
    dress(*table_);
    auto* header = table_->horizontalHeader();
    const auto letter = fontMetrics().averageCharWidth();
    const std::array<int, AuditModel::ColumnCount_> widths{24, 24, 20, 46, 18, 18, 40};
    for (int at = 0; at < AuditModel::ColumnCount_; ++at) {
        header->resizeSection(at, widths[static_cast<std::size_t>(at)] * letter);
    }
    header->setStretchLastSection(true);
    rememberHeader(*header, context_.preferences, QStringLiteral("audit/header"));
}

void AuditView::connectAll()
{
    connect(filter_, &AuditFilter::changed, this, &AuditView::begin);
    connect(export_, &QPushButton::clicked, this, [this] {
        if (running_ != nullptr) {
            running_->stop();
        } else {
            askForFile();
        }
    });
    connect(blank_, &BlankPane::pressed, filter_, &AuditFilter::clear);
    connect(table_, &QTableView::activated, this, &AuditView::openObject);
    connect(table_->verticalScrollBar(), &QScrollBar::valueChanged, this, [this](int value) {
        const auto* bar = table_->verticalScrollBar();
        if (value + bar->pageStep() >= bar->maximum()) {
            more();
        }
    });
    auto* copies = new QShortcut(QKeySequence(Qt::CTRL | Qt::Key_C), table_);
    copies->setContext(Qt::WidgetShortcut);
    connect(copies, &QShortcut::activated, this, &AuditView::copy);
}

void AuditView::clear()
{
    model_.clear();
    loaded_ = false;
    failed_ = false;
}

void AuditView::forget()
{
    if (session_ != nullptr && asked_ != 0) {
        session_->source().cancel(asked_);
    }
    delete running_;
    asked_ = 0;
    cursor_.clear();
}

AuditRequest AuditView::request() const
{
    return filter_->request(session_->source().now());
}

void AuditView::ask(const AuditRequest& request, std::function<void(AuditPage)> use)
{
    asked_ = session_->source().audit(request,
                                      {this, [this, use = std::move(use)](Result<AuditPage> page) {
                                           asked_ = 0;
                                           if (!page) {
                                               fail(page.error());
                                               return;
                                           }
                                           notice_->clear();
                                           use(std::move(*page));
                                           tellState();
                                       }});
}

void AuditView::begin()
{
    if (!isReady()) {
        return;
    }
    if (asked_ != 0) {
        session_->source().cancel(asked_);
    }
    ask(request(), [this](AuditPage page) {
        loaded_ = true;
        failed_ = false;
        model_.clear();
        cursor_ = page.cursor;
        model_.append(std::move(page.rows), session_->source().now());
    });
}

void AuditView::more()
{
    if (session_ == nullptr || asked_ != 0 || cursor_.empty()) {
        return;
    }
    auto next = request();
    next.cursor = cursor_;
    ask(next, [this](AuditPage page) {
        cursor_ = page.cursor;
        model_.append(std::move(page.rows), session_->source().now());
    });
}

void AuditView::refresh()
{
    if (!loaded_) {
        begin();
        return;
    }
    if (session_ == nullptr || asked_ != 0 || !isVisible()) {
        return;
    }
    ask(request(), [this](AuditPage page) {
        if (!model_.renew(std::move(page.rows), session_->source().now())) {
            cursor_ = page.cursor;
        }
    });
}

void AuditView::fail(const Error& error)
{
    failed_ = true;
    const auto why = QString::fromStdString(error.message);
    notice_->tell(Theme::Meaning::Bad, tr("The audit could not be read: %1").arg(why), why);
    tellState();
}

QWidget* AuditView::firstFocus()
{
    return isTableShown() ? static_cast<QWidget*>(table_) : filter_->firstFocus();
}

void AuditView::openObject()
{
    const auto current = table_->currentIndex();
    if (!current.isValid()) {
        return;
    }
    const auto& row = model_.row(current.row());
    if (isAboutATopic(row.verb)) {
        emit filterWanted(QString::fromStdString(filterFor("topic", row.object.toStdString())));
    } else if (isAboutAPerson(row.verb)) {
        emit filterWanted(QString::fromStdString(filterFor("to", row.object.toStdString())));
    } else if (!row.object.isEmpty()) {
        emit jobWanted(row.object.toStdString());
    }
}

void AuditView::copy()
{
    QApplication::clipboard()->setText(copiedRows(*table_));
}

void AuditView::askForFile()
{
    auto* dialog = new QFileDialog(this, tr("Export the Audit"), QStringLiteral("audit.csv"),
                                   tr("Comma-separated values (*.csv)"));
    dialog->setObjectName(QStringLiteral("auditExportDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("csv"));
    connect(dialog, &QFileDialog::fileSelected, this, &AuditView::exportTo);
    dialog->open();
}

void AuditView::exportTo(const QString& file)
{
    if (session_ == nullptr || running_ != nullptr) {
        return;
    }
    running_ = new AuditExport(session_->source(), request(), file, this);
    connect(running_, &AuditExport::moved, this, [this](quint64 rows) {
        notice_->tell(Theme::Meaning::Notice,
                      tr("Exporting: %n row(s) so far", "", static_cast<int>(rows)));
    });
    connect(running_, &AuditExport::finished, this, [this, file](const QString& problem) {
        const auto rows = static_cast<int>(running_->rows());
        running_->deleteLater();
        running_ = nullptr;
        if (problem.isEmpty()) {
            notice_->tell(Theme::Meaning::Good, tr("%n row(s) written to %1", "", rows).arg(file));
        } else {
            notice_->tell(Theme::Meaning::Bad,
                          tr("%1 has not been written: %2").arg(file, problem));
        }
        retranslate();
    });
    running_->start();
    retranslate();
}

void AuditView::tellState()
{
    showTable(model_.rowCount() != 0);
    tellSource();
    export_->setEnabled(running_ != nullptr || model_.rowCount() != 0);
    if (session_ == nullptr) {
        blank_->say({QStringLiteral("network-server"),
                     tr("Not connected"),
                     tr("Open a connection to see who changed what."),
                     {}});
    } else if (!loaded_) {
        blank_->say({QStringLiteral("document-history"),
                     failed_ ? tr("No audit") : tr("Loading…"),
                     failed_ ? QString() : session_->link().step,
                     {}});
    } else if (filter_->restricts()) {
        blank_->say({QStringLiteral("edit-find"),
                     tr("Nothing found"),
                     tr("Nobody has done that, as far as is known."),
                     {tr("Show Everything")}});
    } else {
        blank_->say({QStringLiteral("document-history"),
                     tr("Nothing has been changed yet"),
                     tr("Everything that people do to jobs and topics is listed here."),
                     {}});
    }
    if (session_ == nullptr) {
        emit told({});
    } else if (cursor_.empty()) {
        emit told(tr("%n write(s)", "", model_.rowCount()));
    } else {
        emit told(tr("The newest %n write(s); scroll down for more", "", model_.rowCount()));
    }
}

void AuditView::retranslate()
{
    filter_->retranslate();
    export_->setText(running_ != nullptr ? tr("Stop") : tr("Export…"));
    export_->setToolTip(tr("Write all that the filter finds to a file"));
    table_->setAccessibleName(tr("Writes of people"));
    model_.retranslate();
    tellState();
}

/// Without a journal the page shows less, and says so.
void AuditView::tellSource()
{
    const auto problem = session_ == nullptr ? QString() : session_->link().journalProblem;
    source_->setVisible(!problem.isEmpty());
    source_->setText(tr("%1 Listed is what the store's own events still know: the newest writes. "
                        "For everything, name the journal's URL in the connection (File, Open "
                        "Connection).")
                         .arg(problem));
}

}  // namespace restante::gui
