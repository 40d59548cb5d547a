// Through the real thread: an order touches what was selected and has not left since, and
// nothing that came in later.

#include "tests/gui/support/memory_opener.h"
#include "tests/gui/support/open_session.h"

#include <gtest/gtest.h>

namespace restante::gui::test {

namespace {

using restante::test::ManualClock;

constexpr auto kNobody = [](const auto&) {};

void push(MemoryJobStore& store, ManualClock& clock, const std::string& id)
{
    Job job;
    job.id = id;
    job.topic = "order";
    job.channel = Channel::Webhook;
    job.created = clock.now();
    store.push({job, clock.now() + std::chrono::hours{1}}, kNobody);
}

void bury(MemoryJobStore& store, const std::string& id)
{
    store.bury({id, 0, {}, {}, {}}, "486 Busy Here", kNobody);
}

JobState stateOf(OpenedSession& session, const std::string& id)
{
    const auto view =
        session.answer<JobView>([&](auto reply) { session.source().show(id, std::move(reply)); });
    EXPECT_TRUE(view) << id;
    return view ? view->state : JobState::Done;
}

}  // namespace

TEST(BulkSelection, anOrderOnIdsSkipsThoseThatHaveLeftTheView)
{
    OpenedSession session(memorySession([](MemoryJobStore& store, ManualClock& clock) {
        for (const auto* id : {"a", "b", "c"}) {
            push(store, clock, id);
        }
        bury(store, "a");
        bury(store, "b");
    }));
    ASSERT_EQ(session.settled(), LinkState::Phase::Ready);
    BulkRequest order;
    order.verb = BulkAction::Verb::Trash;
    order.selection.ids = {"a", "b", "c"};
    order.selection.count = 3;
    order.selection.view.states = {JobState::Dead};
    order.selection.view.filter = JobFilter::parse("-id:b").value();
    const auto report = session.runBulk(order);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->done, 1U);
    EXPECT_EQ(report->skipped, 2U);
    EXPECT_EQ(stateOf(session, "a"), JobState::Trashed);
    EXPECT_EQ(stateOf(session, "b"), JobState::Dead);
    EXPECT_EQ(stateOf(session, "c"), JobState::Scheduled);
}

TEST(BulkSelection, anOrderOnAllThatMatchEndsAtTheMomentThatWasSeen)
{
    TimePoint seen{};
    OpenedSession session(memorySession([&seen](MemoryJobStore& store, ManualClock& clock) {
        push(store, clock, "old");
        push(store, clock, "old-dead");
        bury(store, "old-dead");
        push(store, clock, "dies-later");
        seen = clock.now();
        clock.advance(Millis{1'000});
        push(store, clock, "new");
        bury(store, "dies-later");
        clock.advance(Millis{1'000});
    }));
    ASSERT_EQ(session.settled(), LinkState::Phase::Ready);
    BulkRequest order;
    order.verb = BulkAction::Verb::Trash;
    order.selection.all = true;
    order.selection.count = 3;
    order.selection.asOf = seen;
    const auto report = session.runBulk(order);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->done, 2U);
    EXPECT_EQ(report->skipped, 2U);
    EXPECT_EQ(report->skippedAsNewer, 2U);
    EXPECT_EQ(stateOf(session, "new"), JobState::Scheduled);
    // It was selected when it was not dead, and may be meant no more.
    EXPECT_EQ(stateOf(session, "dies-later"), JobState::Dead);
}

}  // namespace restante::gui::test
