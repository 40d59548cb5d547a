#include "core/base/timestamp.h"
#include "core/job/job_filter.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace restante {
namespace {

using namespace std::chrono_literals;

/// 2026-11-05 12:00 local time, whatever the zone of the machine.
const TimePoint kFilterTime = *parseTimestamp("2026-11-05 12:00");

/// A webhook that died two hours ago.
JobView hook()
{
    JobView view;
    auto& job = view.job;
    job.id = "Order-17";
    job.topic = "big order";
    job.channel = Channel::Webhook;
    job.body = "{\"Amount\": 12, \"text\": \"hello world\"}";
    job.contentType = "application/json";
    job.recipient = "https://example.org/hook";
    job.sender = "billing";
    job.bizKey = "17";
    job.findByKey = true;
    job.priority = 2;
    job.created = kFilterTime - 8 * 24h;
    view.state = JobState::Dead;
    view.due = kFilterTime - 2h;
    view.attempt = 10;
    view.lastError = "Answer of 10.0.0.1234: 503 Service Unavailable";
    return view;
}

/// A message that is due in half an hour.
JobView message()
{
    JobView view;
    auto& job = view.job;
    job.id = "01HF7YAT00ABCDEFGHJKMNPQRS";
    job.topic = "sip";
    job.channel = Channel::Sip;
    job.body = std::string("hi\0there", 8);
    job.recipient = "sip:+8613800138000@gw.example.org";
    job.sender = "sip:alice@example.org";
    job.bizKey = "call-1@example.org";
    job.expires = kFilterTime + 24h;
    job.created = *parseTimestamp("2026-11-01 10:00:30");
    view.state = JobState::Held;
    view.due = kFilterTime + 30min;
    view.attempt = 1;
    view.lastError = "486 Busy Here";
    return view;
}

struct Row {
    const char* filter;
    bool hook;
    bool message;
};

class JobFilterMatches : public ::testing::TestWithParam<Row> {};

TEST_P(JobFilterMatches, asTheGrammarSays)
{
    const auto& row = GetParam();
    const auto filter = JobFilter::parse(row.filter);
    ASSERT_TRUE(filter) << filter.error().column << ": " << filter.error().detail;
    EXPECT_EQ(filter->matches(hook(), kFilterTime), row.hook) << row.filter;
    EXPECT_EQ(filter->matches(message(), kFilterTime), row.message) << row.filter;
}

INSTANTIATE_TEST_SUITE_P(
    Queries,
    JobFilterMatches,
    ::testing::Values(Row{"", true, true},
                      Row{" \t", true, true},
                      // A term looks at id, topic, recipient, sender, biz_key, last error and body.
                      Row{"order", true, false},
                      Row{"ORDER-17", true, false},
                      Row{"example.org", true, true},
                      Row{"busy", false, true},
                      Row{"\"Busy Here\"", false, true},
                      Row{"\"busy  here\"", false, false},
                      Row{"sip:alice@example.org", false, true},
                      Row{"https://example.org", true, false},
                      Row{"b*ling", true, false},
                      Row{"hello", true, false},
                      // state
                      Row{"state:dead", true, false},
                      Row{"state:dead,held", true, true},
                      Row{"state:live", false, true},
                      Row{"state:ended", true, false},
                      Row{"state=dead", true, false},
                      Row{"-state:dead", false, true},
                      // kind, channel
                      Row{"kind:webhook", true, false},
                      Row{"channel:sip,sms", false, true},
                      // queue, topic
                      Row{"topic:sip", false, true},
                      Row{"queue:\"big order\"", true, false},
                      Row{"topic:Sip", false, false},
                      Row{"topic:big*", true, false},
                      Row{"topic:big", false, false},
                      Row{"topic:\"big*\"", false, false},
                      // id, from, to, biz_key, callid
                      Row{"id:Order-17", true, false},
                      Row{"id:order-17", false, false},
                      Row{"id:Order-*,01HF*", true, true},
                      Row{"from:billing", true, false},
                      Row{"sender:sip:*", false, true},
                      Row{"to:*+8613*", false, true},
                      Row{"to:sip:+8613*@gw.example.org", false, true},
                      Row{"to:*@gw", false, false},
                      Row{"recipient:*", true, true},
                      Row{"biz_key:17", true, false},
                      Row{"biz_key:call-1@example.org", false, false},
                      Row{"callid:call-1@example.org", false, true},
                      Row{"callid:17", false, false},
                      // method, code, err, attempts
                      Row{"method:message", false, true},
                      Row{"method:POST", true, false},
                      Row{"code:486", false, true},
                      Row{"code:500..599", true, false},
                      Row{"code>=400", true, true},
                      Row{"err:486", false, true},
                      Row{"-err:486", true, false},
                      Row{"err:\"service unavailable\"", true, false},
                      Row{"attempts>3", true, false},
                      Row{"attempts>=10", true, false},
                      Row{"attempts>10", false, false},
                      Row{"attempts<10", false, true},
                      Row{"attempts<=1", false, true},
                      Row{"attempts:1", false, true},
                      Row{"attempts:1,10", true, true},
                      Row{"attempts:2..10", true, false},
                      Row{"attempts:..1", false, true},
                      // due, age, created, expires
                      Row{"due<1h", true, true},
                      Row{"due<0s", true, false},
                      Row{"due<-3h", false, false},
                      Row{"due>10m", false, true},
                      Row{"due:0s..1h", false, true},
                      Row{"due:2026-11-05", true, true},
                      Row{"due>2026-11-05", false, false},
                      Row{"age>7d", true, false},
                      Row{"age<7d", false, true},
                      Row{"age:4d..8d", true, true},
                      Row{"created:2026-11-01..2026-11-07", false, true},
                      Row{"created:2026-11-01", false, true},
                      Row{"created:\"2026-11-01 10:00\"", false, true},
                      Row{"created:2026-11-01T10:00:30", false, true},
                      Row{"created:2026-11-01T10:00:31", false, false},
                      Row{"created>2026-11-01", false, false},
                      Row{"created>=2026-11-01", false, true},
                      Row{"created<2026-11-01", true, false},
                      Row{"created<=2026-11-01", true, true},
                      Row{"created:..2026-10-31", true, false},
                      Row{"expires<2d", false, true},
                      Row{"expires>2d", false, false},
                      // size, payload, type, priority
                      Row{"size>8", true, false},
                      Row{"size:8", false, true},
                      Row{"size<1k", true, true},
                      Row{"size>=1m", false, false},
                      Row{"payload:\"HELLO WORLD\"", true, false},
                      Row{"payload:there", false, true},
                      Row{"payload:hel*rld", true, false},
                      Row{"type:application/json", true, false},
                      Row{"type:*", true, false},
                      Row{"priority:2", true, false},
                      Row{"priority>2", false, true},
                      // Combinations
                      Row{"state:dead kind:webhook", true, false},
                      Row{"state:dead AND kind:sip", false, false},
                      Row{"state:dead OR kind:sip", true, true},
                      Row{"state:dead kind:sip OR topic:sip", false, true},
                      Row{"state:dead (kind:sip OR kind:webhook)", true, false},
                      Row{"NOT state:dead", false, true},
                      Row{"NOT (state:dead OR topic:sip)", false, false},
                      Row{"-(state:dead attempts<3)", true, true},
                      Row{"NOT NOT state:dead", true, false},
                      Row{"NOT state:dead OR attempts>3", true, true},
                      Row{"(((order)))", true, false},
                      Row{"state:dead to:*example* due<1h -err:486", true, false},
                      Row{"\"AND\" OR \"NOT\"", false, false}));

struct Wrong {
    const char* filter;
    std::size_t column;
    const char* says;
};

class JobFilterRefuses : public ::testing::TestWithParam<Wrong> {};

TEST_P(JobFilterRefuses, withTheColumnAndWhatIsAllowed)
{
    const auto& row = GetParam();
    const auto filter = JobFilter::parse(row.filter);
    ASSERT_FALSE(filter) << row.filter;
    EXPECT_EQ(filter.error().column, row.column) << row.filter;
    EXPECT_NE(filter.error().detail.find(row.says), std::string::npos) << filter.error().detail;
    EXPECT_EQ(errorOf(filter.error()).code, ErrorCode::Invalid);
}

INSTANTIATE_TEST_SUITE_P(
    Queries,
    JobFilterRefuses,
    ::testing::Values(Wrong{"(state:dead", 1, "not closed"},
                      Wrong{"state:dead)", 11, "closes nothing"},
                      Wrong{"()", 2, "a term is missing"},
                      Wrong{"state:dead OR", 14, "a term is missing"},
                      Wrong{"AND state:dead", 1, "a term is missing"},
                      Wrong{"NOT", 4, "a term is missing"},
                      Wrong{"state:", 7, "a value is missing"},
                      Wrong{"state:dead,", 12, "a value is missing"},
                      Wrong{"state:sleeping", 7, "scheduled, ready, leased"},
                      Wrong{"state:dead,sleeping", 12, "scheduled, ready, leased"},
                      Wrong{"state:d*", 7, "scheduled"},
                      Wrong{"state>dead", 7, "no order"},
                      Wrong{"kind:pigeon", 6, "pull, sip, sms, webhook"},
                      Wrong{"colour:red", 1, "the fields are id, state"},
                      Wrong{"x flow:a", 3, "topic or biz_key"},
                      Wrong{"owner:a", 1, "journal"},
                      Wrong{"updated>1d", 1, "due of an ended job"},
                      Wrong{"\"open", 1, "not closed"},
                      Wrong{"to:\"open", 4, "not closed"},
                      Wrong{"attempts>many", 10, "no number"},
                      Wrong{"attempts>-1", 10, "no number"},
                      Wrong{"attempts>9223372036854775808", 10, "no number"},
                      Wrong{"attempts:NaN", 10, "no number"},
                      Wrong{"attempts:*", 10, "stands in texts only"},
                      Wrong{"attempts:5..2", 10, "ends before it begins"},
                      Wrong{"attempts:..", 10, "at least one end"},
                      Wrong{"attempts>2..5", 10, "after :"},
                      Wrong{"size>9007199254740991k", 6, "KiB"},
                      Wrong{"due<soon", 5, "a duration such as"},
                      Wrong{"due:1h", 5, "compare a duration"},
                      Wrong{"age>2026-11-01", 5, "a duration such as"},
                      Wrong{"age:7d", 5, "compare a duration"},
                      Wrong{"created<7d", 9, "age takes durations"},
                      Wrong{"created:2026-02-30", 9, "a day or time"},
                      Wrong{"created:2026-11-07..2026-11-01", 9, "ends before it begins"},
                      Wrong{"a\x01", 2, "control character"}));

TEST(JobFilter, refusesWhatIsTooLongOrTooDeep)
{
    EXPECT_EQ(JobFilter::parse(std::string(100'000, '(')).error().column, 4'097U);
    const auto deep = JobFilter::parse(std::string(60, '(') + "a" + std::string(60, ')'));
    EXPECT_EQ(deep.error().column, 51U);
    EXPECT_FALSE(JobFilter::parse(std::string(60, '-') + "a"));
    EXPECT_TRUE(JobFilter::parse(std::string(50, '(') + "a" + std::string(50, ')')));
    EXPECT_FALSE(JobFilter::parse("biz_key:" + std::string(1'025, 'x')));
    EXPECT_FALSE(JobFilter::parse("payload:" + std::string(129, 'x')));
    EXPECT_FALSE(JobFilter::parse(std::string_view("a\0b", 3)));
}

TEST(JobFilter, writesAFilterForAnyValue)
{
    for (const std::string value : {"17", "a b", "a\"b", "a\\", "*", "a,b", "(", "..", "OR"}) {
        auto view = hook();
        view.job.bizKey = value;
        const auto filter = JobFilter::parse(filterFor("biz_key", value));
        ASSERT_TRUE(filter) << value;
        EXPECT_TRUE(filter->matches(view, kFilterTime)) << value;
        EXPECT_EQ(filter->plan().bizKeys, std::vector{value});
        view.job.bizKey += "x";
        EXPECT_FALSE(filter->matches(view, kFilterTime)) << value;
    }
}

TEST(JobFilter, countsAJobFromAClockThatIsAheadAmongTheYoung)
{
    auto view = message();
    view.job.created = kFilterTime + 2s;
    for (const auto* young : {"age<1h", "age<=1h", "age:..1h", "-age>1h"}) {
        EXPECT_TRUE(JobFilter::parse(young)->matches(view, kFilterTime)) << young;
    }
    EXPECT_FALSE(JobFilter::parse("age>0s")->matches(view, kFilterTime));
}

FilterPlan planOf(const char* text)
{
    return JobFilter::parse(text)->plan();
}

TEST(JobFilterPlan, narrowsToWhatTheFilterNames)
{
    using enum JobState;
    EXPECT_EQ(planOf("state:dead,held order").states, (std::vector{Dead, Held}));
    EXPECT_EQ(planOf("state:dead,held -state:held").states, std::vector{Dead});
    EXPECT_EQ(planOf("state:dead OR state:done").states, (std::vector{Dead, Done}));
    EXPECT_EQ(planOf("state:dead OR topic:a").states, std::nullopt);
    EXPECT_EQ(planOf("state:dead state:done").states, std::vector<JobState>{});
    EXPECT_EQ(planOf("topic:a,b -err:x").topics, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(planOf("topic:a*").topics, std::nullopt);
    EXPECT_EQ(planOf("-topic:a").topics, std::nullopt);
    EXPECT_EQ(planOf("-kind:sip,sms").channels, (std::vector{Channel::Pull, Channel::Webhook}));
    EXPECT_EQ(planOf("id:a state:dead").ids, std::vector<std::string>{"a"});
    EXPECT_EQ(planOf("biz_key:17 OR biz_key:18").bizKeys, (std::vector<std::string>{"17", "18"}));
    EXPECT_EQ(planOf("to:sip:bob@example.org").recipients,
              std::vector<std::string>{"sip:bob@example.org"});
}

TEST(JobFilterPlan, saysWhetherItMustLookAtEveryJob)
{
    for (const auto* exact :
         {"", "state:dead", "state:ready topic:a", "state:scheduled,ready kind:sip", "-state:dead",
          "state:dead OR state:done"}) {
        EXPECT_TRUE(planOf(exact).exact) << exact;
        EXPECT_FALSE(planOf(exact).scans) << exact;
    }
    for (const auto* found : {"id:a", "biz_key:17 state:dead attempts>3"}) {
        EXPECT_FALSE(planOf(found).scans) << found;
    }
    for (const auto* scan :
         {"order", "state:dead topic:a", "topic:a", "attempts>3", "biz_key:1*",
          "to:sip:bob@example.org", "id:a OR err:x", "state:dead topic:a OR state:ready topic:b"}) {
        EXPECT_TRUE(planOf(scan).scans) << scan;
    }
    EXPECT_FALSE(planOf("(state:ready topic:a) OR (state:scheduled topic:b)").exact);
    EXPECT_TRUE(planOf("payload:x").readsBody);
    EXPECT_FALSE(planOf("err:x").readsBody);
}

}  // namespace
}  // namespace restante
