#pragma once

#include "core/job/job_id.h"
#include "tests/contract/store_under_test.h"
#include "tests/support/loop_fixture.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace restante::test {

using namespace std::chrono_literals;

/// A test that every store must pass: blocking versions of the port's calls, and jobs for them.
/// Jobs of one test share a shard unless a test says otherwise, because order holds within one.
class StoreContract : public ::testing::TestWithParam<StoreFactory> {
protected:
    // Whom the messages are for.
    static inline const std::string kBob = "sip:bob@example.org";
    static inline const std::string kCarol = "sip:carol@example.org";
    static constexpr DueSource::Kind kMailboxes = DueSource::Kind::Mailboxes;

    void SetUp() override { open({}); }
    void open(const StoreOptions& options) { storeUnderTest_ = GetParam().make(options); }

    JobStore& store() { return storeUnderTest_->store(); }
    JobInspector& inspector() { return storeUnderTest_->inspector(); }
    ManualClock& clock() { return storeUnderTest_->clock; }
    EpollLoop& loop() { return storeUnderTest_->loop; }
    TimePoint now() { return clock().now(); }

    template <class T, class Call>
    Result<T> await(Call call)
    {
        return answerOf<T>(loop(), std::function<void(Done<T>)>(std::move(call)));
    }

    // Jobs.
    Job newJob(int priority = 5, const std::string& topic = "order");
    Job messageTo(const std::string& recipient);
    std::string newId(std::uint32_t shard) { return ids().generate(shard); }
    std::uint32_t shards() const { return storeUnderTest_->shards(); }

    // Common steps, which must succeed.
    Job storeJob(Job job, Millis delay = 0ms);
    Job storeHeldJob(Job job, Millis nextAttempt = 10min);
    ClaimedJob leaseJob(Job job);
    ClaimedJob leaseFromMailbox(Job job);
    /// Stores a job and brings it into `state`; returns its id.
    std::string makeJobIn(JobState state);

    // The calls of the port, which wait for the answer.
    Result<PushOutcome> push(PushRequest request);
    Result<PushOutcome> push(const Job& job, Millis delay = 0ms);
    std::vector<ClaimedJob> claim(std::uint32_t max = 1,
                                  std::vector<std::string> topics = {"order"});
    std::vector<std::string> claimIds(std::uint32_t max,
                                      std::vector<std::string> topics = {"order"});
    std::vector<ClaimedJob> claimMailbox(const std::string& recipient, std::uint32_t max = 10);
    Result<void> finish(Lease lease);
    Result<void> finishLate(Lease lease);
    Result<void> retry(Lease lease, Millis wait, std::string error = "busy");
    Result<void> hold(HoldRequest request);
    Result<void> bury(Lease lease, std::string reason);
    Result<TimePoint> touch(Lease lease, Millis ttr);
    Result<void> reap(ReapVerdict verdict);
    Result<void> runNow(const std::string& id);
    Result<void> reschedule(const std::string& id, Millis delay);
    Result<void> reschedule(const std::string& id, NewTime time);
    Result<void> release(const std::string& id);
    Result<void> trash(const std::string& id);
    Result<void> restore(const std::string& id);
    Result<void> purge(const std::string& id);
    std::vector<std::string> expire(std::uint32_t max = 100);
    std::vector<ClaimedJob> lapsed(std::uint32_t max = 100);
    std::vector<std::string> dueMailboxes(std::uint32_t max = 100);
    std::optional<TimePoint> earliest(DueSource source);

    // Queries.
    JobView view(const std::string& id);
    JobState stateOf(const std::string& id) { return view(id).state; }
    bool isGone(const std::string& id);

    static OperatorAction by(const std::string& id) { return {id, "olga", "test"}; }

private:
    JobIdGenerator& ids();

    std::unique_ptr<StoreUnderTest> storeUnderTest_;
    std::unique_ptr<JobIdGenerator> ids_;
};

/// Ids of claimed jobs, in order.
std::vector<std::string> idsOf(const std::vector<ClaimedJob>& claimed);

inline std::string nameOfStore(const ::testing::TestParamInfo<StoreFactory>& info)
{
    return info.param.name;
}
inline void PrintTo(const StoreFactory& factory, std::ostream* out)
{
    *out << factory.name;
}

}  // namespace restante::test

/// Declares the suite `Name`: its TEST_Ps run on every store.
#define RESTANTE_CONTRACT(Name)                                                                    \
    class Name : public StoreContract {};                                                          \
    INSTANTIATE_TEST_SUITE_P(Store, Name, ::testing::ValuesIn(storeFactories()), nameOfStore)

/// Expects that a Result has failed with this code.
#define EXPECT_REFUSED(result, expectedCode)                                                       \
    do {                                                                                           \
        const auto& answer_ = (result);                                                            \
        EXPECT_FALSE(answer_.has_value());                                                         \
        EXPECT_EQ(answer_ ? "success" : name(answer_.error().code),                                \
                  name(ErrorCode::expectedCode));                                                  \
    } while (false)
#define EXPECT_DONE(result)                                                                        \
    do {                                                                                           \
        const auto& answer_ = (result);                                                            \
        EXPECT_TRUE(answer_.has_value()) << answer_.error().message;                               \
    } while (false)
