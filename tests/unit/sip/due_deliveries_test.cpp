// What is due, and the look at every mailbox when a daemon starts.

#include "core/queue/memory_job_store.h"
#include "sipplugin/delivery/due_deliveries.h"
#include "tests/support/manual_loop.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace restante::sip {
namespace {

using namespace std::chrono_literals;

/// Fails once, at a page that a test chooses.
class PageFailingStore final : public MemoryJobStore {
public:
    using MemoryJobStore::MemoryJobStore;

    void list(JobQuery query, Done<JobPage> done) override
    {
        if (++lists == failingList) {
            done(failure(error, "broken by the test"));
            return;
        }
        MemoryJobStore::list(std::move(query), std::move(done));
    }

    int lists = 0;
    int failingList = 0;
    ErrorCode error = ErrorCode::Loading;
};

/// A message for each of many people, due now.
class ManyMailboxes : public ::testing::Test {
protected:
    static constexpr std::size_t kPeople = 150;  ///< two pages

    ManyMailboxes()
    {
        for (std::size_t i = 0; i < kPeople; ++i) {
            PushOptions order;
            order.job.topic = "sip";
            order.job.channel = Channel::Sip;
            order.job.recipient = "sip:person" + std::to_string(i) + "@example.com";
            order.job.body = "hello";
            order.placement = Placement::Mailbox;
            queue_.push(std::move(order), [](const auto& pushed) { EXPECT_TRUE(pushed); });
        }
        loop_.settle();
    }

    test::ManualClock clock_;
    test::ManualLoop loop_{clock_};
    PageFailingStore store_{loop_, clock_};
    DelayQueue queue_{store_, clock_, {}};
};

class StartupPass : public ManyMailboxes {
protected:
    std::map<std::string, int> scheduled_;
    StartupMailboxPass pass_{loop_, store_,
                             [this](const std::string& recipient,
                                    DeliveryScheduler::Cause /*cause*/,
                                    const std::function<void()>& onClaimed) {
                                 ++scheduled_[recipient];
                                 onClaimed();
                             }};
};

TEST_F(StartupPass, asksAgainForAPageThatTheStoreCannotGiveNow)
{
    store_.failingList = 2;
    pass_.start();
    loop_.settle();
    EXPECT_EQ(scheduled_.size(), 100U);
    loop_.advance(1s);
    EXPECT_EQ(scheduled_.size(), kPeople);
    for (const auto& [recipient, times] : scheduled_) {
        EXPECT_EQ(times, 1) << recipient;
    }
}

TEST_F(StartupPass, endsWhereTheStoreWillNeverAnswer)
{
    store_.failingList = 2;
    store_.error = ErrorCode::Invalid;
    pass_.start();
    loop_.advance(1min);
    EXPECT_EQ(store_.lists, 2);
    EXPECT_EQ(scheduled_.size(), 100U);
}

TEST(DueJobs, areToldBeforeTheyAreInTheirMailboxes)
{
    test::ManualClock clock;
    test::ManualLoop loop{clock};
    MemoryJobStore store{loop, clock};
    DelayQueue queue{store, clock, {}};
    PushOptions order;
    order.job.topic = "sip";
    order.job.channel = Channel::Sip;
    order.job.recipient = "sip:bob@example.com";
    order.job.body = "hello";
    std::string id;
    queue.push(std::move(order), [&](const auto& pushed) {
        ASSERT_TRUE(pushed);
        id = pushed->id;
    });
    loop.settle();
    const auto stateNow = [&] {
        std::optional<JobState> state;
        store.show(id, [&](const auto& view) {
            state = view ? std::optional{view->state} : std::nullopt;
        });
        loop.settle();
        return state;
    };
    DueWatcher due{loop, clock, store};
    std::vector<std::string> told;
    const DueDeliveries deliveries{queue, due,
                                   [](const std::string& /*recipient*/,
                                      DeliveryScheduler::Cause /*cause*/,
                                      const std::function<void()>& onClaimed) { onClaimed(); },
                                   [&](const std::vector<std::string>& ids) {
                                       told.insert(told.end(), ids.begin(), ids.end());
                                   }};
    loop.settle();
    EXPECT_EQ(told, std::vector<std::string>{id});
    EXPECT_EQ(stateNow(), JobState::Held) << "in its mailbox";
}

class DueMailboxes : public ManyMailboxes {
protected:
    static constexpr int kTooMany = 10'000;

    int scheduled_ = 0;
    DueWatcher due_{loop_, clock_, store_};
    /// Claims nothing, as when the store refuses that.
    DueDeliveries deliveries_{queue_, due_,
                              [this](const std::string& /*recipient*/,
                                     DeliveryScheduler::Cause /*cause*/,
                                     const std::function<void()>& onClaimed) {
                                  if (++scheduled_ < kTooMany) {
                                      onClaimed();
                                  }
                              }};
};

TEST_F(DueMailboxes, thatCannotBeClaimedAreTriedAfterGrowingWaits)
{
    loop_.settle();
    EXPECT_EQ(scheduled_, 100);
    loop_.advance(2s);
    EXPECT_GT(scheduled_, 500);
    EXPECT_LT(scheduled_, 1'500);
}

}  // namespace
}  // namespace restante::sip
