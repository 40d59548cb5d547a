#include "core/queue/memory_job_store.h"
#include "core/schedule/retention.h"
#include "tests/support/logged.h"
#include "tests/support/loop_fixture.h"
#include "tests/support/manual_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace restante {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

/// Purges only the jobs that it may, after somebody has restored one, and counts the lists.
class RefusingStore : public MemoryJobStore {
public:
    using MemoryJobStore::MemoryJobStore;

    void purge(OperatorAction action, Done<void> done) override
    {
        if (refusal && action.id != purgeable) {
            return done(tl::unexpected<Error>(*refusal));
        }
        if (action.id == restoredFirst) {
            MemoryJobStore::restore({action.id, "olga", "by mistake"}, [](const auto&) {});
        }
        MemoryJobStore::purge(std::move(action), std::move(done));
    }
    void list(JobQuery query, Done<JobPage> done) override
    {
        ++listCount;
        MemoryJobStore::list(std::move(query), std::move(done));
    }

    std::optional<Error> refusal;
    std::string purgeable;
    std::string restoredFirst;
    int listCount = 0;
};

class RetentionTest : public test::LoopFixture {
protected:
    RetentionTest() : store_(loop_, clock_, {.retentionDone = 1h}) {}

    void push(const std::string& id)
    {
        PushRequest request;
        request.job.id = id;
        request.job.topic = "t";
        request.due = clock_.now();
        ASSERT_TRUE(await<PushOutcome>([&](auto done) { store_.push(request, std::move(done)); }));
    }
    void trash(const std::string& id)
    {
        push(id);
        ASSERT_TRUE(await<void>([&](auto done) { store_.trash({id, "", ""}, std::move(done)); }));
    }
    void finish(const std::string& id)
    {
        push(id);
        const auto claimed = await<std::vector<ClaimedJob>>([&](auto done) {
            store_.claim({Channel::Pull, {"t"}, 1}, std::move(done));
        });
        ASSERT_TRUE(claimed && claimed->size() == 1);
        ASSERT_TRUE(await<std::uint64_t>([&](auto done) {
            store_.finish({id, claimed->front().attempt, ""}, std::move(done));
        }));
    }
    std::size_t count(JobState state)
    {
        JobQuery query;
        query.state = state;
        query.limit = 1000;
        return await<JobPage>([&](auto done) { store_.list(query, std::move(done)); })->jobs.size();
    }

    test::ManualClock clock_;
    RefusingStore store_;
};

TEST_F(RetentionTest, purgesWhatIsInTheTrashForLongerThanItIsKept)
{
    trash("old");
    clock_.advance(2h);
    trash("young");
    push("alive");

    const Retention retention(loop_, clock_, store_, store_, {1h, 1h});

    EXPECT_TRUE(runUntil([&] { return count(JobState::Trashed) == 1; }));
    EXPECT_TRUE(await<JobView>([&](auto done) { store_.show("young", std::move(done)); }));
    EXPECT_EQ(count(JobState::Ready), 1U);
}

TEST_F(RetentionTest, purgesWhatIsDoneByItsOwnMeasure)
{
    finish("done");
    trash("trashed");
    clock_.advance(2h);

    const Retention retention(loop_, clock_, store_, store_, {3h, 1h});

    EXPECT_TRUE(runUntil([&] { return count(JobState::Done) == 0; }));
    EXPECT_EQ(count(JobState::Trashed), 1U);
}

TEST_F(RetentionTest, takesOnePageAfterTheOther)
{
    for (int i = 0; i < 450; ++i) {
        trash("job-" + std::to_string(i));
    }
    clock_.advance(2h);

    const Retention retention(loop_, clock_, store_, store_, {1h, 1h});

    EXPECT_TRUE(runUntil([&] { return count(JobState::Trashed) == 0; }));
}

TEST_F(RetentionTest, leavesAJobAloneThatSomebodyRestoresInThatMoment)
{
    trash("old");
    trash("wanted");
    clock_.advance(2h);
    store_.restoredFirst = "wanted";

    const auto logged = test::loggedBy([&] {
        const Retention retention(loop_, clock_, store_, store_, {1h, 1h});
        EXPECT_TRUE(runUntil([&] { return count(JobState::Trashed) == 0; }));
        EXPECT_EQ(count(JobState::Ready), 1U);
    });
    EXPECT_THAT(logged, Not(HasSubstr("stay"))) << "nothing is wrong with it";
}

class RefusedRetention : public RetentionTest {
protected:
    RefusedRetention()
    {
        for (int i = 0; i < 250; ++i) {
            trash("job-" + std::to_string(100 + i));
        }
        finish("done");
        clock_.advance(2h);
        store_.listCount = 0;
    }
};

TEST_F(RefusedRetention, waitsWhileTheStoreTakesNoWrites)
{
    store_.refusal = Error{ErrorCode::ReadOnly, "MISCONF the disk is full"};
    const auto logged = test::loggedBy([&] {
        const Retention retention(loop_, clock_, store_, store_, {1h, 1h});
        ASSERT_TRUE(runUntil([&] { return store_.listCount > 0; }));
        EXPECT_FALSE(runUntil([&] { return store_.listCount > 1; }, 300ms)) << "once is enough";
    });
    EXPECT_THAT(logged, HasSubstr("200 trashed jobs stay: job job-100: MISCONF the disk is full"));
    EXPECT_THAT(logged, Not(HasSubstr("purged")));
}

TEST_F(RefusedRetention, goesOnBehindWhatCannotBePurged)
{
    store_.refusal = Error{ErrorCode::Internal, "its record cannot be read"};
    store_.purgeable = "job-349";
    const Retention retention(loop_, clock_, store_, store_, {1h, 1h});
    EXPECT_TRUE(runUntil([&] { return count(JobState::Trashed) == 249; }));
    store_.purgeable = "done";
    store_.listCount = 0;  // without those of this test
    EXPECT_FALSE(runUntil([&] { return store_.listCount > 3; }, 300ms)) << "not for ever";
}

}  // namespace
}  // namespace restante
