#include "core/redis/store/event_feed.h"
#include "tests/integration/redis/store_fixture.h"

#include <gmock/gmock.h>

namespace restante::test {
namespace {

using redis::EventFeed;
using redis::EventPosition;
using testing::ElementsAre;

class EventFeedTest : public RedisFixture {
protected:
    void SetUp() override
    {
        reading_ = connect(server_.url());
        commands_ = connect(server_.url());
        feed_ = std::make_unique<EventFeed>(loop_, *commands_, *reading_,
                                            EventFeed::Settings{"rst", 2});
    }

    /// As a script does: a batch of ids in one entry of a shard's stream.
    std::string append(int shard, const std::string& transition, const std::string& ids)
    {
        const auto reply = server_.send({"XADD", "rst:{s" + std::to_string(shard) + "}:events", "*",
                                         "t", transition, "at", "1700000000000", "ids", ids});
        return *reply.text();
    }

    EventFeed::SubscriptionId follow(std::vector<std::string>& heard,
                                     std::optional<EventPosition> from = {})
    {
        return feed_->subscribe(
            {[this, &heard](const EventFeed::Event& event, const EventPosition& position) {
                 for (const auto& id : event.entry.ids) {
                     heard.push_back(event.entry.transition + " " + id);
                 }
                 last_ = position;
             },
             std::move(from), EventFeed::Topics::No});
    }

    /// Until the follower certainly hears what comes from now on.
    void waitUntilItFollows(std::vector<std::string>& heard)
    {
        int probes = 0;
        ASSERT_TRUE(runUntil([&] {
            append(0, "probe", "p" + std::to_string(++probes));
            loop_.runUntil([&] { return !heard.empty(); }, Millis{20});
            return !heard.empty();
        }));
        // What was sent behind the first one that is heard comes, too.
        const auto last = "probe p" + std::to_string(probes);
        ASSERT_TRUE(runUntil([&] { return heard.back() == last; }));
        heard.clear();
    }

