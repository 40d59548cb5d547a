// Answers of the journal's threads to loops of others.

#include "core/base/epoll_loop.h"
#include "core/journal/loop_relay.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <utility>

namespace restante::journal {
namespace {

/// Somebody who waits for an answer on a loop, and owns something.
class Asker {
public:
    Done<int> done()
    {
        return [this, owned = std::exchange(owned_, nullptr)](const Result<int>& result) {
            answer_ = result.value_or(-1) + *owned;
        };
    }
    bool isDestroyed() const { return watch_.expired(); }
    int answer() const { return answer_; }

private:
    std::shared_ptr<int> owned_ = std::make_shared<int>(0);
    std::weak_ptr<int> watch_ = owned_;
    int answer_ = 0;
};

class LoopRelayTest : public ::testing::Test {
protected:
    EpollLoop loop_;
    LoopRelay relay_;
    Asker asker_;
};

}  // namespace

TEST_F(LoopRelayTest, callsOnTheLoopWhatAnotherThreadAnswers)
{
    const auto relayed = relay_.relayTo<int>(loop_, asker_.done());
    std::thread([&relayed] { relayed(7); }).join();
    EXPECT_EQ(asker_.answer(), 0);
    EXPECT_TRUE(loop_.runUntil([&] { return asker_.answer() == 7; }, Millis{5'000}));
}

/// An HTTP call must not be destroyed on the journal's thread, which lets go at any time.
TEST_F(LoopRelayTest, destroysOnTheLoopWhoeverWasAnsweredThere)
{
    const auto relayed = relay_.relayTo<int>(loop_, asker_.done());
    relayed(7);
    EXPECT_FALSE(asker_.isDestroyed());
    ASSERT_TRUE(loop_.runUntil([&] { return asker_.answer() == 7; }, Millis{5'000}));
    EXPECT_TRUE(asker_.isDestroyed()) << "although `relayed` still lives";
}

TEST_F(LoopRelayTest, destroysWhoStillWaitsWhenTheLoopIsClosed)
{
    const auto relayed = relay_.relayTo<int>(loop_, asker_.done());
    relay_.close(loop_);
    EXPECT_TRUE(asker_.isDestroyed());
    relayed(7);
    bool hasRun = false;
    loop_.post([&hasRun] { hasRun = true; });
    ASSERT_TRUE(loop_.runUntil([&] { return hasRun; }, Millis{5'000}));
    EXPECT_EQ(asker_.answer(), 0);
}

TEST_F(LoopRelayTest, keepsNobodyForALoopThatIsClosed)
{
    relay_.close(loop_);
    const auto relayed = relay_.relayTo<int>(loop_, asker_.done());
    EXPECT_TRUE(asker_.isDestroyed());
}

}  // namespace restante::journal
