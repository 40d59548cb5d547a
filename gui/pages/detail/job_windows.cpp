#include "gui/pages/detail/job_windows.h"

#include "gui/actions/action_registry.h"
#include "gui/base/preferences.h"
#include "gui/pages/detail/detail_text.h"
#include "gui/pages/detail/job_detail.h"
#include "gui/pages/page_parts.h"
#include "gui/theme/saved_layout.h"

#include <QAction>
#include <QShortcut>
#include <QTimer>
#include <QVBoxLayout>
#include <QWidget>

#include <chrono>

namespace restante::gui {

JobWindows::JobWindows(Context context, QWidget* owner)
    : QObject(owner),
      context_(context),
      owner_(owner)
{
}

void JobWindows::open(StoreSession* session)
{
    for (const auto& [id, window] : windows_) {
        delete window;
    }
    windows_.clear();
    session_ = session;
}

void JobWindows::showJob(const std::string& id)
{
    if (session_ == nullptr || id.empty()) {
        return;
    }
    auto& window = windows_[id];
    if (window == nullptr) {
        window = buildWindow(id);
    }
    window->show();
    window->raise();
    window->activateWindow();
}

QWidget* JobWindows::buildWindow(const std::string& id)
{
    auto* window = makeWidget<QWidget>("jobWindow", owner_, Qt::Window);
    window->setAttribute(Qt::WA_DeleteOnClose);
    window->resize(900, 560);
    new WindowStateSaver(*window, context_.preferences, QStringLiteral("jobWindow"));
    auto* detail = new JobDetail(context_, window);
    tightVBoxLayout(window)->addWidget(detail);
    connect(detail, &JobDetail::titleChanged, window, &QWidget::setWindowTitle);
    connect(detail, &JobDetail::jobRequested, this, &JobWindows::showJob);
    connect(detail, &JobDetail::filterRequested, this, &JobWindows::filterRequested);
    connect(detail, &JobDetail::actionRequested, this, &JobWindows::actionRequested);
    connect(detail, &JobDetail::seriesRequested, this, [this](const std::string& series) {
        owner_->window()->activateWindow();
        emit seriesRequested(series);
    });
    // Only these commands apply to this window; the others belong to the main window.
    for (const auto action :
         {ActionId::Find, ActionId::FindNext, ActionId::FindPrevious, ActionId::Refresh}) {
        window->addAction(context_.actions[action]);
    }
    connect(context_.actions[ActionId::Refresh], &QAction::triggered, detail, [detail] {
        if (detail->isActiveWindow()) {
            detail->refresh();
        }
    });
    for (const auto& key : {QKeySequence(Qt::Key_Escape), QKeySequence(Qt::CTRL | Qt::Key_W)}) {
        auto* shortcut = new QShortcut(key, window);
        connect(shortcut, &QShortcut::activated, window, &QWidget::close);
    }
    auto* timer = new QTimer(detail);
    connect(timer, &QTimer::timeout, detail, &JobDetail::tick);
    timer->start(std::chrono::seconds{1});
    detail->open(session_);
    detail->showJob(id);
    return window;
}

}  // namespace restante::gui
