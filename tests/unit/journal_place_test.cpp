#include "core/journal/outbox/journal_event.h"

#include <gtest/gtest.h>

namespace restante::journal {

TEST(JournalPlace, takesAScoreThatIsNoTimeForNone)
{
    for (const auto* score : {"", "inf", "-inf", "nan", "1e300", "-1e300", "9223372036854775808"}) {
        JobStatus status;
        setDue(status, score);
        EXPECT_EQ(status.dueMs, JobStatus::kNever) << score;
    }
    JobStatus status;
    setDue(status, "1763745600000.25");
    EXPECT_EQ(status.dueMs, 1'763'745'600'000);
}

}  // namespace restante::journal
