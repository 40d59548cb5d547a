#include "core/redis/store/event_entry.h"
#include "core/redis/store/event_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::redis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Reply word(std::string text)
{
    return {std::move(text)};
}

TEST(EventEntry, unpacksNeighboursThatShareAllButTheLastCharacter)
{
    EXPECT_THAT(unpackIds("AB\t01F order-17 X"), ElementsAre("AB0", "AB1", "ABF", "order-17", "X"));
    EXPECT_THAT(unpackIds(""), IsEmpty());
}

TEST(EventEntry, readsWhatAScriptAppended)
{
    const Reply entry{
        Reply::Array{word("17-2"),
                     {Reply::Array{word("t"), word("trash"), word("at"), word("1700000000000"),
                                   word("ids"), word("a b"), word("by"), word("alice"), word("why"),
                                   word("wrong number"), word("new"), word("1")}}}};
    const auto event = readEvent(entry);
    ASSERT_TRUE(event) << event.error().message;
    EXPECT_EQ(event->position, "17-2");
    EXPECT_EQ(event->transition, "trash");
    EXPECT_EQ(event->at, fromEpochMs(1'700'000'000'000));
    EXPECT_THAT(event->ids, ElementsAre("a", "b"));
    EXPECT_EQ(event->actor, "alice");
    EXPECT_EQ(event->reason, "wrong number");
    EXPECT_THAT(event->otherFields, ElementsAre(testing::Pair("new", "1")));
}

TEST(EventEntry, refusesWhatIsNoEvent)
{
    EXPECT_FALSE(readEvent(Reply{}));
    EXPECT_FALSE(readEvent({Reply::Array{word("17-2"), {Reply::Array{word("ids"), word("a")}}}}));
}

TEST(EventPosition, isReadBackAsPrinted)
{
    const EventPosition position{{"17-2", "18-0"}};
    EXPECT_EQ(position.toString(), "17-2,18-0");
    EXPECT_EQ(EventPosition::parse("17-2,18-0", 2).value(), position);
}

TEST(EventPosition, refusesAnythingElse)
{
    for (const char* wrong : {"", "17-2", "17-2,18-0,19-0", "17-2,", ",17-2", "17-2,x", "17,18",
                              "17-2,$", "-,-", "17-2,99999999999999999999-0"}) {
        EXPECT_FALSE(EventPosition::parse(wrong, 2)) << wrong;
    }
}

}  // namespace
}  // namespace restante::redis
