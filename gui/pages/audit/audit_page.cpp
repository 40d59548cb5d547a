#include "gui/pages/audit/audit_page.h"

#include "core/job/job_filter.h"
#include "gui/pages/audit/audit_export.h"
#include "gui/pages/audit/audit_filter.h"
#include "gui/pages/page_parts.h"
#include "gui/session/store_session.h"
#include "gui/theme/empty_pane.h"
#include "gui/theme/icons.h"
#include "gui/theme/message_bar.h"
#include "gui/theme/table_style.h"
#include "gui/theme/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QShortcut>
#include <QTableView>
#include <QTimer>

#include <algorithm>
#include <map>
#include <utility>

namespace restante::gui {

namespace {

/// So much before the newest known write a refresh begins, for those that were recorded late: a
/// journal writes one shard after the other, and later than usual after its database was away.
constexpr Millis kJournalLag{5 * 60'000};
/// The same without a journal: an event is late by no more than its way to the store.
constexpr Millis kEventLag{5'000};
/// As many rows as a refresh that somebody wants looks at for those that were recorded later yet.
constexpr std::uint32_t kMaxRowsForLateWrites = 1'000;

/// The filter's field for the object of a write of this verb; empty if the object is a job.
std::string filterFieldOf(const QString& verb)
{
    static const std::map<QString, std::string> kFields{{QStringLiteral("pause"), "topic"},
                                                        {QStringLiteral("resume"), "topic"},
                                                        {QStringLiteral("limit"), "topic"},
                                                        {QStringLiteral("trace"), "to"},
                                                        {QStringLiteral("untrace"), "to"}};
    const auto found = kFields.find(verb);
    return found == kFields.end() ? std::string{} : found->second;
}

}  // namespace

AuditPage::AuditPage(Context context, QWidget* parent)
    : StorePage(context, parent),
      model_(context.preferences)
{
    setObjectName(QStringLiteral("auditPage"));
    build();
    connectAll();
    retranslate();
}

void AuditPage::build()
{
    auto* rows = new QVBoxLayout;
    auto* bar = new QHBoxLayout;
    filter_ = new AuditFilter(context_.preferences, this);
    exportButton_ = makeWidget<QPushButton>("auditExport", icon(QStringLiteral("document-save-as")),
                                            QString(), this);
    sourceLabel_ = wrappedLabel(this, "auditSource");
    bar->addWidget(filter_, 1);
    bar->addSpacing(12);
    bar->addWidget(exportButton_);
    rows->addLayout(bar);
    rows->addWidget(sourceLabel_);
    table_ = makeWidget<QTableView>("auditTable", this);
    table_->setModel(&model_);
    applyTableStyle(*table_);
    resizeColumns(*table_, {22, 100, 30});
    table_->horizontalHeader()->setStretchLastSection(false);
    table_->horizontalHeader()->setSectionResizeMode(AuditModel::What, QHeaderView::Stretch);
    rememberHeader(*table_->horizontalHeader(), context_.preferences,
                   QStringLiteral("audit/columns"));
    setupLayout("auditNotice", rows, table_);
}

void AuditPage::connectAll()
{
    connect(filter_, &AuditFilter::changed, this, &AuditPage::applyFilter);
    connect(exportButton_, &QPushButton::clicked, this, [this] {
        if (runningExport_ != nullptr) {
            runningExport_->stop();
        } else {
            askForFile();
        }
    });
    connect(emptyPane_, &EmptyPane::pressed, filter_, &AuditFilter::clear);
    connect(table_, &QTableView::activated, this, &AuditPage::openObject);
    connect(table_->verticalScrollBar(), &QScrollBar::valueChanged, this, [this](int value) {
        const auto* bar = table_->verticalScrollBar();
        if (value + bar->pageStep() >= bar->maximum()) {
            loadMore();
        }
    });
    auto* copyShortcut = new QShortcut(QKeySequence(Qt::CTRL | Qt::Key_C), table_);
    copyShortcut->setContext(Qt::WidgetShortcut);
    connect(copyShortcut, &QShortcut::activated, this,
            [this] { QApplication::clipboard()->setText(selectedRowsText(*table_)); });
}

void AuditPage::clear()
{
    model_.clear();
    loaded_ = false;
    failed_ = false;
    isReadErrorShown_ = false;
    refreshPauseMs_ = 0;
    if (session_ != nullptr) {
        connect(&session_->commands(), &JobCommands::written, this,
                [this] { wasWrittenSinceRefresh_ = true; });
        connect(&session_->backend(), &Backend::linkChanged, this, [this] {
            if (!isReady()) {
                refreshPauseMs_ = 0;  // how slow the store will be then is not known
            }
        });
    }
}

void AuditPage::refreshNow()
{
    refreshPauseMs_ = 0;
    readsAllLateWrites_ = true;
    if (session_ != nullptr && requestId_ != 0 && !readsNewest_) {
        // Older writes can wait: the cursor says where to go on.
        session_->source().cancel(std::exchange(requestId_, 0));
        wantsOlder_ = true;
    }
    refresh();
}

void AuditPage::showEvent(QShowEvent* event)
{
    StorePage::showEvent(event);
    fillScreen();  // which has ended where the page was hidden
}

void AuditPage::cancelRequests()
{
    if (session_ != nullptr && requestId_ != 0) {
        session_->source().cancel(requestId_);
    }
    delete runningExport_;
    requestId_ = 0;
    wantsOlder_ = false;
    readOn_ = nullptr;
    cursor_.clear();
}

AuditRequest AuditPage::request() const
{
    return filter_->request(session_->source().now());
}

void AuditPage::requestPage(const AuditRequest& request, std::function<void(AuditBatch)> handlePage)
{
    readOn_ = nullptr;
    requestId_ = session_->source().audit(
        request,
        {this, [this, request, handlePage = std::move(handlePage)](Result<AuditBatch> page) {
             requestId_ = 0;
             if (!page) {
                 if (readsNewest_) {
                     pauseAfterReading();
                 }
                 showError(page.error());
                 return;
             }
             failed_ = false;
             // What became of an export stays.
             if (std::exchange(isReadErrorShown_, false)) {
                 notice_->clear();
             }
             if (page->rows.empty() && !page->cursor.empty()) {
                 // Programs wrote all that was read: what people did is further back.
                 readsFarBack_ = true;
                 readFurther(request, page->cursor, handlePage);
                 return;
             }
             handlePage(std::move(*page));
             updateDisplay();
         }});
}

/// Nobody sees a hidden page, which may have millions of writes to read through: it goes on where
/// it was once it is shown.
void AuditPage::readFurther(AuditRequest request,
                            const std::string& cursor,
                            std::function<void(AuditBatch)> handlePage)
{
    request.cursor = cursor;
    if (!readsNewest_) {
        cursor_ = cursor;
        wantsOlder_ = !isVisible();
    }
    if (isVisible()) {
        requestPage(request, std::move(handlePage));
    } else if (readsNewest_) {
        readOn_ = [this, request = std::move(request), handlePage = std::move(handlePage)] {
            requestPage(request, handlePage);
        };
    }
}

void AuditPage::applyFilter()
{
    failed_ = false;
    isReadErrorShown_ = false;
    if (runningExport_ == nullptr) {
        notice_->clear();
    }
    load();
    if (!isReady()) {
        model_.clear();  // its rows are those of another filter
        cursor_.clear();
    }
    updateDisplay();
}

void AuditPage::load()
{
    loaded_ = false;  // nothing is known of what the filter now finds
    wantsOlder_ = false;
    readOn_ = nullptr;
    if (session_ != nullptr && requestId_ != 0) {
        session_->source().cancel(std::exchange(requestId_, 0));
    }
    if (!isReady()) {
        return;
    }
    beginReading();
    readsAllLateWrites_ = false;
    requestPage(request(), [this](AuditBatch page) {
        pauseAfterReading();
        loaded_ = true;
        model_.clear();
        cursor_ = page.cursor;
        model_.append(std::move(page.rows), session_->source().now());
        fillScreen();
    });
}

void AuditPage::loadMore(std::uint32_t pageSize)
{
    // While a filter's first page is read, the cursor is still that of another one.
    if (session_ == nullptr || requestId_ != 0 || !loaded_ || cursor_.empty() || !isVisible()) {
        return;
    }
    readsNewest_ = false;
    wantsOlder_ = false;
    auto next = request();
    next.cursor = cursor_;
    next.limit = pageSize;
    requestPage(next, [this](AuditBatch page) {
        cursor_ = page.cursor;
        model_.append(std::move(page.rows), session_->source().now());
        fillScreen();
    });
}

/// A page may shrink to one line of a bulk request, or have few rows because programs wrote most of
/// what was read. More is loaded then, as a short table cannot be scrolled. So is what a request
/// was to load that did not come to its end.
void AuditPage::fillScreen()
{
    constexpr std::size_t kMaxAutoLoadedWrites = 20'000;
    constexpr std::uint32_t kAutoLoadPageSize = 1'000;
    if (cursor_.empty()) {
        return;
    }
    QTimer::singleShot(0, this, [this] {
        const auto rows = table_->viewport()->height() /
                          std::max(1, table_->verticalHeader()->defaultSectionSize());
        const bool isShort =
            model_.rowCount() <= rows && model_.writeCount() < kMaxAutoLoadedWrites;
        if (isShort || wantsOlder_) {
            loadMore(kAutoLoadPageSize);
        }
    });
}

void AuditPage::refresh()
{
    // One request at a time, for a slow store: one begun anew each time would never be answered.
    if (session_ == nullptr || requestId_ != 0 || !isVisible()) {
        return;
    }
    if (readOn_ && isReady()) {
        sinceRefresh_.start();  // how long nobody saw the page says nothing about the store
        const auto readOn = std::exchange(readOn_, nullptr);
        return readOn();
    }
    if (!loaded_) {
        if (!failed_ || !isRefreshTooSoon()) {
            load();
        }
        return;
    }
    if (isRefreshTooSoon()) {
        return;
    }
    beginReading();
    auto newest = request();
    // What is older than the newest known write is known, too, unless it was recorded late.
    const auto known = model_.newestTime();
    const bool endsAtKnown = known && (!newest.since || *newest.since < *known);
    if (const bool readsAll = std::exchange(readsAllLateWrites_, false); endsAtKnown && readsAll) {
        newest.limit = kMaxRowsForLateWrites;
    } else if (endsAtKnown) {
        const bool hasJournal = session_->link().journalProblem.isEmpty();
        const auto begin = *known - (hasJournal ? kJournalLag : kEventLag);
        newest.since = std::max(newest.since.value_or(begin), begin);
    }
    requestPage(newest, [this, endsAtKnown](AuditBatch page) {
        pauseAfterReading();
        if (endsAtKnown && !model_.isReachedBy(page.rows)) {
            load();  // more than a page is new, or the known writes are kept no longer
            return;
        }
        if (const auto oldest = model_.oldestTime();
            !cursor_.empty() && oldest && model_.isReachedBy(page.rows)) {
            // Those come with the older pages.
            std::erase_if(page.rows, [&oldest](const auto& row) { return row.at < *oldest; });
        }
        if (!model_.mergeNewest(std::move(page.rows), session_->source().now())) {
            cursor_ = page.cursor;
        }
        fillScreen();
    });
}

/// The next request reads from the newest write on.
void AuditPage::beginReading()
{
    wasWrittenSinceRefresh_ = false;
    readsNewest_ = true;
    readsFarBack_ = false;
    sinceRefresh_.start();
}

/// A request that has to read far back for the last write of a person is followed by a pause: the
/// longer it took, the longer.
void AuditPage::pauseAfterReading()
{
    constexpr qint64 kPauseFactor = 20;
    constexpr qint64 kMaxPauseMs = 60'000;
    const auto duration = sinceRefresh_.restart();
    refreshPauseMs_ = readsFarBack_ ? std::min(duration * kPauseFactor, kMaxPauseMs) : 0;
}

bool AuditPage::isRefreshTooSoon() const
{
    return !wasWrittenSinceRefresh_ && sinceRefresh_.isValid() &&
           sinceRefresh_.elapsed() < refreshPauseMs_;
}

void AuditPage::showError(const Error& error)
{
    failed_ = true;
    isReadErrorShown_ = true;
    if (!loaded_) {
        model_.clear();  // its rows are those of another filter
        cursor_.clear();
    }
    const auto message = QString::fromStdString(error.message);
    notice_->showMessage(Theme::Severity::Bad, tr("The audit could not be read: %1").arg(message),
                         message);
    updateDisplay();
}

QWidget* AuditPage::firstFocus()
{
    return isTableShown() ? static_cast<QWidget*>(table_) : filter_->firstFocus();
}

void AuditPage::openObject()
{
    const auto current = table_->currentIndex();
    if (!current.isValid()) {
        return;
    }
    const auto& line = model_.row(current.row());
    const auto& row = line.newest;
    if (line.isBulk()) {
        model_.toggle(current.row());
        updateDisplay();
    } else if (const auto field = filterFieldOf(row.verb); !field.empty()) {
        emit filterRequested(QString::fromStdString(filterFor(field, row.object.toStdString())));
    } else if (!row.object.isEmpty()) {
        emit jobRequested(row.object.toStdString());
    }
}

void AuditPage::askForFile()
{
    fileDialog({.name = "auditExportDialog",
                .title = tr("Export the Audit"),
                .initialPath = QStringLiteral("audit.csv"),
                .filter = tr("Comma-separated values (*.csv)"),
                .acceptMode = QFileDialog::AcceptSave,
                .defaultSuffix = QStringLiteral("csv")},
               this, [this](const QString& file) { exportTo(file); })
        ->open();
}

void AuditPage::exportTo(const QString& file)
{
    if (session_ == nullptr || runningExport_ != nullptr) {
        return;
    }
    runningExport_ = new AuditExport(session_->source(), request(), file, this);
    connect(runningExport_, &AuditExport::progressed, this, [this](quint64 rows) {
        isReadErrorShown_ = false;
        notice_->showMessage(Theme::Severity::Notice,
                             tr("Exporting: %n row(s) so far", "", static_cast<int>(rows)));
    });
    connect(runningExport_, &AuditExport::finished, this, [this, file](const QString& problem) {
        const auto rows = static_cast<int>(runningExport_->rows());
        runningExport_->deleteLater();
        runningExport_ = nullptr;
        isReadErrorShown_ = false;
        if (problem.isEmpty()) {
            notice_->showMessage(Theme::Severity::Good,
                                 tr("%n row(s) written to %1", "", rows).arg(file));
        } else {
            notice_->showMessage(Theme::Severity::Bad,
                                 tr("%1 has not been written: %2").arg(file, problem));
        }
        retranslate();
    });
    runningExport_->start();
    retranslate();
}

void AuditPage::updateDisplay()
{
    showTable(model_.rowCount() != 0);
    updateSourceLabel();
    exportButton_->setText(runningExport_ != nullptr ? tr("Stop") : tr("Export…"));
    exportButton_->setEnabled(runningExport_ != nullptr || model_.rowCount() != 0);
    if (session_ == nullptr) {
        emptyPane_->setContent({QStringLiteral("network-server"), tr("Not connected"),
                                tr("Open a connection to see who changed what.")});
    } else if (!loaded_) {
        emptyPane_->setContent({QStringLiteral("document-history"),
                                failed_ ? tr("No audit") : tr("Loading…"),
                                failed_ ? QString() : session_->link().step});
    } else if (filter_->isActive()) {
        emptyPane_->setContent({QStringLiteral("edit-find"),
                                tr("Nothing found"),
                                tr("Nobody has done that, as far as is known."),
                                {tr("Show Everything")}});
    } else {
        emptyPane_->setContent(
            {QStringLiteral("document-history"), tr("Nothing has been changed yet"),
             tr("Everything that people do to jobs and topics is listed here.")});
    }
    if (session_ == nullptr) {
        emit statusTextChanged({});
    } else if (cursor_.empty()) {
        emit statusTextChanged(tr("%n write(s)", "", static_cast<int>(model_.writeCount())));
    } else {
        emit statusTextChanged(tr("The newest %n write(s); scroll down for more", "",
                                  static_cast<int>(model_.writeCount())));
    }
}

void AuditPage::retranslate()
{
    filter_->retranslate();
    exportButton_->setToolTip(tr("Write all that the filter finds to a file"));
    table_->setAccessibleName(tr("Writes of people"));
    model_.retranslate();
    updateDisplay();
}

/// Says that without a journal the page is incomplete.
void AuditPage::updateSourceLabel()
{
    const auto problem = session_ == nullptr ? QString() : session_->link().journalProblem;
    sourceLabel_->setVisible(!problem.isEmpty());
    sourceLabel_->setText(
        tr("%1 Listed is what the store's own events still know: the newest writes. "
           "For everything, name the journal's URL in the connection (File, Open "
           "Connection).")
            .arg(problem));
}

}  // namespace restante::gui
