#include "core/journal/recovery/seen_places.h"
#include "core/journal/sql/sql_journal.h"

#include <gtest/gtest.h>

namespace restante::journal {
namespace {

StoredMessage inState(const std::string& state)
{
    StoredMessage message;
    message.id = "job-1";
    message.place.state = state;
    message.place.dueMs = 1'700'000'000'000;
    return message;
}

TEST(SeenPlaces, sayWhereAJobWaits)
{
    const auto seen = seenPlaceOf(inState("scheduled"));
    EXPECT_EQ(seen.id, "job-1");
    EXPECT_EQ(seen.state, "scheduled");
    EXPECT_EQ(seen.score, "1700000000000");
    EXPECT_EQ(seen.arrival, "");
}

TEST(SeenPlaces, sayWhichMessageOfAMailboxItIsAndWhenThatIsTried)
{
    auto message = inState("held");
    message.place.arrival = 7;
    EXPECT_EQ(seenPlaceOf(message).arrival, "7");
    EXPECT_EQ(seenPlaceOf(message).next, "1700000000000");
    message.place.dueMs = JobPlace::kNever;
    EXPECT_EQ(seenPlaceOf(message).next, "+inf");
}

TEST(SeenPlaces, bringNothingBackThatHasEnded)
{
    for (const char* state : {"done", "gone"}) {
        EXPECT_EQ(seenPlaceOf(inState(state)).state, "done") << state;
    }
    auto dead = inState("dead");
    dead.place.origin = "scheduled 1 - -";
    EXPECT_EQ(seenPlaceOf(dead).state, "dead");
    EXPECT_EQ(seenPlaceOf(dead).score, "1700000000000");
    EXPECT_EQ(seenPlaceOf(dead).origin, "scheduled 1 - -");
}

TEST(SeenPlaces, sayNothingOfALeaseThatIsOver)
{
    EXPECT_EQ(seenPlaceOf(inState("leased")).state, "");
}

}  // namespace
}  // namespace restante::journal