    RedisServer& server_ = sharedRedis();
    std::unique_ptr<redis::Connection> reading_;
    std::unique_ptr<redis::Connection> commands_;
    std::unique_ptr<EventFeed> feed_;
    EventPosition last_;
};

TEST_F(EventFeedTest, tellsWhatHappensFromNowOnInEveryShard)
{
    append(0, "push", "before");
    std::vector<std::string> heard;
    follow(heard);
    waitUntilItFollows(heard);
    append(0, "push", "a");
    append(1, "claim", "b c");
    ASSERT_TRUE(runUntil([&] { return heard.size() >= 3; }));
    EXPECT_THAT(heard, testing::UnorderedElementsAre("push a", "claim b", "claim c"));
}

TEST_F(EventFeedTest, goesOnBehindTheGivenPosition)
{
    append(0, "push", "a");
    const auto seen = append(0, "push", "b");
    append(0, "push", "c");
    append(1, "push", "d");
    std::vector<std::string> heard;
    follow(heard, EventPosition{{seen, "0-0"}});
    ASSERT_TRUE(runUntil([&] { return heard.size() >= 2; }));
    EXPECT_THAT(heard, testing::UnorderedElementsAre("push c", "push d"));
}

TEST_F(EventFeedTest, tellsEachFollowerOnceThoughAnotherBeginsFarBehind)
{
    std::vector<std::string> live;
    follow(live);
    waitUntilItFollows(live);
    append(0, "push", "a");
    ASSERT_TRUE(runUntil([&] { return !live.empty(); }));
    std::vector<std::string> late;
    follow(late, EventPosition{{"0-0", "0-0"}});
    ASSERT_TRUE(runUntil([&] { return !late.empty() && late.back() == "push a"; }));
    append(0, "push", "b");
    ASSERT_TRUE(runUntil([&] { return late.back() == "push b" && live.back() == "push b"; }));
    EXPECT_THAT(live, ElementsAre("push a", "push b"));
}

TEST_F(EventFeedTest, resumesWithoutAGapFromThePositionItReported)
{
    std::vector<std::string> heard;
    const auto first = follow(heard, EventPosition{{"0-0", "0-0"}});
    append(0, "push", "a");
    append(1, "push", "b");
    ASSERT_TRUE(runUntil([&] { return heard.size() == 2; }));
    feed_->unsubscribe(first);
    append(0, "push", "c");
    append(1, "push", "d");
    follow(heard, last_);
    ASSERT_TRUE(runUntil([&] { return heard.size() == 4; }));
    EXPECT_THAT(std::vector(heard.begin() + 2, heard.end()),
                testing::UnorderedElementsAre("push c", "push d"));
}

TEST_F(EventFeedTest, tellsNothingOldFromNowOnThoughTheEndWasNotTold)
{
    RedisServer other;  // asked for the ends
    other.send({"SET", "rst:{s0}:events", "of a foreign type"});
    other.send({"SET", "rst:{s1}:events", "of a foreign type"});
    commands_ = connect(other.url());
    feed_ =
        std::make_unique<EventFeed>(loop_, *commands_, *reading_, EventFeed::Settings{"rst", 2});
    const auto old = append(0, "push", "old");
    std::vector<std::string> live;
    follow(live);
    bool answered = false;
    commands_->command({"PING"}, [&](const auto&) { answered = true; });
    ASSERT_TRUE(runUntil([&] { return answered; }));
    std::vector<std::string> late;
    follow(late, EventPosition{{"0-0", "0-0"}});
    ASSERT_TRUE(runUntil([&] { return !late.empty(); }));
    EXPECT_THAT(live, testing::IsEmpty());
    other.send({"XADD", "new", old, "t", "push", "at", "1", "ids", "old"});
    other.send({"RENAME", "new", "rst:{s0}:events"});
    append(0, "push", "new");
    ASSERT_TRUE(runUntil([&] { return !live.empty(); }));
    EXPECT_THAT(live, ElementsAre("push new"));
    EXPECT_THAT(late, ElementsAre("push old", "push new"));
    feed_.reset();
}

TEST_F(EventFeedTest, isSilentOnceUnfollowedFromInsideItsHandler)
{
    int heard = 0;
    EventFeed::SubscriptionId id = 0;
    id = feed_->subscribe({[&](const auto&, const auto&) {
                               ++heard;
                               feed_->unsubscribe(id);
                           },
                           EventPosition{{"0-0", "0-0"}}, EventFeed::Topics::No});
    append(0, "push", "a");
    append(0, "push", "b");
    std::vector<std::string> other;
    follow(other, EventPosition{{"0-0", "0-0"}});
    ASSERT_TRUE(runUntil([&] { return other.size() == 2; }));
    EXPECT_EQ(heard, 1);
}

TEST_F(EventFeedTest, goesOnAfterRedisWasAway)
{
    RedisServer own{
        {.appendOnly = RedisServer::AppendOnly::Yes, .tcp = false, .extra = {}, .password = {}}};
    const auto reading = connect(own.url());
    const auto commands = connect(own.url());
    EventFeed feed{loop_, *commands, *reading, {"rst", 1}};
    std::vector<std::string> heard;
    feed.subscribe({[&](const EventFeed::Event& event, const auto&) {
                        heard.push_back(event.entry.ids.at(0));
                    },
                    EventPosition{{"0-0"}}, EventFeed::Topics::No});
    const auto add = [&](const std::string& id) {
        own.send({"XADD", "rst:{s0}:events", "*", "t", "push", "at", "1", "ids", id});
    };
    add("a");
    ASSERT_TRUE(runUntil([&] { return heard.size() == 1; }));
    own.restart();
    add("b");
    ASSERT_TRUE(runUntil([&] { return heard.size() == 2; }));
    EXPECT_THAT(heard, ElementsAre("a", "b"));
}

}  // namespace
}  // namespace restante::test
