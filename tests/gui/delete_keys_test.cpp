// Deleting as a person does it: in the main window, by its keys, on a store with all its rules.

#include "gui/commands/job_actions.h"
#include "gui/pages/dialogs/confirm_dialog.h"
#include "gui/pages/jobs/jobs_table.h"
#include "tests/gui/support/confirm_dialog_object.h"
#include "tests/gui/support/memory_opener.h"
#include "tests/gui/support/open_session.h"
#include "tests/gui/support/task_strip_object.h"
#include "tests/gui/support/wait.h"
#include "tests/gui/support/window_on_store.h"

#include <QAction>
#include <QTest>
#include <gtest/gtest.h>

#include <map>

namespace restante::gui::test {
namespace {

using restante::test::ManualClock;

/// One that waits for its second attempt, one that is dead after its first, one that is held.
void addRetriedDeadAndHeld(MemoryJobStore& store, ManualClock& clock)
{
    const auto push = [&](const char* id) {
        PushRequest request;
        request.job.id = id;
        request.job.topic = "order";
        request.job.created = clock.now();
        request.due = clock.now();
        store.push(std::move(request), [](const auto&) {});
    };
    const auto claim = [&](auto&& then) {
        store.claim({Channel::Pull, {}, 1}, [then](const Result<std::vector<ClaimedJob>>& jobs) {
            then(leaseOf(jobs->front()));
        });
    };
    push("retried");
    claim([&](const Lease& lease) {
        store.retry({lease, clock.now() + std::chrono::hours{3}, "503", true}, [](const auto&) {});
    });
    push("dead");
    claim([&](const Lease& lease) { store.bury(lease, "404", [](const auto&) {}); });
    push("held");
    store.hold({.lease = {"held", 0, {}, {}, {}}}, [](const auto&) {});
}

class DeleteKeys : public testing::Test, protected WindowOnStore {
protected:
    void open(AccessMode mode)
    {
        ConnectionProfile profile;
        profile.mode = mode;
        window.open(std::make_unique<StoreSession>(
            profile, std::make_unique<StoreBackend>(
                         std::make_unique<MemoryOpener>(&addRetriedDeadAndHeld))));
        window.show();
        window.showPage(PageId::Jobs);
        ASSERT_TRUE(
            until([&] { return window.session()->link().phase == LinkState::Phase::Ready; }));
        window.activateWindow();
        table()->setFocus();
        ASSERT_TRUE(until([&] { return table()->hasFocus(); }));
        ASSERT_TRUE(until([&] {
            window.actions()[ActionId::SelectAll]->trigger();
            return window.actions()[ActionId::Trash]->isEnabled();
        }));
    }
    JobsTable* table() { return &jobs().table(); }
    std::map<std::string, JobView> stored()
    {
        std::map<std::string, JobView> found;
        for (const auto* id : {"retried", "dead", "held"}) {
            bool answered = false;
            QObject receiver;
            window.session()->source().show(id, {&receiver, [&](const Result<JobView>& view) {
                                                     found[id] = view.value_or(JobView{});
                                                     answered = true;
                                                 }});
            EXPECT_TRUE(until([&] { return answered; }));
        }
        return found;
    }
};

TEST_F(DeleteKeys, deleteAsksNothingAndCtrlZBringsBackStateDueTimeAndAttempts)
{
    open(AccessMode::Normal);
    const auto before = stored();
    ASSERT_EQ(before.at("retried").state, JobState::Scheduled);
    ASSERT_EQ(before.at("retried").attempt, 1U);
    ASSERT_EQ(before.at("dead").state, JobState::Dead);
    ASSERT_EQ(before.at("held").state, JobState::Held);
    QTest::keyClick(table(), Qt::Key_Delete);
    EXPECT_TRUE(ui().dialogs().isEmpty());
    ASSERT_TRUE(until([&] { return window.actions()[ActionId::Undo]->isEnabled(); }));
    EXPECT_EQ(stored().at("held").state, JobState::Trashed);
    auto* undo = TaskStripObject(&window).undo();
    EXPECT_TRUE(until([&] { return undo->isVisible(); }));
    QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
    ASSERT_TRUE(until([&] { return window.actions()[ActionId::Redo]->isEnabled(); }));
    for (const auto& [id, view] : stored()) {
        EXPECT_EQ(view.state, before.at(id).state) << id;
        EXPECT_EQ(view.due, before.at(id).due) << id;
        EXPECT_EQ(view.attempt, before.at(id).attempt) << id;
        EXPECT_EQ(view.lastError, before.at(id).lastError) << id;
    }
    // And once more.
    QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_TRUE(until([&] { return stored().at("dead").state == JobState::Trashed; }));
}

TEST_F(DeleteKeys, shiftDeleteAsksWithCancelAsTheDefaultAndInProductionForTheCount)
{
    open(AccessMode::Production);
    QTest::keyClick(table(), Qt::Key_Delete, Qt::ShiftModifier);
    auto* dialog = newestOf<ConfirmDialog>(window);
    const ConfirmDialogObject asked(dialog);
    auto* accept = asked.accept();
    auto* cancel = asked.cancel();
    auto* typed = asked.typedCount();
    EXPECT_EQ(dialog->focusWidget(), cancel);
    EXPECT_TRUE(cancel->isDefault());
    ASSERT_TRUE(until([&] { return accept->text().contains(u'3'); }));
    EXPECT_TRUE(accept->text().contains(QStringLiteral("Delete")));
    EXPECT_FALSE(accept->isEnabled());
    ASSERT_TRUE(until([&] {
        typed->setText(QStringLiteral("3"));
        return accept->isEnabled();
    }));
    typed->clear();
    EXPECT_FALSE(accept->isEnabled());
    QTest::keyClick(dialog, Qt::Key_Return);  // which is Cancel
    EXPECT_TRUE(until([&] { return newestOf<ConfirmDialog>(window) == nullptr; }));
    EXPECT_EQ(stored().at("held").state, JobState::Held);
}

}  // namespace
}  // namespace restante::gui::test
