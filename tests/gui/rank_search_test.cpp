#include "gui/pages/jobs/ranked_pages.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace restante::gui {

namespace {

constexpr std::uint64_t kPage = 200;

JobRow rowAt(int due, const std::string& id, JobState state = JobState::Scheduled)
{
    JobRow row;
    row.id = id;
    row.state = state;
    row.due = TimePoint{Millis{due}};
    return row;
}

/// Looks in `rows` until the place is certain, and counts the pages that it takes.
std::uint64_t found(const std::vector<JobRow>& rows, const JobRow& job, bool descending, int& pages)
{
    RankSearch search(job, descending, rows.size());
    while (!search.rank()) {
        const auto first = search.nextProbe(0) / kPage * kPage;
        const auto last = std::min<std::uint64_t>(rows.size(), first + kPage);
        search.addRows(first, {rows.begin() + static_cast<std::ptrdiff_t>(first),
                               rows.begin() + static_cast<std::ptrdiff_t>(last)});
        ++pages;
    }
    return *search.rank();
}

}  // namespace

TEST(RankSearch, findsAJobAmongManyInAFewPages)
{
    std::vector<JobRow> rows;
    for (int at = 0; at < 100'000; ++at) {
        rows.push_back(rowAt(at / 3, "job-" + std::to_string(100'000 + at)));
    }
    for (const std::size_t at : {0U, 1U, 199U, 200U, 54'321U, 99'999U}) {
        int pages = 0;
        EXPECT_EQ(found(rows, rows[at], false, pages), at);
        EXPECT_LE(pages, 12);
    }
    std::reverse(rows.begin(), rows.end());
    int pages = 0;
    EXPECT_EQ(found(rows, rows[777], true, pages), 777U);
}

TEST(RankSearch, findsWhereAJobWouldStandThatHasLeft)
{
    const std::vector<JobRow> rows{rowAt(1, "a"), rowAt(5, "b"), rowAt(5, "d"), rowAt(9, "e")};
    int pages = 0;
    EXPECT_EQ(found(rows, rowAt(5, "c"), false, pages), 2U);
    EXPECT_EQ(found(rows, rowAt(0, "z"), false, pages), 0U);
    EXPECT_EQ(found(rows, rowAt(10, "a"), false, pages), 4U);
    EXPECT_EQ(found({}, rowAt(10, "a"), false, pages), 0U);
}

TEST(RankSearch, knowsThatStatesComeBeforeMoments)
{
    EXPECT_TRUE(sortsBefore(rowAt(9, "b"), rowAt(1, "a", JobState::Dead), false));
    EXPECT_TRUE(sortsBefore(rowAt(1, "a", JobState::Dead), rowAt(9, "b"), true));
    auto held = rowAt(1, "a", JobState::Held);
    held.expires = TimePoint{Millis{50}};
    auto other = rowAt(9, "b", JobState::Held);
    other.expires = TimePoint{Millis{40}};
    EXPECT_FALSE(sortsBefore(held, other, false));
    EXPECT_FALSE(sortsBefore(held, held, false));
    other.expires = {};  // never
    EXPECT_TRUE(sortsBefore(held, other, false));
}

}  // namespace restante::gui
