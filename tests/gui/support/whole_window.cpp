#include "tests/gui/support/whole_window.h"

#include "gui/pages/detail/job_detail.h"
#include "gui/pages/jobs/jobs_table.h"
#include "tests/gui/support/wait.h"

#include <QApplication>
#include <QDialog>
#include <QPointer>

#include <set>

namespace restante::gui::test {

namespace {

constexpr ActionId kDialogs[]{ActionId::Reschedule,     ActionId::DeletePermanently,
                              ActionId::DuplicateAsNew, ActionId::NewJob,
                              ActionId::NewReminder,    ActionId::TestMessage,
                              ActionId::GoToJob,        ActionId::PauseTopic,
                              ActionId::Export,         ActionId::Columns,
                              ActionId::Preferences,    ActionId::CommandPalette,
                              ActionId::Shortcuts,      ActionId::Help,
                              ActionId::About};

std::set<QWidget*> windows()
{
    std::set<QWidget*> shown;
    for (auto* widget : QApplication::topLevelWidgets()) {
        if (widget->isVisible()) {
            shown.insert(widget);
        }
    }
    return shown;
}

}  // namespace

WholeWindow::WholeWindow()
{
    ConnectionProfile profile;
    profile.name = QStringLiteral("prod-sip-1");
    openFake(&WholeWindow::fill, profile);
    show();
    window.activateWindow();
}

void WholeWindow::fill(FakeBackend& store)
{
    for (int at = 0; at < 40; ++at) {
        JobView view;
        auto& job = view.job;
        job.id = "01J9QK" + std::to_string(4'000 + at);
        job.channel = at % 2 == 0 ? Channel::Sip : Channel::Webhook;
        job.topic = at % 2 == 0 ? "sip" : "order";
        job.recipient = at % 2 == 0 ? "sip:bob@example.org" : "https://example.org/hook";
        job.sender = "sip:alice@example.org";
        job.bizKey = "call-" + std::to_string(at % 5);
        job.contentType = "text/plain";
        job.body = "Dinner at eight?";
        job.created = store.time - std::chrono::hours{3};
        view.state = kJobStates[static_cast<std::size_t>(at) % std::size(kJobStates)];
        view.due = store.time + std::chrono::minutes{at};
        view.lastError = at % 3 == 0 ? "408 Request Timeout" : "";
        ++store.storeCounts.states[view.state];
        HistoryRow pushed;
        pushed.at = job.created;
        pushed.transition = "push";
        pushed.to = "scheduled";
        pushed.actor = "ops@prod";
        store.histories[job.id] = {pushed};
        store.jobs.push_back(std::move(view));
    }
    for (const auto* name : {"order", "sip"}) {
        TopicView topic;
        topic.topic = name;
        store.topicList.push_back(topic);
    }
    store.auditRows = {{store.time, QStringLiteral("ops@prod"), QStringLiteral("trash"),
                        QStringLiteral("01J9QK4001"), QStringLiteral("dead"),
                        QStringLiteral("trashed"), QStringLiteral("a reason")}};
}

void WholeWindow::showPage(PageId page)
{
    window.showPage(page);
    settled();
    if (page == PageId::Jobs) {
        jobs().table().goTo(0);
    }
    turn();
}

QWidget* WholeWindow::broughtBy(ActionId act)
{
    const auto before = windows();
    window.actions()[act]->trigger();
    turn();
    for (auto* shown : windows()) {
        if (before.count(shown) == 0) {
            return shown;
        }
    }
    return nullptr;
}

void WholeWindow::close(QWidget* dialog)
{
    QPointer<QWidget> open(dialog);
    dialog->close();
    until([&] { return open == nullptr || !open->isVisible(); });
    turn();
}

void WholeWindow::eachDialog(const std::function<void(QWidget&, const QString&)>& look)
{
    JobsView ofTopic;
    ofTopic.topic = "order";
    jobs().showView(ofTopic);
    settled();
    jobs().table().goTo(0);
    turn();
    for (const auto act : kDialogs) {
        auto* dialog = broughtBy(act);
        const auto name = window.actions()[act]->objectName();
        if (dialog == nullptr) {
            throw std::runtime_error("no dialog came by " + name.toStdString());
        }
        look(*dialog, name);
        close(dialog);
    }
    ConnectionDialog connections(profiles_, secrets_, &window);
    connections.selectProfile({});
    connections.open();
    turn();
    look(connections, QStringLiteral("connections"));
    connections.close();
}

}  // namespace restante::gui::test
