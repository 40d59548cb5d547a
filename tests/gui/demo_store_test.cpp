#include "core/redis/client/reply.h"
#include "gui/session/store_session.h"
#include "tests/gui/support/wait.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>

namespace restante::gui::test {
namespace {

/// A session on the made-up store, through the worker's thread.
class Demo : public testing::Test {
protected:
    void SetUp() override
    {
        ASSERT_TRUE(until([this] { return session->link().phase == LinkState::Phase::Ready; }));
    }

    template <class T>
    Result<T> answer(const std::function<void(Reply<T>)>& ask)
    {
        std::optional<Result<T>> got;
        ask({&receiver, [&](Result<T> result) { got = std::move(result); }});
        EXPECT_TRUE(until([&] { return got.has_value(); }));
        return got ? std::move(*got) : failure(ErrorCode::Unavailable, "no answer");
    }
    JobRows page(JobsView view, std::uint64_t offset = 0)
    {
        auto rows = answer<JobRows>([&](auto reply) {
            session->source().page({1, std::move(view), offset, 200}, std::move(reply));
        });
        EXPECT_TRUE(rows) << (rows ? "" : rows.error().message);
        return rows.value_or(JobRows{});
    }
    JobsView inState(JobState state)
    {
        JobsView view;
        view.states = {state};
        return view;
    }

