// Negation, comparison, time range, quoted phrase, OR with parentheses each return exactly
// the expected ids, from a seeded store through the real thread.

#include "tests/gui/support/memory_opener.h"
#include "tests/gui/support/open_session.h"

#include <gtest/gtest.h>

#include <set>

namespace restante::gui::test {
namespace {

using IdSet = std::set<std::string>;
using restante::test::ManualClock;
using std::chrono::hours;
using std::chrono::minutes;

/// Six jobs, each of which something is true of alone.
void addUnlikeJobs(MemoryJobStore& store, ManualClock& clock)
{
    const auto nobody = [](const auto&) {};
    const auto push = [&](const char* id, const char* topic, Channel channel, Millis due,
                          const std::function<void(Job&)>& more = {}) {
        Job job;
        job.id = id;
        job.topic = topic;
        job.channel = channel;
        job.created = clock.now();
        if (more) {
            more(job);
        }
        store.push({job, clock.now() + due}, nobody);
    };
    push("a", "order", Channel::Webhook, minutes{30},
         [](Job& job) { job.recipient = "https://shop.example.com/hook"; });
    push("b", "order", Channel::Pull, hours{3}, [](Job& job) {
        job.bizKey = "big order 17";
        job.findByKey = true;
    });
    push("c", "invoice", Channel::Webhook, hours{30}, [](Job& job) { job.body = "0123456789"; });
    push("d", "sms", Channel::Sms, minutes{10}, [](Job& job) {
        job.recipient = "+8613800000001";
        job.sender = "Restante";
    });
    push("e", "sms", Channel::Sms, Millis{0}, [](Job& job) { job.recipient = "+4917000000"; });
    store.bury({"e", 0, {}, {}, {}}, "486 Busy Here", nobody);
    push("f", "sip", Channel::Sip, Millis{0}, [&](Job& job) {
        job.recipient = "sip:bob@example.org";
        job.created = clock.now() - hours{24 * 10};
    });
    store.bury({"f", 0, {}, {}, {}}, "404 Not Found", nobody);
}

struct Case {
    const char* filter;
    IdSet ids;
};

void PrintTo(const Case& one, std::ostream* stream)
{
    *stream << one.filter;
}

class FilterResults : public testing::TestWithParam<Case> {};

TEST_P(FilterResults, returnsExactlyTheExpectedIds)
{
    OpenedSession session(memorySession(&addUnlikeJobs));
    ASSERT_EQ(session.settled(), LinkState::Phase::Ready);
    auto filter = JobFilter::parse(GetParam().filter);
    ASSERT_TRUE(filter) << filter.error().detail;
    ScanRequest request;
    request.view.filter = *filter;
    request.limit = 2;
    IdSet found;
    do {
        const auto batch = session.answer<ScanBatch>(
            [&](auto reply) { session.source().scan(request, std::move(reply)); });
        ASSERT_TRUE(batch) << batch.error().message;
        for (const auto& row : batch->rows) {
            EXPECT_TRUE(found.insert(row.id).second) << "twice: " << row.id;
        }
        request.cursor = batch->cursor;
    } while (!request.cursor.empty());
    EXPECT_EQ(found, GetParam().ids);

    // And as many are counted.
    CountRequest count;
    count.view = request.view;
    std::uint64_t counted = 0;
    do {
        const auto part = session.answer<CountBatch>(
            [&](auto reply) { session.source().count(count, std::move(reply)); });
        ASSERT_TRUE(part) << part.error().message;
        for (const auto& [state, jobs] : part->states) {
            counted += jobs;
        }
        count.cursor = part->cursor;
    } while (!count.cursor.empty());
    EXPECT_EQ(counted, GetParam().ids.size());
}

INSTANTIATE_TEST_SUITE_P(
    Filters,
    FilterResults,
    testing::Values(Case{"", {"a", "b", "c", "d", "e", "f"}},
                    Case{"state:dead", {"e", "f"}},
                    Case{"state:dead -err:486", {"f"}},
                    Case{"-state:dead", {"a", "b", "c", "d"}},
                    Case{"NOT topic:order state:live", {"c", "d"}},
                    Case{"due<1h state:live", {"a", "d"}},
                    Case{"due>=1h due<1d", {"b"}},
                    Case{"size>5", {"c"}},
                    Case{"age>7d", {"f"}},
                    Case{"code:400..499", {"e", "f"}},
                    Case{"\"big order\"", {"b"}},
                    Case{"biz_key:\"big order 17\"", {"b"}},
                    Case{"(topic:order OR topic:invoice) kind:webhook", {"a", "c"}},
                    Case{"topic:order OR (state:dead err:busy)", {"a", "b", "e"}},
                    Case{"to:+8613*", {"d"}},
                    Case{"to:*@example.org", {"f"}},
                    Case{"id:a,c,zzz", {"a", "c"}},
                    Case{"topic:order topic:sms", {}}));

}  // namespace
}  // namespace restante::gui::test
