#include "gui/audit/audit_view.h"

#include "core/job/job_filter.h"
#include "gui/app/action_registry.h"
#include "gui/app/preferences.h"
#include "gui/audit/audit_export.h"
#include "gui/session/session.h"
#include "gui/theme/blank_pane.h"
#include "gui/theme/icons.h"
#include "gui/theme/notice_bar.h"
#include "gui/theme/table_look.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QShortcut>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <array>
#include <utility>

namespace restante::gui {

namespace {

/// Long enough that a word can be typed before the store is asked.
constexpr int kTypingMs = 300;
/// Orders and imports tell of each write: the page looks once for many of them.
constexpr int kAfterWritesMs = 250;

bool isAboutATopic(const QString& verb)
{
    return verb == QLatin1String("pause") || verb == QLatin1String("resume") ||
           verb == QLatin1String("limit");
}

}  // namespace

AuditView::AuditView(Context context, QWidget* parent)
    : Page(parent),
      context_(context),
      model_(context.preferences)
{
    setObjectName(QStringLiteral("auditPage"));
    build();
    connectAll();
    retranslate();
}

void AuditView::build()
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    notice_ = new NoticeBar(this);
    notice_->setObjectName(QStringLiteral("auditNotice"));
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(8, 6, 8, 6);
    actor_ = new QLineEdit(this);
    actor_->setObjectName(QStringLiteral("auditActor"));
    actor_->setClearButtonEnabled(true);
    actor_->setMaximumWidth(fontMetrics().averageCharWidth() * 36);
    actor_->addAction(icon(QStringLiteral("edit-find")), QLineEdit::LeadingPosition);
    verb_ = new QComboBox(this);
    verb_->setObjectName(QStringLiteral("auditVerb"));
    verb_->addItem(QString(), QString());
    for (const auto& word : auditVerbs()) {
        verb_->addItem(verbText(word), word);
    }
    export_ = new QPushButton(icon(QStringLiteral("document-save-as")), {}, this);
    bar->addWidget(actor_, 1);
    bar->addWidget(verb_);
    bar->addStretch(1);
    bar->addWidget(export_);
    stack_ = new QStackedWidget(this);
    blank_ = new BlankPane(stack_);
    buildTable();
    stack_->addWidget(blank_);
    stack_->addWidget(table_);
    column->addWidget(notice_);
    column->addLayout(bar);
    column->addWidget(stack_, 1);
}

void AuditView::buildTable()
{
    table_ = new QTableView(stack_);
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
    typed_.setSingleShot(true);
    typed_.setInterval(kTypingMs);
    connect(&typed_, &QTimer::timeout, this, &AuditView::begin);
    afterWrites_.setSingleShot(true);
    afterWrites_.setInterval(kAfterWritesMs);
    connect(&afterWrites_, &QTimer::timeout, this, [this] {
        if (asked_ != 0) {
            afterWrites_.start();  // what is on its way may be from before the write
        } else {
            refresh();
        }
    });
    connect(actor_, &QLineEdit::textChanged, this, [this] { typed_.start(); });
    connect(actor_, &QLineEdit::returnPressed, this, &AuditView::begin);
    connect(verb_, &QComboBox::currentIndexChanged, this, &AuditView::begin);
    connect(export_, &QPushButton::clicked, this, [this] {
        if (running_ != nullptr) {
            running_->stop();
        } else {
            askForFile();
        }
    });
    connect(notice_, &NoticeBar::retryWanted, this, [this] { loaded_ ? refresh() : begin(); });
    connect(blank_, &BlankPane::clicked, this, [this] {
        actor_->clear();
        verb_->setCurrentIndex(0);
    });
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
    connect(&live_, &QTimer::timeout, this, [this] {
        if (isVisible() && context_.actions[Act::LiveUpdate]->isChecked()) {
            refresh();
        }
    });
    const auto setPace = [this] { live_.setInterval(context_.preferences.liveIntervalMs()); };
    connect(&context_.preferences, &Preferences::changed, this, [this, setPace] {
        setPace();
        model_.retranslate();
    });
    setPace();
}

