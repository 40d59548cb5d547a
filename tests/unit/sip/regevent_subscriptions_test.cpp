#include "sipplugin/regevent/regevent_subscriptions.h"
#include "tests/support/manual_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <set>

namespace restante::sip {
namespace {

using namespace std::chrono_literals;
using restante::test::ManualClock;
using restante::test::ManualLoop;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr auto kWatched = "sip:bob@example.org";

std::string reginfoOf(const std::string& state)
{
    return fmt::format("<reginfo><registration aor=\"{}\" state=\"{}\"><contact state=\"{}\"/>"
                       "</registration></reginfo>",
                       kWatched, state, state);
}

class Watching : public ::testing::Test {
protected:
    struct Sent {
        SubscribeRequest request;
        RequestSender::AnswerHandler answered;
    };

    RegEventSubscriptions::Environment environment()
    {
        return {loop_,
                clock_,
                [this](const auto& request, auto answered) {
                    sent_.push_back({request, std::move(answered)});
                },
                [this](const auto& aor, auto told) { told(waiting_.contains(aor)); },
                [this](const auto& aor) { reachable_.push_back(aor); },
                [this] { return fmt::format("token{}", ++tokens_); }};
    }
    static RegEventSubscriptions::Settings settings()
    {
        return {"sip:restante@example.org", "sip:restante@192.0.2.20", 3'600s, 3, 2};
    }
    void watch(const std::string& aor)
    {
        waiting_.insert(aor);
        watcher_.watch(aor);
    }
    void answer(std::size_t index, int status, std::chrono::seconds expires = 3'600s)
    {
        RequestSender::Response answer;
        answer.status = status;
        answer.expires = expires;
        answer.toTag = "theirs";
        answer.contacts = {"<sip:192.0.2.10>"};
        sent_.at(index).answered(answer);
    }
    /// A NOTIFY in the dialog of the `index`-th SUBSCRIBE.
    int notify(std::size_t index,
               const std::string& body,
               const std::string& state = "active;expires=600",
               const std::vector<HeaderLine>& instead = {})
    {
        const auto& request = sent_.at(index).request;
        const auto from = fmt::format("<{}>;tag=theirs", request.aor);
        const auto to = fmt::format("<{}>;tag={}", request.watcher, request.localTag);
        const auto cseq = fmt::format("{} NOTIFY", ++notifies_);
        ReceivedRequest notify;
        notify.method = "NOTIFY";
        notify.headers = instead;
        for (const auto& line : std::vector<HeaderLine>{{"Call-ID", request.callId},
                                                        {"From", from},
                                                        {"To", to},
                                                        {"CSeq", cseq},
                                                        {"Event", "reg"},
                                                        {"Content-Type", "application/reginfo+xml"},
                                                        {"Contact", "<sip:192.0.2.10>"},
                                                        {"Subscription-State", state}}) {
            notify.headers.push_back(line);  // the first of a name counts
        }
        notify.body = body;
        return watcher_.handleNotify(notify).status;
    }

    ManualClock clock_;
    ManualLoop loop_{clock_};
    std::vector<Sent> sent_;
    std::set<std::string> waiting_;
    std::vector<std::string> reachable_;
    int tokens_ = 0;
    int notifies_ = 0;
    RegEventSubscriptions watcher_{environment(), settings()};
};

TEST_F(Watching, subscribesOnceForEverybodyWhoWaits)
{
    watch(kWatched);
    watch(kWatched);
    ASSERT_EQ(sent_.size(), 1U);
    EXPECT_EQ(sent_[0].request.aor, kWatched);
    EXPECT_EQ(sent_[0].request.expires, 3'600s);
}

TEST_F(Watching, tellsWhenSomebodyRegisters)
{
    watch(kWatched);
    answer(0, 200);
    EXPECT_EQ(notify(0, ""), 200);  // nothing is known yet
    EXPECT_EQ(notify(0, reginfoOf("terminated")), 200);
    EXPECT_THAT(reachable_, IsEmpty());
    EXPECT_EQ(notify(0, reginfoOf("active")), 200);
    EXPECT_EQ(notify(0, reginfoOf("active")), 200);  // registered again
    EXPECT_THAT(reachable_, ElementsAre(kWatched, kWatched));
}

TEST_F(Watching, takesANotifyThatIsFasterThanTheAnswer)
{
    watch(kWatched);
    EXPECT_EQ(notify(0, reginfoOf("active")), 200);
    EXPECT_THAT(reachable_, ElementsAre(kWatched));
    answer(0, 200);
    EXPECT_EQ(sent_.size(), 1U);
}

TEST_F(Watching, countsTheRequestsThatLoggingInHasTaken)
{
    watch(kWatched);
    EXPECT_EQ(sent_[0].request.cseq, 1U);
    RequestSender::Response answer;
    answer.status = 200;
    answer.repetitions = 2;  // 2 and 3
    answer.expires = 600s;
    answer.toTag = "theirs";
    sent_[0].answered(answer);
    loop_.advance(536s);
    ASSERT_EQ(sent_.size(), 2U);
    EXPECT_EQ(sent_[1].request.cseq, 4U);
}

TEST_F(Watching, refreshesInTheDialogAndDoesNotTakeTheEchoForNews)
{
    watch(kWatched);
    answer(0, 200, 600s);
    EXPECT_EQ(notify(0, reginfoOf("active")), 200);
    loop_.advance(535s);
    EXPECT_EQ(sent_.size(), 1U);
    loop_.advance(1s);
    ASSERT_EQ(sent_.size(), 2U);
    EXPECT_EQ(sent_[1].request.callId, sent_[0].request.callId);
    EXPECT_EQ(sent_[1].request.remoteTag, "theirs");
    EXPECT_EQ(sent_[1].request.target, "sip:192.0.2.10");
    EXPECT_EQ(sent_[1].request.cseq, 2U);
    answer(1, 200, 600s);
    EXPECT_EQ(notify(0, reginfoOf("active")), 200);
    EXPECT_THAT(reachable_, ElementsAre(kWatched));
    EXPECT_EQ(notify(0, reginfoOf("active")), 200);
    EXPECT_THAT(reachable_, ElementsAre(kWatched, kWatched));
}

TEST_F(Watching, endsWhenNothingWaitsAnyMore)
{
    watch(kWatched);
    answer(0, 200);
    watcher_.unsubscribeIfEmpty(kWatched);
    EXPECT_EQ(sent_.size(), 1U);  // something still waits
    waiting_.clear();
    watcher_.unsubscribeIfEmpty(kWatched);
    ASSERT_EQ(sent_.size(), 2U);
    EXPECT_EQ(sent_[1].request.expires, 0s);
    EXPECT_EQ(watcher_.subscriptions(), 0U);
    answer(1, 200, 0s);
    // The server says good-bye, once.
    EXPECT_EQ(notify(0, reginfoOf("active"), "terminated;reason=timeout"), 200);
    EXPECT_EQ(notify(0, ""), 481);
    EXPECT_THAT(reachable_, IsEmpty());
    loop_.advance(2h);
    EXPECT_EQ(sent_.size(), 2U);
}

TEST_F(Watching, endsAlsoWhenNothingWaitsByTheTimeOfTheAnswerOrTheRefresh)
{
    watch(kWatched);
    waiting_.clear();
    watcher_.unsubscribeIfEmpty(kWatched);
    answer(0, 200);
    ASSERT_EQ(sent_.size(), 2U);
    EXPECT_EQ(sent_[1].request.expires, 0s);

    watch("sip:carol@example.org");
    answer(2, 200);
    waiting_.clear();
    loop_.advance(1h);
    ASSERT_EQ(sent_.size(), 4U);
    EXPECT_EQ(sent_[3].request.expires, 0s);
}

TEST_F(Watching, beginsAnewWhenTheServerEndsIt)
{
    watch(kWatched);
    answer(0, 200);
    EXPECT_EQ(notify(0, "", "terminated;reason=deactivated"), 200);
    loop_.advance(999ms);
    EXPECT_EQ(sent_.size(), 1U);
    loop_.advance(1ms);
    ASSERT_EQ(sent_.size(), 2U);
    EXPECT_NE(sent_[1].request.callId, sent_[0].request.callId);
    EXPECT_EQ(sent_[1].request.remoteTag, "");
    EXPECT_EQ(sent_[1].request.cseq, 1U);
}

TEST_F(Watching, pausesLongerForAServerThatAcceptsAndEndsItAgainAndAgain)
{
    watch(kWatched);
    std::size_t begun = 0;
    for (const Millis pause : {1'000ms, 10'000ms, 20'000ms, 40'000ms}) {
        answer(begun, 200);
        EXPECT_EQ(notify(begun, ""), 200);
        EXPECT_EQ(notify(begun, "", "terminated;reason=timeout"), 200);
        ++begun;
        loop_.advance(pause - 1ms);
        ASSERT_EQ(sent_.size(), begun);
        loop_.advance(1ms);
        ASSERT_EQ(sent_.size(), begun + 1);
    }
    answer(begun, 200);
    loop_.advance(10min);
    EXPECT_EQ(notify(begun, "", "terminated;reason=timeout"), 200);
    loop_.advance(1s);
    EXPECT_EQ(sent_.size(), begun + 2) << "that one has lasted";
}

TEST_F(Watching, triesAgainWithLongerAndLongerPauses)
{
    watch(kWatched);
    answer(0, 503);
    loop_.advance(5s);
    ASSERT_EQ(sent_.size(), 2U);
    answer(1, 408);
    loop_.advance(9s);
    EXPECT_EQ(sent_.size(), 2U);
    loop_.advance(1s);
    ASSERT_EQ(sent_.size(), 3U);
    answer(2, 200);
    loop_.advance(1h);
    ASSERT_EQ(sent_.size(), 4U);
    answer(3, 481);  // the server has forgotten us
    loop_.advance(5s);
    ASSERT_EQ(sent_.size(), 5U);
    EXPECT_NE(sent_[4].request.callId, sent_[3].request.callId);
    answer(4, 489);
    loop_.advance(59min);
    EXPECT_EQ(sent_.size(), 5U);
}

TEST_F(Watching, forgetsADialogThatItDropsBeforeItHasBegun)
{
    watch(kWatched);
    EXPECT_EQ(notify(0, "", "terminated;reason=deactivated"), 200);
    loop_.advance(1s);
    EXPECT_EQ(sent_.size(), 1U) << "the first SUBSCRIBE is not answered yet";
    waiting_.clear();
    watcher_.unsubscribeIfEmpty(kWatched);
    answer(0, 200);
    EXPECT_EQ(notify(0, "", "active",
                     {{"Call-ID", "token3"}, {"To", "<sip:restante@example.org>;tag=token4"}}),
              481);
    EXPECT_EQ(sent_.size(), 1U);
}

TEST_F(Watching, asksForAsLongAsTheServerWants)
{
    watch(kWatched);
    RequestSender::Response tooBrief;
    tooBrief.status = 423;
    tooBrief.minExpires = 7'200s;
    sent_[0].answered(tooBrief);
    ASSERT_EQ(sent_.size(), 2U);
    EXPECT_EQ(sent_[1].request.expires, 7'200s);
    sent_[1].answered(tooBrief);  // a server that wants what it has got: not for ever
    EXPECT_EQ(sent_.size(), 2U);
}

TEST_F(Watching, keepsToItsPaceAndItsMost)
{
    for (const auto* user : {"a", "b", "c", "d"}) {
        watch(fmt::format("sip:{}@example.org", user));
    }
    EXPECT_EQ(sent_.size(), 2U);
    EXPECT_EQ(watcher_.subscriptions(), 3U);
    EXPECT_TRUE(watcher_.isFull());
    answer(0, 200);
    EXPECT_EQ(sent_.size(), 3U);
    answer(1, 200);
    answer(2, 200);
    EXPECT_EQ(sent_.size(), 3U);
}

TEST_F(Watching, refusesANotifyThatIsNotOfItsDialog)
{
    watch(kWatched);
    answer(0, 200);
    const auto body = reginfoOf("active");
    const auto refused = [&](HeaderLine other) { return notify(0, body, "active", {other}); };
    EXPECT_EQ(refused({"Call-ID", "another"}), 481);
    EXPECT_EQ(refused({"To", "<sip:restante@example.org>;tag=guessed"}), 481);
    EXPECT_EQ(refused({"From", "<sip:bob@example.org>;tag=another"}), 481);
    EXPECT_EQ(refused({"From", "<sip:bob@example.org>"}), 481);
    EXPECT_EQ(refused({"Event", "presence"}), 489);
    EXPECT_THAT(reachable_, IsEmpty());
    EXPECT_EQ(notify(0, body), 200);
    EXPECT_EQ(refused({"CSeq", "1 NOTIFY"}), 500);
    EXPECT_THAT(reachable_, ElementsAre(kWatched));
}

TEST_F(Watching, looksAtTheMailboxThoughANotifyCannotBeRead)
{
    watch(kWatched);
    answer(0, 200);
    EXPECT_EQ(notify(0, "<reginfo"), 400);
    EXPECT_THAT(reachable_, ElementsAre(kWatched));
    EXPECT_EQ(notify(0, reginfoOf("active"), "active", {HeaderLine{"Content-Type", "text/plain"}}),
              415);
    EXPECT_THAT(reachable_, ElementsAre(kWatched, kWatched));
    EXPECT_EQ(notify(0, reginfoOf("active")), 200) << "the dialog goes on";
}

}  // namespace
}  // namespace restante::sip
