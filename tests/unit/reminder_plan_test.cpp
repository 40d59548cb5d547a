#include "core/base/timestamp.h"
#include "core/reminder/reminder_plan.h"
#include "core/reminder/series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

namespace restante::reminder {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const TimePoint kNow = parseTimestamp("2026-11-21T12:00:00Z").value();

ReminderRequest request()
{
    ReminderRequest request;
    request.to = "sip:bob@example.org";
    request.text = "Your membership ends";
    request.timeZone = "Europe/Berlin";
    return request;
}

Result<Plan> planned(const ReminderRequest& request, const Settings& settings = {})
{
    return plan(request, settings, "set-1", kNow);
}

std::vector<std::string> times(const Plan& plan)
{
    std::vector<std::string> times;
    for (const auto& order : plan.pushes) {
        times.push_back(formatRfc3339(order.at.value()).substr(0, 16));
    }
    return times;
}

std::vector<std::string> previewed(const ReminderRequest& request, TimePoint now, std::size_t count)
{
    std::vector<std::string> times;
    const auto moments = preview(request, {}, now, count).value();
    for (const auto at : moments) {
        times.push_back(formatRfc3339(at).substr(0, 16));
    }
    return times;
}

TEST(ReminderPlan, isOneJobAtOneTime)
{
    auto one = request();
    one.at = "2026-12-31 09:00";
    one.sender = "sip:club@example.org";
    one.retry = "0s,5m";
    one.expires = "2h";
    const auto plan = planned(one);
    ASSERT_TRUE(plan) << plan.error().message;
    ASSERT_THAT(times(*plan), ElementsAre("2026-12-31T08:00"));
    const auto& job = plan->pushes.front().job;
    EXPECT_EQ(job.topic, "reminder");
    EXPECT_EQ(job.channel, Channel::Sip);
    EXPECT_EQ(job.recipient, "sip:bob@example.org");
    EXPECT_EQ(job.contentType, "text/plain;charset=UTF-8");
    EXPECT_EQ(job.body, "Your membership ends");
    EXPECT_EQ(job.sender, "sip:club@example.org");
    EXPECT_EQ(job.retry.toString(), "0s,5m");
    EXPECT_EQ(job.expires, parseTimestamp("2026-12-31T10:00:00Z").value());
    EXPECT_FALSE(plan->recurring);
}

TEST(ReminderPlan, takesATimeInAnyOfItsWords)
{
    const auto at = [](auto set) {
        auto one = request();
        set(one);
        const auto plan = planned(one);
        return plan ? times(*plan).front() : plan.error().message;
    };
    EXPECT_EQ(at([](auto& r) { r.in = "15d"; }), "2026-12-06T12:00");
    EXPECT_EQ(at([](auto& r) { r.at = "2026-12-31T09:00:00-05:00"; }), "2026-12-31T14:00");
    EXPECT_EQ(at([](auto& r) { r.at = "2026-12-31T09:00:00Z"; }), "2026-12-31T09:00");
    EXPECT_EQ(at([](auto& r) { r.at = "2026-12-31"; }), "2026-12-31T08:00");
    EXPECT_EQ(at([](auto& r) { r.atTime = kNow; }), "2026-11-21T12:00");
    EXPECT_EQ(at([](auto& r) { r.event = "2026-12-31T09:00:00+01:00"; }), "2026-12-31T08:00");
}

TEST(ReminderPlan, guessesTheChannelFromTheRecipient)
{
    const auto channel = [](const char* to) {
        auto one = request();
        one.to = to;
        one.in = "1h";
        const auto plan = planned(one);
        return plan ? std::string(name(plan->pushes.front().job.channel)) : plan.error().message;
    };
    EXPECT_EQ(channel("sips:bob@example.org"), "sip");
    EXPECT_EQ(channel("+491701234567"), "sms");
    EXPECT_EQ(channel("tel:+491701234567"), "sms");
    EXPECT_EQ(channel("https://example.org/hook?x=1"), "webhook");
    for (const auto* wrong : {"", "bob", "sip:bob", "sip:bob@", "sip:a b@c", "http://", "+49x",
                              "12", "+1234567890123456", "ftp://example.org", "mailto:a@b.c"}) {
        EXPECT_THAT(channel(wrong), HasSubstr("to: ")) << wrong;
    }
}

TEST(ReminderPlan, sendsAtEveryOffsetBeforeAnEvent)
{
    auto set = request();
    set.event = "2026-12-31";
    set.offsets = "15d, 3d,0s";
    set.id = "member-7";
    const auto plan = planned(set);
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_THAT(times(*plan),
                ElementsAre("2026-12-16T08:00", "2026-12-28T08:00", "2026-12-31T08:00"));
    EXPECT_EQ(plan->pushes[0].job.id, "member-7.15d");
    EXPECT_EQ(plan->pushes[2].job.id, "member-7.0s");
    EXPECT_EQ(plan->pushes[1].job.bizKey, "member-7");
    EXPECT_THAT(plan->notes, IsEmpty());
}

TEST(ReminderPlan, countsWholeDaysOnTheCalendar)
{
    auto set = request();
    set.event = "2027-04-01 09:00";  // the clocks change on 28 March
    set.offsets = "7d,1h,1d2h";
    EXPECT_THAT(times(planned(set).value()),
                ElementsAre("2027-03-25T08:00", "2027-03-31T05:00", "2027-04-01T06:00"));
}

TEST(ReminderPlan, leavesOutWhatHasPassedAndSaysSo)
{
    auto set = request();
    set.event = "2026-11-25";
    set.offsets = "15d,3d";
    set.bizKey = "member 7";
    const auto plan = planned(set);
    ASSERT_TRUE(plan);
    EXPECT_THAT(times(*plan), ElementsAre("2026-11-22T08:00"));
    EXPECT_THAT(plan->notes, ElementsAre("15d before 2026-11-25 has passed: left out"));
    EXPECT_EQ(plan->pushes[0].job.bizKey, "member 7");
}

TEST(ReminderPlan, isOneJobForAWholeSeries)
{
    auto series = request();
    series.every = "weekdays";
    series.at = "2026-11-23 09:00";
    series.text = "stand up\n\nnow";
    series.id = "standup";
    series.expires = "15m";
    const auto plan = planned(series);
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_TRUE(plan->recurring);
    EXPECT_THAT(times(*plan), ElementsAre("2026-11-23T08:00"));
    const auto& job = plan->pushes.front().job;
    EXPECT_EQ(job.id, "standup");
    EXPECT_EQ(job.topic, "restante.reminders");
    EXPECT_EQ(job.channel, Channel::Pull);
    EXPECT_EQ(job.recipient, "sip:bob@example.org");
    EXPECT_EQ(job.bizKey, "standup");
    EXPECT_EQ(job.recurrence,
              "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR from 2026-11-23 09:00:00 Europe/Berlin");
    const auto read = Series::parse(job.body);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->job.body, "stand up\n\nnow");
    EXPECT_EQ(read->job.channel, Channel::Sip);
    EXPECT_EQ(read->expiresAfter, std::chrono::minutes{15});
    const auto occurrence = occurrenceOf(*read, "standup", kNow, 1);
    EXPECT_EQ(occurrence.job.id, "standup." + std::to_string(toEpochMs(kNow)));
    EXPECT_EQ(occurrence.job.expires, kNow + std::chrono::minutes{15});
    EXPECT_EQ(occurrence.at, kNow);
}

