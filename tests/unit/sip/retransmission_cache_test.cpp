#include "sipplugin/transport/retransmission_cache.h"
#include "tests/support/manual_clock.h"

#include <gtest/gtest.h>

namespace restante::sip {
namespace {

using State = RetransmissionCache::State;
using test::ManualClock;

const auto kA = fingerprint("a");
const auto kB = fingerprint("b");
const auto kC = fingerprint("c");

TEST(RetransmissionCache, repeatsTheAnswerToARetransmission)
{
    ManualClock clock;
    RetransmissionCache memory{clock};
    EXPECT_EQ(memory.findOrAdd(kA).state, State::New);
    EXPECT_EQ(memory.findOrAdd(kA).state, State::InProgress);
    memory.recordAnswer(kA, {202, "Accepted", {{"X", "1"}}});
    const auto found = memory.findOrAdd(kA);
    EXPECT_EQ(found.state, State::Answered);
    EXPECT_EQ(found.answer.status, 202);
    ASSERT_EQ(found.answer.headers.size(), 1U);
}

TEST(RetransmissionCache, forgetsAfterTimerJ)
{
    ManualClock clock;
    RetransmissionCache memory{clock};
    memory.findOrAdd(kA);
    memory.recordAnswer(kA, {202, "", {}});
    clock.advance(Millis{31'999});
    EXPECT_EQ(memory.findOrAdd(kA).state, State::Answered);
    clock.advance(Millis{1});
    EXPECT_EQ(memory.findOrAdd(kA).state, State::New);
}

TEST(RetransmissionCache, forgetsTheOldestFirstWhenItIsFull)
{
    ManualClock clock;
    RetransmissionCache memory{clock, {Millis{32'000}, 2}};
    memory.findOrAdd(kA);
    memory.findOrAdd(kB);
    memory.findOrAdd(kC);
    EXPECT_EQ(memory.size(), 2U);
    memory.recordAnswer(kA, {202, "", {}});  // forgotten: ignored
    EXPECT_EQ(memory.findOrAdd(kA).state, State::New);
    EXPECT_EQ(memory.findOrAdd(kC).state, State::InProgress);
}

TEST(TransactionKey, tellsBranchesAndHopsBelowApartFromTheTop)
{
    ReceivedRequest request;
    request.method = "MESSAGE";
    request.headers = {{"Via", "SIP/2.0/UDP a;branch=z9hG4bK1"}, {"CSeq", "1 MESSAGE"}};
    const auto key = transactionKey(request);
    request.headers.push_back({"Via", "SIP/2.0/UDP b;branch=z9hG4bK9"});
    EXPECT_EQ(transactionKey(request), key);
    request.headers[0].value = "SIP/2.0/UDP a;branch=z9hG4bK2";
    EXPECT_NE(transactionKey(request), key);
}

}  // namespace
}  // namespace restante::sip
