#include "sipplugin/receipts/deferred_responses.h"
#include "tests/support/manual_loop.h"
#include "tests/unit/sip/examples.h"

#include <gmock/gmock.h>

#include <map>
#include <memory>

namespace restante::sip {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

constexpr int kStored = 202;

class WaitingSendersOf : public ::testing::Test {
protected:
    void open(DeferredResponses::Settings settings = {5s})
    {
        responses_ = std::make_unique<DeferredResponses>(loop_, settings);
    }
    /// `name` waits; what they are told stands in statuses_ then.
    bool wait(const std::string& id,
              const std::string& name,
              const std::string& flow = {},
              const std::string& recipient = kBob)
    {
        const auto tell = [this, name](const std::optional<SipAnswer>& answer) {
            statuses_[name].push_back(answer ? answer->status : kStored);
        };
        return responses_->addWaiting(id, recipient, {flow, tell});
    }
    std::vector<int> answered(const std::string& name) { return statuses_[name]; }

    test::ManualClock clock_;
    test::ManualLoop loop_{clock_};
    std::unique_ptr<DeferredResponses> responses_;
    std::map<std::string, std::vector<int>> statuses_;
};

TEST_F(WaitingSendersOf, aMessageThatIsTakenAreToldTheDevicesAnswerOnce)
{
    open();
    ASSERT_TRUE(wait("1", "alice"));
    responses_->handleTaken("2", {200, "OK", {}});
    EXPECT_THAT(answered("alice"), IsEmpty());
    responses_->handleTaken("1", {200, "OK", {}});
    responses_->handleTaken("1", {200, "OK", {}});
    loop_.advance(1min);
    EXPECT_EQ(answered("alice"), std::vector{200});
}

TEST_F(WaitingSendersOf, aMessageThatCountsAsTakenAreToldASuccess)
{
    open();
    ASSERT_TRUE(wait("1", "alice"));
    responses_->handleTaken("1", {488, "Not Acceptable Here", {}});
    EXPECT_EQ(answered("alice"), std::vector{200});
}

TEST_F(WaitingSendersOf, aMessageWithoutAnAnswerAreToldThatItIsStored)
{
    open();
    ASSERT_TRUE(wait("1", "alice"));
    loop_.advance(4'999ms);
    EXPECT_THAT(answered("alice"), IsEmpty());
    loop_.advance(1ms);
    EXPECT_EQ(answered("alice"), std::vector{kStored});
    EXPECT_FALSE(responses_->relayRefusal("1", {603, "Decline", {}})) << "it has its answer";
}

TEST_F(WaitingSendersOf, oneMessageAreToldTheSameAtTheSameTime)
{
    open();
    ASSERT_TRUE(wait("1", "first"));
    loop_.advance(3s);
    ASSERT_TRUE(wait("1", "again"));
    loop_.advance(2s);
    EXPECT_EQ(answered("first"), std::vector{kStored});
    EXPECT_EQ(answered("again"), std::vector{kStored});
}

TEST_F(WaitingSendersOf, aMessageThatIsRefusedAreToldSo)
{
    open();
    ASSERT_TRUE(wait("1", "alice"));
    EXPECT_TRUE(responses_->relayRefusal("1", {603, "Decline", {}}));
    EXPECT_EQ(answered("alice"), std::vector{603});
}

TEST_F(WaitingSendersOf, aMessageAreNotToldWhatIsBetweenUsAndTheDevice)
{
    open();
    ASSERT_TRUE(wait("1", "alice"));
    for (const int status : {302, 401, 407}) {
        EXPECT_FALSE(responses_->relayRefusal("1", {status, "", {}})) << status;
    }
    EXPECT_THAT(answered("alice"), IsEmpty());
}

TEST_F(WaitingSendersOf, somebodyWhoCannotBeReachedAreToldThatTheirsIsStored)
{
    open();
    ASSERT_TRUE(wait("1", "alice"));
    ASSERT_TRUE(wait("2", "carol"));
    ASSERT_TRUE(wait("3", "dave", {}, "sip:eve@example.org"));
    responses_->handleUnreachable(kBob);
    EXPECT_EQ(answered("alice"), std::vector{kStored});
    EXPECT_EQ(answered("carol"), std::vector{kStored});
    EXPECT_THAT(answered("dave"), IsEmpty());
}

TEST_F(WaitingSendersOf, allMessagesAreToldAtTheEndAndNobodyWaitsAnyMore)
{
    open();
    ASSERT_TRUE(wait("1", "alice"));
    ASSERT_TRUE(wait("2", "carol"));
    responses_->answerAll();
    EXPECT_EQ(answered("alice"), std::vector{kStored});
    EXPECT_EQ(answered("carol"), std::vector{kStored});
    EXPECT_FALSE(wait("3", "dave"));
}

TEST_F(WaitingSendersOf, manyMessagesWaitUpToALimitInAllAndOfAConnection)
{
    open({.timeout = 5s, .maxWaiting = 4, .maxWaitingPerFlow = 2});
    EXPECT_TRUE(wait("1", "a", "flow"));
    EXPECT_TRUE(wait("2", "b", "flow"));
    EXPECT_FALSE(wait("3", "c", "flow"));
    EXPECT_FALSE(responses_->isAwaited("3"));
    EXPECT_TRUE(wait("4", "d", "another"));
    EXPECT_TRUE(wait("5", "e"));
    EXPECT_FALSE(wait("6", "f"));
    responses_->handleTaken("1", {200, "OK", {}});
    EXPECT_TRUE(wait("7", "g", "flow"));
    EXPECT_THAT(answered("c"), IsEmpty()) << "whoever does not wait is not told";
}

TEST(ToldLive, isWhatOurReasonSaysAndNoPeerCanWrite)
{
    EXPECT_TRUE(wasRefusalRelayed(relayedRefusalReason({603, "Decline", {}})));
    const DeviceAnswer imitation{603, relayedRefusalReason({603, "Decline", {}}), {}};
    EXPECT_FALSE(wasRefusalRelayed("refused by the recipient: " + imitation.toString()));
}

}  // namespace
}  // namespace restante::sip
