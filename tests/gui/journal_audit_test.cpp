#include "gui/session/journal_reader.h"

#include <gtest/gtest.h>

namespace restante::gui {
namespace {

TEST(JournalAudit, namesTheJobOrTheTopicWithWhoAndWhy)
{
    AuditEntries entries;
    entries.cursor = "2 0 0 0";
    entries.entries.push_back({fromEpochMs(3), "olga", "pause", "", "order", "", "paused",
                               "the other side is down", "host/1"});
    entries.entries.push_back({fromEpochMs(2), "paul", "trash", "job-1", "order", "ready",
                               "trashed", "<b>\xff", "host/1"});
    const auto page = auditBatchOf(std::move(entries));
    EXPECT_EQ(page.cursor, "2 0 0 0");
    ASSERT_EQ(page.rows.size(), 2U);
    EXPECT_EQ(page.rows[0].object, QStringLiteral("order"));
    EXPECT_EQ(page.rows[0].to, QStringLiteral("paused"));
    EXPECT_EQ(page.rows[0].reason, QStringLiteral("the other side is down"));
    EXPECT_EQ(page.rows[1].object, QStringLiteral("job-1"));
    EXPECT_EQ(page.rows[1].actor, QStringLiteral("paul"));
    EXPECT_EQ(page.rows[1].from, QStringLiteral("ready"));
    EXPECT_EQ(page.rows[1].at, fromEpochMs(2));
}

}  // namespace
}  // namespace restante::gui
