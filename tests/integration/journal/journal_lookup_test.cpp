#include "core/journal/recovery/journal_lookup.h"
#include "core/journal/sql/sql_journal.h"

#include <gtest/gtest.h>

namespace restante::journal {
namespace {

MessageRow inState(const std::string& state)
{
    MessageRow message;
    message.id = "job-1";
    message.status.state = state;
    message.status.dueMs = 1'700'000'000'000;
    return message;
}

TEST(JournalledStates, sayWhereAJobWaits)
{
    const auto seen = journalledStateOf(inState("scheduled"));
    EXPECT_EQ(seen.id, "job-1");
    EXPECT_EQ(seen.state, "scheduled");
    EXPECT_EQ(seen.score, "1700000000000");
    EXPECT_EQ(seen.arrival, "");
}

TEST(JournalledStates, sayWhichMessageOfAMailboxItIsAndWhenThatIsTried)
{
    auto message = inState("held");
    message.status.arrival = 7;
    EXPECT_EQ(journalledStateOf(message).arrival, "7");
    EXPECT_EQ(journalledStateOf(message).next, "1700000000000");
    message.status.dueMs = JobStatus::kNever;
    EXPECT_EQ(journalledStateOf(message).next, "+inf");
}

TEST(JournalledStates, bringNothingBackThatHasEnded)
{
    for (const char* state : {"done", "gone"}) {
        EXPECT_EQ(journalledStateOf(inState(state)).state, "done") << state;
    }
    auto dead = inState("dead");
    dead.status.origin = "scheduled 1 - -";
    EXPECT_EQ(journalledStateOf(dead).state, "dead");
    EXPECT_EQ(journalledStateOf(dead).score, "1700000000000");
    EXPECT_EQ(journalledStateOf(dead).origin, "scheduled 1 - -");
}

TEST(JournalledStates, sayNothingOfALeaseThatIsOver)
{
    EXPECT_EQ(journalledStateOf(inState("leased")).state, "");
}

}  // namespace
}  // namespace restante::journal
