#include "core/journal/outbox/journal_event.h"

#include <gtest/gtest.h>

namespace restante::journal {

TEST(JournalPlace, takesAScoreThatIsNoTimeForNone)
{
    for (const auto* score : {"", "inf", "-inf", "nan", "1e300", "-1e300", "9223372036854775808"}) {
        JobPlace place;
        setDue(place, score);
        EXPECT_EQ(place.dueMs, JobPlace::kNever) << score;
    }
    JobPlace place;
    setDue(place, "1763745600000.25");
    EXPECT_EQ(place.dueMs, 1'763'745'600'000);
}

}  // namespace restante::journal
