#include "gui/pages/store_page.h"

#include "gui/actions/action_registry.h"
#include "gui/base/preferences.h"
#include "gui/pages/page_parts.h"
#include "gui/session/store_session.h"
#include "gui/theme/empty_pane.h"
#include "gui/theme/message_bar.h"

#include <QBoxLayout>

namespace restante::gui {

namespace {

/// Bulk requests and imports report each write; the page reloads once for many of them.
constexpr int kWriteRefreshDelayMs = 250;

}  // namespace

StorePage::StorePage(Context context, QWidget* parent)
    : Page(parent),
      context_(context),
      notice_(new MessageBar(this)),
      stack_(new QStackedWidget(this))
{
    emptyPane_ = new EmptyPane(stack_);
    connect(&liveTimer_, &QTimer::timeout, this, [this] {
        if (isVisible() && context_.actions[ActionId::LiveUpdate]->isChecked()) {
            refresh();
        }
    });
    writeRefreshTimer_.setSingleShot(true);
    writeRefreshTimer_.setInterval(kWriteRefreshDelayMs);
    connect(&writeRefreshTimer_, &QTimer::timeout, this, [this] {
        if (hasPendingRequest()) {
            writeRefreshTimer_.start();  // the pending answer may predate the write
        } else {
            refresh();
        }
    });
    const auto applyInterval = [this] {
        liveTimer_.setInterval(context_.preferences.liveIntervalMs());
    };
    connect(&context_.preferences, &Preferences::changed, this, [this, applyInterval] {
        applyInterval();
        reformat();
    });
    applyInterval();
    connect(notice_, &MessageBar::retryRequested, this, [this] { refreshNow(); });
    onLanguageChange(this, [this] { retranslate(); });
}

void StorePage::setupLayout(const char* noticeName, QBoxLayout* bar, QWidget* table)
{
    notice_->setObjectName(QString::fromLatin1(noticeName));
    bar->setContentsMargins(8, 6, 8, 6);
    table_ = table;
    stack_->addWidget(emptyPane_);
    stack_->addWidget(table);
    auto* column = tightVBoxLayout(this);
    column->addWidget(notice_);
    column->addLayout(bar);
    column->addWidget(stack_, 1);
}

void StorePage::showTable(bool shown)
{
    stack_->setCurrentWidget(shown ? table_ : emptyPane_);
}

bool StorePage::isReady() const
{
    return session_ != nullptr && session_->link().phase == LinkState::Phase::Ready;
}

void StorePage::open(StoreSession* session)
{
    liveTimer_.stop();
    writeRefreshTimer_.stop();
    cancelRequests();
    if (session_ != nullptr) {
        session_->backend().disconnect(this);
        session_->commands().disconnect(this);
    }
    session_ = session;
    clear();
    notice_->clear();
    if (session_ != nullptr) {
        connect(&session_->backend(), &Backend::linkChanged, this, [this] {
            if (needsFirstLoad() && isVisible()) {
                refresh();
            }
            updateDisplay();
        });
        connect(&session_->commands(), &JobCommands::written, this, [this] {
            if (!writeRefreshTimer_.isActive()) {
                writeRefreshTimer_.start();
            }
        });
        liveTimer_.start();
        if (isVisible()) {
            refresh();
        }
    }
    updateDisplay();
    emit selectionChanged();
}

void StorePage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    refresh();
}

}  // namespace restante::gui
