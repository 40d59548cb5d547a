// What a job's history tells of the attempts to deliver it.

#include "tests/support/daemon_phones.h"
#include "tests/support/eventually.h"
#include "tests/support/http_client.h"
#include "tests/support/instance_phone.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace restante::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;

constexpr auto kWhenAndWhere = "20..-..-..T..:..:..[.]...Z sip:bob@[^ ]* ";

/// What the history of a job has: transition and note.
std::vector<std::string> notesOf(const Daemon& daemon, const std::string& id)
{
    std::vector<std::string> notes;
    HttpClient client(daemon.httpPort());
    const auto answer = client.ask("GET", "/v1/jobs/" + id + "/history");
    const auto document = json::parse(answer.body, nullptr, false);
    for (const auto& row : document.value("history", json::array())) {
        if (row.contains("note")) {
            notes.push_back(row["transition"].get<std::string>() + " " +
                            row["note"].get<std::string>());
        }
    }
    return notes;
}

TEST(Ladder, hasTheAttemptsForEachDevice)
{
    Daemon daemon({.set = {"sip.devices=all", "sip.retry=0s,300ms,300ms"}});
    auto alice = phoneOf(daemon, "alice");
    auto phone = phoneOf(daemon, "bob");
    auto plain = phoneOf(daemon, "bob");
    int asked = 0;
    phone.answerWith([&](const SipText&) { return asked++ == 0 ? 480 : 200; });
    plain.answerWith([&](const SipText&) { return 415; });
    ASSERT_EQ(registerAs(phone, "urn:uuid:phone"), 200);
    ASSERT_EQ(alice.say(Daemon::aor("bob"), "to each"), 202);
    ASSERT_TRUE(phone.receive(1));
    ASSERT_EQ(registerAs(plain, "urn:uuid:plain"), 200);
    ASSERT_TRUE(plain.workUntil([&] { return plain.offered().size() == 1; }));
    const auto id = phone.received().at(0).header("X-Restante-Job");

    std::vector<std::string> notes;
    ASSERT_TRUE(eventually([&] { return (notes = notesOf(daemon, id)).size() == 3; }, 30s));
    const std::string when = kWhenAndWhere;
    EXPECT_THAT(notes[0], MatchesRegex("mark attempt 1: " + when + "480 .* \\([0-9]* ms\\)\n"));
    EXPECT_THAT(notes[1], MatchesRegex("mark attempt 2: " + when + "200 .* \\([0-9]* ms\\)\n"));
    EXPECT_THAT(notes[2], MatchesRegex("mark attempt 1: " + when + "415 .* \\([0-9]* ms\\)\n"));
}

TEST(Ladder, hasEachAttemptWithItsAnswerAndTime)
{
    Daemon daemon({.set = {"sip.retry=0s,300ms,300ms", "sip.answer_timeout=600ms"}});
    auto alice = phoneOf(daemon, "alice");
    auto bob = registeredPhone(daemon, "bob");
    int asked = 0;
    bob.answerWith([&](const SipText&) {
        const int answers[] = {480, 0, 200};
        return answers[std::min(asked++, 2)];
    });
    ASSERT_EQ(alice.say(Daemon::aor("bob"), "third time lucky"), 202);
    ASSERT_TRUE(bob.receive(1));
    const auto id = bob.received().at(0).header("X-Restante-Job");

    std::vector<std::string> notes;
    ASSERT_TRUE(eventually([&] { return (notes = notesOf(daemon, id)).size() == 3; }, 30s));
    const std::string when = kWhenAndWhere;
    EXPECT_THAT(notes[0], MatchesRegex("hold attempt 1: " + when + "480 .* \\([0-9]* ms\\)\n"));
    EXPECT_THAT(notes[1],
                MatchesRegex("hold attempt 2: " + when + "408 .* \\(no answer, [0-9]* ms\\)\n"));
    EXPECT_THAT(notes[2], MatchesRegex("finish attempt 3: " + when + "200 .* \\([0-9]* ms\\)\n"));

    EXPECT_THAT(daemon.control({"show", id, "--history"}).output,
                AllOf(HasSubstr("attempts\n  attempt 1: "), HasSubstr("\n  attempt 2: "),
                      HasSubstr("\n  attempt 3: ")));
}

}  // namespace
}  // namespace restante::test