TEST(ReminderPlan, beginsASeriesInThePastWithItsNextOccurrence)
{
    auto series = request();
    series.every = "FREQ=YEARLY;COUNT=3";
    series.at = "2025-03-01 09:00";
    EXPECT_THAT(times(planned(series).value()), ElementsAre("2027-03-01T08:00"));
}

TEST(ReminderPlan, beginsASeriesNoEarlierThanItWasAskedFor)
{
    auto series = request();
    series.every = "2h";
    series.in = "10s";
    const auto now = kNow + Millis{400};
    const auto first = [&] {
        return plan(series, {}, "set-1", now).value().pushes.front().at.value();
    };
    EXPECT_EQ(first(), kNow + Millis{11'000});
    series.in.clear();
    series.atTime = kNow + Millis{10'001};
    EXPECT_EQ(first(), kNow + Millis{11'000});
    series.atTime = kNow + Millis{10'000};
    EXPECT_EQ(first(), kNow + Millis{10'000});
    // What begins now counts from this second on.
    series.atTime.reset();
    EXPECT_EQ(first(), kNow + std::chrono::hours{2});
}

TEST(ReminderPlan, beginsAnIntervalInTheRepeatedHourThatIsMeant)
{
    auto series = request();
    series.every = "2h";
    const auto now = parseTimestamp("2026-10-24T12:00:00Z").value();
    const auto second = parseTimestamp("2026-10-25T01:30:00Z").value();
    const auto planOf = [&] { return plan(series, {}, "set-1", now).value().pushes.front(); };
    const auto expectSecond = [&] {
        const auto order = planOf();
        EXPECT_EQ(order.at, second);
        EXPECT_EQ(order.job.recurrence, "FREQ=HOURLY;INTERVAL=2 from 2026-10-25 02:30:00 "
                                        "Europe/Berlin (" +
                                            formatRfc3339(second) + ")");
        const auto stored = Series::parse(order.job.body).value();
        EXPECT_EQ(stored.toString(), order.job.body);
        EXPECT_EQ(stored.recurrence().value().next(second), second + std::chrono::hours{2});
        EXPECT_THAT(preview(series, {}, now, 2).value(),
                    ElementsAre(second, second + std::chrono::hours{2}));
    };
    series.at = "2026-10-25T02:30:00+01:00";
    expectSecond();
    series.at.clear();
    series.atTime = second;
    expectSecond();
    series.atTime.reset();
    series.in = "810m";
    expectSecond();
    series.in.clear();
    series.at = "2026-10-25 02:30";
    const auto order = planOf();
    EXPECT_EQ(order.at, second - std::chrono::hours{1});
    EXPECT_THAT(order.job.body, testing::Not(HasSubstr("start_ms"))) << "as it has always been";
}

TEST(ReminderPlan, countsNoOccurrenceThatHasPassedWhenItIsAskedFor)
{
    auto series = request();
    series.every = "freq=daily;count=3";
    EXPECT_THAT(previewed(series, kNow, 5),
                ElementsAre("2026-11-21T12:00", "2026-11-22T12:00", "2026-11-23T12:00"));
    // The second has begun: its occurrence has passed.
    EXPECT_THAT(previewed(series, kNow + Millis{500}, 5),
                ElementsAre("2026-11-22T12:00", "2026-11-23T12:00", "2026-11-24T12:00"));
    series.every = "FREQ=HOURLY;COUNT=1";
    EXPECT_THAT(previewed(series, kNow + Millis{500}, 5), ElementsAre("2026-11-21T13:00"));
}

TEST(ReminderPlan, keepsTheTimeThatWasAskedForWhereTheClocksSkipItOnce)
{
    auto series = request();
    series.every = "daily";
    series.at = "2027-03-28 02:30";
    EXPECT_THAT(previewed(series, kNow, 3),
                ElementsAre("2027-03-28T01:30", "2027-03-29T00:30", "2027-03-30T00:30"));
    series.at = "2027-03-28";
    Settings settings;
    settings.timeOfDay = std::chrono::minutes{150};
    EXPECT_THAT(planned(series, settings).value().pushes.front().job.recurrence,
                HasSubstr("from 2027-03-28 02:30:00"));
}

TEST(ReminderPlan, showsWhatWouldBeSent)
{
    auto series = request();
    series.every = "daily";
    series.at = "2027-03-27 09:00";
    EXPECT_THAT(previewed(series, kNow, 3),
                ElementsAre("2027-03-27T08:00", "2027-03-28T07:00", "2027-03-29T07:00"));
    series.expires = "2027-03-28T12:00:00Z";
    EXPECT_EQ(preview(series, {}, kNow, 10).value().size(), 2U);
    series.expires = "2027-03-28T07:00:00Z";
    EXPECT_EQ(preview(series, {}, kNow, 10).value().size(), 1U) << "the second expires when due";
    series.expires = "2027-03-27T08:00:00Z";
    EXPECT_EQ(preview(series, {}, kNow, 10).error().message, "every: never happens from now on");
}

TEST(ReminderPlan, putsOccurrencesOfSipIntoTheMailboxesShard)
{
    Series series;
    series.job.channel = Channel::Sip;
    for (int user = 0; user < 20; ++user) {
        series.job.recipient = "sip:user" + std::to_string(user) + "@example.org";
        const auto order = occurrenceOf(series, "s", kNow, 7);
        EXPECT_EQ(shardOfId(order.job.id, 7), shardOfMailbox(series.job.recipient, 7));
        EXPECT_EQ(order.job.id, occurrenceOf(series, "s", kNow, 7).job.id);
    }
}

struct Refusal {
    std::string message;
    std::function<void(ReminderRequest&)> spoil;

    friend void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.message; }
};

class BadReminder : public testing::TestWithParam<Refusal> {};

TEST_P(BadReminder, isRefusedByTheFieldThatIsWrong)
{
    auto spoilt = request();
    GetParam().spoil(spoilt);
    const auto plan = planned(spoilt);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().code, ErrorCode::Invalid);
    EXPECT_THAT(plan.error().message, testing::StartsWith(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Fields,
    BadReminder,
    testing::Values(
        Refusal{"at: is missing", [](auto&) {}},
        Refusal{"at: only one of",
                [](auto& r) {
                    r.at = "2026-12-31";
                    r.in = "1h";
                }},
        Refusal{"at: \"tomorrow\"", [](auto& r) { r.at = "tomorrow"; }},
        Refusal{"at: \"2026-12-31T25:00:00Z\"", [](auto& r) { r.at = "2026-12-31T25:00:00Z"; }},
        Refusal{"at: 2026-11-21 10:00 Europe/Berlin has passed",
                [](auto& r) { r.at = "2026-11-21 10:00"; }},
        Refusal{"at: 2099-01-01 09:00 Europe/Berlin is too far ahead: at most 3650d",
                [](auto& r) { r.at = "2099-01-01"; }},
        Refusal{"in: duration \"soon\"", [](auto& r) { r.in = "soon"; }},
        Refusal{"in: duration \"-1h\"", [](auto& r) { r.in = "-1h"; }},
        Refusal{"in: 2126", [](auto& r) { r.in = "36500d"; }},
        Refusal{"event: \"2026-02-30\"", [](auto& r) { r.event = "2026-02-30"; }},
        Refusal{"event: every time before 2026-11-20 has passed",
                [](auto& r) { r.event = "2026-11-20"; }},
        Refusal{"event: 2099", [](auto& r) { r.event = "2099-01-01"; }},
        Refusal{"offsets: duration \"x\"",
                [](auto& r) {
                    r.event = "2026-12-31";
                    r.offsets = "15d,x";
                }},
        Refusal{"offsets: duration \"\"",
                [](auto& r) {
                    r.event = "2026-12-31";
                    r.offsets = "15d,";
                }},
        Refusal{"offsets: are at most 100",
                [](auto& r) {
                    r.event = "2026-12-31";
                    r.offsets = "1s";
                    for (int i = 0; i < 100; ++i) {
                        r.offsets += ",1s";
                    }
                }},
        Refusal{"offsets: need an event",
                [](auto& r) {
                    r.in = "1h";
                    r.offsets = "15d";
                }},
        Refusal{"every: goes with at or in",
                [](auto& r) {
                    r.event = "2026-12-31";
                    r.every = "yearly";
                }},
        Refusal{"every: \"sometimes\" is not known", [](auto& r) { r.every = "sometimes"; }},
        Refusal{"every: BYHOUR is 0 to 23", [](auto& r) { r.every = "FREQ=DAILY;BYHOUR=25"; }},
        Refusal{"every: FREQ=SECONDLY;INTERVAL=30 happens", [](auto& r) { r.every = "30s"; }},
        Refusal{"every: an interval is whole seconds", [](auto& r) { r.every = "1500ms"; }},
        Refusal{"every: FREQ=DAILY;UNTIL=20260101 never happens",
                [](auto& r) { r.every = "FREQ=DAILY;UNTIL=20260101"; }},
        Refusal{"every: never happens from now on",
                [](auto& r) {
                    r.at = "2025-01-01";
                    r.every = "FREQ=DAILY;COUNT=3";
                }},
        Refusal{"id: of a recurring reminder",
                [](auto& r) {
                    r.every = "daily";
                    r.id = std::string(101, 'x');
                }},
        Refusal{"time_zone: \"Europe/Bern\"",
                [](auto& r) {
                    r.in = "1h";
                    r.timeZone = "Europe/Bern";
                }},
        Refusal{"channel: is sip, sms or webhook",
                [](auto& r) {
                    r.in = "1h";
                    r.channel = Channel::Pull;
                }},
        Refusal{"to: \"sip:bob@example.org\" is no recipient on channel sms",
                [](auto& r) {
                    r.in = "1h";
                    r.channel = Channel::Sms;
                }},
        Refusal{"to: a URL with a user name or a password is not allowed",
                [](auto& r) {
                    r.every = "daily";
                    r.to = "https://me:secret@example.org/hook";
                }},
        Refusal{"text: is missing", [](auto& r) { r.text.clear(); }},
        Refusal{"text: is UTF-8", [](auto& r) { r.text = "\xff"; }},
        Refusal{"text: is at most 65536 bytes", [](auto& r) { r.text.assign(65'537, 'x'); }},
        Refusal{"text: is at most 65",
                [](auto& r) {
                    r.every = "daily";
                    r.text.assign(65'536, 'x');
                }},
        Refusal{"retry: ",
                [](auto& r) {
                    r.in = "1h";
                    r.retry = "often";
                }},
        Refusal{"expires: \"never\" is neither",
                [](auto& r) {
                    r.in = "1h";
                    r.expires = "never";
                }},
        Refusal{"expires: is longer than nothing",
                [](auto& r) {
                    r.in = "1h";
                    r.expires = "0s";
                }},
        Refusal{"expires: is later than the reminder", [](auto& r) {
                    r.in = "2d";
                    r.expires = "2026-11-22";
                }}));

TEST(Every, isPeoplesWordsOrARule)
{
    EXPECT_EQ(readEvery("Daily").value(), "FREQ=DAILY");
    EXPECT_EQ(readEvery("friday").value(), "FREQ=WEEKLY;BYDAY=FR");
    EXPECT_EQ(readEvery("90m").value(), "FREQ=MINUTELY;INTERVAL=90");
    EXPECT_EQ(readEvery("2h").value(), "FREQ=HOURLY;INTERVAL=2");
    EXPECT_EQ(readEvery("1d").value(), "FREQ=DAILY;INTERVAL=1");
    EXPECT_EQ(readEvery("2w").value(), "FREQ=WEEKLY;INTERVAL=2");
    EXPECT_EQ(readEvery("RRULE:FREQ=DAILY").value(), "FREQ=DAILY");
    EXPECT_FALSE(readEvery(""));
    EXPECT_FALSE(readEvery("0s"));
    EXPECT_FALSE(readEvery(std::string(100'000, 'd')));
}

TEST(SeriesBody, refusesWhatIsNotItsOwn)
{
    for (const auto* body : {"", "{}", "{}\n", "[1]\n", "{\"v\":2}\n", "{\"v\":1}\n", "not json\n",
                             R"({"v":1,"channel":"sip","retry":"x"})"
                             "\n"}) {
        EXPECT_FALSE(Series::parse(body)) << body;
    }
}

}  // namespace
}  // namespace restante::reminder