    QObject receiver;
    std::unique_ptr<StoreSession> session = openSession(demoProfile());
};

TEST_F(Demo, hasMailboxesWhoseDevicesAgreeWithWhatWaits)
{
    const auto page =
        answer<MailboxPage>([&](auto reply) { session->source().mailboxes({.limit = 50}, reply); });
    ASSERT_TRUE(page);
    ASSERT_FALSE(page->mailboxes.empty());
    EXPECT_TRUE(page->complete);
    EXPECT_GE(page->mailboxes.front().waiting, page->mailboxes.back().waiting);
    bool someAreAway = false;
    for (const auto& mailbox : page->mailboxes) {
        if (const auto away = mailbox.awaySince()) {
            someAreAway = true;
            EXPECT_LE(*away, mailbox.oldest) << mailbox.recipient;
        }
    }
    EXPECT_TRUE(someAreAway);
    const auto& fullest = page->mailboxes.front();
    const auto content = answer<MailboxContent>([&](auto reply) {
        session->source().mailbox({fullest.recipient, 1'000}, reply);
    });
    ASSERT_TRUE(content);
    EXPECT_EQ(content->messages.size(), content->mailbox.waiting);
    EXPECT_EQ(content->mailbox.devices.size(), fullest.devices.size());
}

TEST_F(Demo, hasJobsInEveryState)
{
    const auto counts = answer<StoreCounts>([&](auto reply) { session->source().counts(reply); });
    ASSERT_TRUE(counts);
    for (const auto& [state, count] : counts->states) {
        EXPECT_GT(count, 0U) << name(state);
    }
    std::uint64_t all = 0;
    for (const auto& [state, count] : counts->states) {
        all += count;
    }
    EXPECT_GT(all, 3'000U);
}

TEST_F(Demo, tellsTheHistoryOfAJobFromItsPushOn)
{
    const auto dead = page(inState(JobState::Dead));
    ASSERT_FALSE(dead.rows.empty());
    const auto history = answer<std::vector<HistoryRow>>(
        [&](auto reply) { session->source().history(dead.rows.front().id, reply); });
    ASSERT_TRUE(history);
    EXPECT_EQ(history->front().transition, "push");
    EXPECT_EQ(history->back().to, "dead");
    EXPECT_NE(history->back().note.find("attempt "), std::string::npos);
}

TEST_F(Demo, goesOnByItself)
{
    std::uint64_t moved = 0;
    QObject::connect(&session->source(), &JobSource::changed, &receiver,
                     [&](const ChangeBatch& batch) { moved += batch.moved; });
    EXPECT_TRUE(until([&] { return moved > 3; }));
}

TEST_F(Demo, recordsWhatPeopleDo)
{
    const auto trashed = page(inState(JobState::Scheduled));
    ASSERT_FALSE(trashed.rows.empty());
    BulkRequest order;
    order.verb = BulkAction::Verb::Trash;
    order.selection.ids = {trashed.rows.back().id};
    order.selection.count = 1;
    order.reason = "a test";
    const auto report =
        answer<BulkReport>([&](auto reply) { session->commands().runBulk(order, {}, reply); });
    ASSERT_TRUE(report);
    EXPECT_EQ(report->done, 1U);
    const auto audit = answer<AuditBatch>([&](auto reply) { session->source().audit({}, reply); });
    ASSERT_TRUE(audit);
    ASSERT_FALSE(audit->rows.empty());
    const auto& row = audit->rows.front();
    EXPECT_EQ(row.object.toStdString(), trashed.rows.back().id);
    EXPECT_EQ(row.verb, QStringLiteral("trash"));
    EXPECT_EQ(row.from, QStringLiteral("scheduled"));
    EXPECT_EQ(row.to, QStringLiteral("trashed"));
    EXPECT_EQ(row.reason, QStringLiteral("a test"));
    EXPECT_EQ(row.actor.toStdString(), session->commands().actor());
}

TEST_F(Demo, samplesCountsMovesAndLateness)
{
    const auto sample = answer<Sample>([&](auto reply) { session->source().sample({}, reply); });
    ASSERT_TRUE(sample);
    EXPECT_GT(sample->moves.at("push"), 3'000U);
    ASSERT_TRUE(sample->lateness);
    EXPECT_GE(sample->lateness->most, sample->lateness->p50);
    EXPECT_GT(sample->counts.states.at(JobState::Held), 0U);
}

TEST_F(Demo, knowsWhatMovedBeforeAnybodyWatched)
{
    PastRequest request;
    request.end = session->source().now();
    request.begin = request.end - std::chrono::hours{24 * 7};
    request.step = Millis{3'600'000};
    const auto pushes = [&] {
        const auto past = answer<Past>([&](auto reply) { session->source().past(request, reply); });
        EXPECT_TRUE(past);
        std::uint64_t sum = 0;
        for (const auto& [step, jobs] : past.value_or(Past{}).moves) {
            sum += step.second == "push" ? jobs : 0;
        }
        return sum;
    };
    const auto all = pushes();
    EXPECT_GT(all, 1'000U);
    request.scope.channel = Channel::Webhook;
    const auto hooks = pushes();
    EXPECT_GT(hooks, 0U);
    EXPECT_LT(hooks, all);
}

TEST_F(Demo, knowsWhatWaitedBeforeAnybodyWatched)
{
    PastRequest request;
    request.end = session->source().now();
    request.begin = request.end - std::chrono::hours{24 * 7};
    request.step = Millis{3'600'000};
    const auto ask = [&] {
        const auto past = answer<Past>([&](auto reply) { session->source().past(request, reply); });
        EXPECT_TRUE(past);
        return past.value_or(Past{}).backlog;
    };
    const auto all = ask();
    ASSERT_GT(all.size(), 150U);
    EXPECT_LT(all.size(), 170U);
    EXPECT_GT(all.back().states.at(JobState::Dead), all.front().states.at(JobState::Dead));
    EXPECT_GT(all.back().states.at(JobState::Ready), 0);
    ASSERT_TRUE(all.back().lateness);
    EXPECT_GE(all.back().lateness->p99, all.back().lateness->p50);
    request.scope.topic = "newsletter";
    const auto letters = ask();
    EXPECT_GT(letters.back().states.at(JobState::Ready), 0);
    EXPECT_FALSE(letters.back().states.contains(JobState::Dead)) << "nobody counts them by topic";
}

TEST_F(Demo, knowsWhatComesAndGoesByTopic)
{
    const auto activity =
        answer<TopicActivity>([&](auto reply) { session->source().activity(reply); });
    ASSERT_TRUE(activity);
    EXPECT_TRUE(activity->ratesProblem.empty());
    ASSERT_TRUE(activity->leased);
    EXPECT_FALSE(activity->leased->empty());
}

TEST_F(Demo, answersNothingThatWasCancelled)
{
    bool answered = false;
    const auto requestId =
        session->source().counts({&receiver, [&](const Result<StoreCounts>&) { answered = true; }});
    session->source().cancel(requestId);
    EXPECT_TRUE(answer<StoreCounts>([&](auto reply) { session->source().counts(reply); }));
    EXPECT_FALSE(answered);
}

TEST_F(Demo, touchesNothingWhenNothingIsSelected)
{
    BulkRequest order;
    order.verb = BulkAction::Verb::Purge;
    const auto report =
        answer<BulkReport>([&](auto reply) { session->commands().runBulk(order, {}, reply); });
    ASSERT_TRUE(report);
    EXPECT_EQ(report->total(), 0U);
    EXPECT_EQ(report->done, 0U);
}

TEST_F(Demo, actsOnAllThatMatchButTheExceptions)
{
    const auto before = page(inState(JobState::Dead));
    ASSERT_GT(before.total, 2U);
    BulkRequest order;
    order.verb = BulkAction::Verb::Trash;
    order.selection.all = true;
    order.selection.view = inState(JobState::Dead);
    order.selection.except = {before.rows.front().id};
    order.selection.count = before.total - 1;
    std::size_t changed = 0;
    const auto report = answer<BulkReport>([&](auto reply) {
        session->commands().runBulk(
            order, [&](const Progress& progress) { changed += progress.changed.size(); }, reply);
    });
    ASSERT_TRUE(report);
    EXPECT_GE(report->done, before.total - 1);
    EXPECT_EQ(changed, report->done);
    const auto after = page(inState(JobState::Dead));
    std::set<std::string> left;
    for (const auto& row : after.rows) {
        left.insert(row.id);
    }
    EXPECT_EQ(left.count(before.rows.front().id), 1U);
}

}  // namespace
}  // namespace restante::gui::test