void AuditView::open(Session* session)
{
    forget();
    session_ = session;
    model_.clear();
    notice_->clear();
    loaded_ = false;
    failed_ = false;
    if (session_ != nullptr) {
        connect(&session_->backend(), &Backend::linkChanged, this, [this] {
            if (!loaded_ && !failed_ && isVisible()) {
                begin();
            }
            tellState();
        });
        connect(&session_->commands(), &JobCommands::written, this, [this] {
            if (!afterWrites_.isActive()) {
                afterWrites_.start();
            }
        });
        live_.start();
        if (isVisible()) {
            begin();
        }
    }
    tellState();
}

void AuditView::forget()
{
    typed_.stop();
    live_.stop();
    afterWrites_.stop();
    if (session_ != nullptr) {
        session_->backend().disconnect(this);
        session_->commands().disconnect(this);
        if (asked_ != 0) {
            session_->source().cancel(asked_);
        }
    }
    delete running_;
    asked_ = 0;
    cursor_.clear();
}

AuditRequest AuditView::request() const
{
    AuditRequest request;
    request.actor = actor_->text().trimmed();
    request.verb = verb_->currentData().toString();
    return request;
}

void AuditView::begin()
{
    typed_.stop();
    if (session_ == nullptr || session_->link().phase != LinkState::Phase::Ready) {
        return;
    }
    if (asked_ != 0) {
        session_->source().cancel(asked_);
    }
    asked_ = session_->source().audit(request(), {this, [this](Result<AuditPage> page) {
                                                      asked_ = 0;
                                                      if (!page) {
                                                          fail(page.error());
                                                          return;
                                                      }
                                                      loaded_ = true;
                                                      failed_ = false;
                                                      notice_->clear();
                                                      model_.clear();
                                                      cursor_ = page->cursor;
                                                      model_.append(std::move(page->rows),
                                                                    session_->source().now());
                                                      tellState();
                                                  }});
}

void AuditView::more()
{
    if (session_ == nullptr || asked_ != 0 || cursor_.empty()) {
        return;
    }
    auto next = request();
    next.cursor = cursor_;
    asked_ = session_->source().audit(next, {this, [this](Result<AuditPage> page) {
                                                 asked_ = 0;
                                                 if (!page) {
                                                     fail(page.error());
                                                     return;
                                                 }
                                                 cursor_ = page->cursor;
                                                 model_.append(std::move(page->rows),
                                                               session_->source().now());
                                                 tellState();
                                             }});
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
    asked_ =
        session_->source().audit(request(), {this, [this](Result<AuditPage> page) {
                                                 asked_ = 0;
                                                 if (!page) {
                                                     fail(page.error());
                                                     return;
                                                 }
                                                 notice_->clear();
                                                 const auto now = session_->source().now();
                                                 if (!model_.renew(std::move(page->rows), now)) {
                                                     cursor_ = page->cursor;
                                                 }
                                                 tellState();
                                             }});
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
    return stack_->currentWidget() == table_ ? static_cast<QWidget*>(table_) : actor_;
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
    const bool filtered = !actor_->text().trimmed().isEmpty() || verb_->currentIndex() > 0;
    stack_->setCurrentWidget(model_.rowCount() == 0 ? static_cast<QWidget*>(blank_) : table_);
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
    } else if (filtered) {
        blank_->say({QStringLiteral("edit-find"), tr("Nothing found"),
                     tr("Nobody of that name has done that, as far as is known."),
                     tr("Show Everything")});
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
    actor_->setPlaceholderText(tr("Who"));
    actor_->setAccessibleName(tr("Show only what people of this name did"));
    actor_->setToolTip(tr("Show only what people of this name did"));
    verb_->setAccessibleName(tr("Show only this kind of write"));
    verb_->setItemText(0, tr("Everything"));
    for (int at = 1; at < verb_->count(); ++at) {
        verb_->setItemText(at, verbText(verb_->itemData(at).toString()));
    }
    export_->setText(running_ != nullptr ? tr("Stop") : tr("Export…"));
    export_->setToolTip(tr("Write all that the filter finds to a file"));
    table_->setAccessibleName(tr("Writes of people"));
    model_.retranslate();
    tellState();
}

void AuditView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
    Page::changeEvent(event);
}

void AuditView::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    refresh();
}

}  // namespace restante::gui
