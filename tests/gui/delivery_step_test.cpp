// What the history of a job tells of the attempts to deliver it.

#include "core/queue/job_history.h"
#include "gui/pages/detail/delivery_step.h"

#include <gtest/gtest.h>

namespace restante::gui::test {
namespace {

using Outcome = DeliveryStep::Outcome;

HistoryRow row(std::int64_t at,
               const std::string& transition,
               const std::string& from,
               const std::string& to,
               const std::string& note = {})
{
    HistoryRow row;
    row.at = fromEpochMs(at);
    row.transition = transition;
    row.from = from;
    row.to = to;
    row.note = note;
    row.worker = "host/1";
    return row;
}

TEST(DeliveryStep, isReadFromALineOfTheLadder)
{
    const auto step = parseAttemptLine(QStringLiteral(
        "attempt 3: 2026-12-31T09:00:00.120Z sip:bob@10.0.0.7:5060 via 10.0.0.1:5060 480 "
        "Temporarily (so to speak) Unavailable (12 ms)"));
    ASSERT_TRUE(step);
    EXPECT_EQ(step->attempt, 3U);
    EXPECT_EQ(toEpochMs(step->sent), 1798707600120);
    EXPECT_EQ(step->target, QStringLiteral("sip:bob@10.0.0.7:5060"));
    EXPECT_EQ(step->via, QStringLiteral("10.0.0.1:5060"));
    EXPECT_EQ(step->status, 480);
    EXPECT_EQ(step->answer, QStringLiteral("480 Temporarily (so to speak) Unavailable"));
    EXPECT_EQ(step->took, Millis{12});
    EXPECT_EQ(step->outcome, Outcome::Refused);
}

TEST(DeliveryStep, tellsAnAnswerFromNone)
{
    const auto line = QStringLiteral("attempt 2: 2026-12-31T09:02:00.133Z sip:b@h %1 ms)");
    EXPECT_EQ(parseAttemptLine(line.arg(QStringLiteral("408 Request Timeout (no answer, 32000")))
                  ->outcome,
              Outcome::NoAnswer);
    EXPECT_EQ(parseAttemptLine(line.arg(QStringLiteral("200 OK (8")))->outcome, Outcome::Delivered);
    EXPECT_EQ(parseAttemptLine(line.arg(QStringLiteral("603 (8")))->answer, QStringLiteral("603"));
}

TEST(DeliveryStep, isReadFromWhatAWebhookLeaves)
{
    const auto step = parseAttemptLine(
        QStringLiteral("attempt 2: 2026-12-31T09:00:00.120Z POST https://h.example.org/in "
                       "503 Service Unavailable: back (in 5 min) (41 ms)"));
    ASSERT_TRUE(step);
    EXPECT_EQ(step->target, QStringLiteral("POST https://h.example.org/in"));
    EXPECT_EQ(step->status, 503);
    EXPECT_EQ(step->answer, QStringLiteral("503 Service Unavailable: back (in 5 min)"));
    EXPECT_EQ(step->took, Millis{41});
    const auto silent = parseAttemptLine(
        QStringLiteral("attempt 1: 2026-12-31T09:00:00.120Z POST https://h.example.org/in "
                       "cannot connect to h.example.org:443 (no answer, 5000 ms)"));
    ASSERT_TRUE(silent);
    EXPECT_EQ(silent->status, 0);
    EXPECT_EQ(silent->outcome, Outcome::NoAnswer);
    EXPECT_EQ(silent->answer, QStringLiteral("cannot connect to h.example.org:443"));
}

TEST(DeliveryStep, isReadFromADeliveryReportByWhatItLedTo)
{
    const std::string note =
        "attempt 1: 2026-12-31T09:00:00.120Z delivery-report the phone has it: DELIVRD\n";
    for (const auto* transition : {"finish", "retry"}) {
        const auto steps = deliveryLogOf({row(1, "claim", "ready", "leased"),
                                          row(2, transition, "leased", "done", note)},
                                         {})
                               .steps;
        ASSERT_EQ(steps.size(), 1U);
        EXPECT_EQ(steps[0].answer, QStringLiteral("the phone has it: DELIVRD"));
        EXPECT_EQ(steps[0].outcome,
                  std::string(transition) == "finish" ? Outcome::Delivered : Outcome::Refused);
    }
}

TEST(DeliveryStep, isNotMadeUpFromAnotherText)
{
    for (const auto* line :
         {"", "attempt", "attempt 1: yesterday sip:b@h 200 OK (8 ms)",
          "attempt 99999999999: 2026-12-31T09:02:00.133Z sip:b@h 200 OK (8 ms)",
          "attempt 1: 2026-12-31T09:02:00.133Z sip:b@h 200 OK (8", "<b>attempt 1:</b>"}) {
        EXPECT_FALSE(parseAttemptLine(QString::fromUtf8(line))) << line;
    }
}

TEST(Deliveries, haveEachRequestOfASipMessageOnce)
{
    const std::string first = "attempt 1: 2026-12-31T09:00:00.000Z sip:b@h1 480 Away (1 ms)\n"
                              "attempt 1: 2026-12-31T09:00:00.002Z sip:b@h2 408 Request Timeout "
                              "(no answer, 500 ms)\n";
    const std::string second = "attempt 2: 2026-12-31T09:02:00.000Z sip:b@h1 200 OK (3 ms)\n";
    const auto steps =
        deliveryLogOf({row(1, "push", "", "held"), row(2, "claim", "held", "leased"),
                       row(3, "hold", "leased", "held", first), row(4, "claim", "held", "leased"),
                       row(5, "finish", "leased", "done", second)},
                      {})
            .steps;
    ASSERT_EQ(steps.size(), 3U);
    EXPECT_EQ(steps[1].outcome, Outcome::NoAnswer);
    EXPECT_EQ(steps[2].attempt, 2U);
    EXPECT_EQ(steps[2].worker, QStringLiteral("host/1"));
}

TEST(Deliveries, ofOtherChannelsAreTheLeases)
{
    JobView view;
    view.job.recipient = "https://example.org/hook";
    view.lastError = "503 Service Unavailable";
    const auto steps =
        deliveryLogOf(
            {row(1'000, "push", "", "ready"), row(2'000, "claim", "ready", "leased"),
             row(2'250, "retry", "leased", "scheduled"), row(3'000, "claim", "ready", "leased"),
             row(9'000, "reap", "leased", "ready"), row(9'100, "claim", "ready", "leased"),
             row(9'200, "bury", "leased", "dead")},
            view)
            .steps;
    ASSERT_EQ(steps.size(), 3U);
    EXPECT_EQ(steps[0].took, Millis{250});
    EXPECT_EQ(steps[0].outcome, Outcome::Refused);
    EXPECT_EQ(steps[0].target, QStringLiteral("https://example.org/hook"));
    EXPECT_EQ(steps[1].outcome, Outcome::NoAnswer);
    EXPECT_EQ(steps[2].attempt, 3U);
    EXPECT_EQ(steps[2].answer, QStringLiteral("503 Service Unavailable"));
}

TEST(Deliveries, areOnlyTheRequestsThatHaveLeft)
{
    JobView view;
    view.job.channel = Channel::Sip;
    view.job.recipient = "sip:carol@example.org";
    const std::string sent = "attempt 1: 2026-12-31T09:00:00.000Z sip:c@h 480 Away (1 ms)\n";
    const auto log = deliveryLogOf(
        {row(1, "push", "", "held"), row(2, "claim_mailbox", "held", "leased"),
         row(3, "hold", "leased", "held", "no device is registered"),
         row(4, "claim_mailbox", "held", "leased"), row(5, "hold", "leased", "held"),
         row(6, "claim_mailbox", "held", "leased"), row(7, "hold", "leased", "held", sent)},
        view);
    ASSERT_EQ(log.steps.size(), 1U);
    EXPECT_EQ(log.steps[0].attempt, 1U);
    EXPECT_EQ(log.steps[0].answer, QStringLiteral("480 Away"));
    ASSERT_EQ(log.unsent.size(), 2U);
    EXPECT_EQ(log.unsent[0].why, QStringLiteral("no device is registered"));
    EXPECT_EQ(log.unsent[0].at, fromEpochMs(3));
    EXPECT_EQ(log.unsent[1].why, QString());
}

TEST(Deliveries, areNotSaidToBeUnsentWhereNobodyKeptWhatWasSent)
{
    JobView view;
    view.job.channel = Channel::Sip;
    std::vector<HistoryRow> history{row(1, "push", "", "held"), row(2, "claim", "held", "leased"),
                                    row(3, "hold", "leased", "held"),
                                    row(4, "claim", "held", "leased"),
                                    row(5, "hold", "leased", "held")};
    for (auto& each : history) {
        each.noteIsKnown = false;
    }
    const auto log = deliveryLogOf(history, view);
    EXPECT_TRUE(log.steps.empty());
    EXPECT_TRUE(log.unsent.empty());
    EXPECT_EQ(log.unknownAttempts, 2U);
}

TEST(Deliveries, haveTheOneThatIsUnderWay)
{
    const auto steps =
        deliveryLogOf(
            {row(2'000, "claim", "ready", "leased"), row(2'500, "touch", "leased", "leased")}, {})
            .steps;
    ASSERT_EQ(steps.size(), 1U);
    EXPECT_EQ(steps[0].outcome, Outcome::UnderWay);
    EXPECT_FALSE(steps[0].took);
}

TEST(Deliveries, keepALineThatWasCutOff)
{
    const auto steps =
        deliveryLogOf(
            {row(7, "hold", "leased", "held",
                 "attempt 4: 2026-12-31T09:00:00.000Z sip:b@h 480 Away (1 ms)\nattempt 4: 2026-1")},
            {})
            .steps;
    ASSERT_EQ(steps.size(), 2U);
    EXPECT_EQ(steps[1].attempt, 4U);
    EXPECT_EQ(steps[1].answer, QStringLiteral("attempt 4: 2026-1"));
    EXPECT_EQ(toEpochMs(steps[1].sent), 7);
}

TEST(Deliveries, areNoneOfWhatHasOnlyBeenMoved)
{
    EXPECT_TRUE(
        deliveryLogOf({row(1, "push", "", "scheduled"), row(2, "trash", "scheduled", "trashed"),
                       row(3, "restore", "trashed", "scheduled")},
                      {})
            .steps.empty());
}

}  // namespace
}  // namespace restante::gui::test
