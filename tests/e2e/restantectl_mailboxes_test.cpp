// restantectl mailboxes and GET /v1/mailboxes: for whom messages wait, by a real daemon.

#include "tests/support/daemon_phones.h"
#include "tests/support/eventually.h"
#include "tests/support/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace restante::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kCarol = Daemon::aor("carol");

json mailboxesOf(const Daemon& daemon, std::vector<std::string> words = {})
{
    words.insert(words.begin(), {"mailboxes", "--json"});
    const auto result = daemon.control(words);
    EXPECT_EQ(result.status, 0) << result.errors;
    return json::parse(result.output);
}

class RestantectlMailboxes : public ::testing::Test {
protected:
    /// Bob was here once; three messages wait for Carol, one for him.
    RestantectlMailboxes()
    {
        auto bob = phoneOf(daemon_, "bob");
        auto registration = bob.registration(kRegistration);
        registration.set("User-Agent", "Testphone/2.0");
        EXPECT_EQ(bob.ask(registration).status, 200);
        EXPECT_EQ(bob.unregister().status, 200);
        auto alice = phoneOf(daemon_, "alice");
        EXPECT_EQ(alice.say(kBob, "one"), 202);
        for (int i = 0; i < 3; ++i) {
            EXPECT_EQ(alice.say(kCarol, "two"), 202);
        }
        EXPECT_TRUE(eventually([&] { return daemon_.jobs()["held"] == 4; }, kProcessTimeout));
    }

    Daemon daemon_;
};

TEST_F(RestantectlMailboxes, saysForWhomMessagesWaitAndSinceWhenTheyAreAway)
{
    const auto page = mailboxesOf(daemon_);
    ASSERT_EQ(page["mailboxes"].size(), 2U) << page.dump(1);
    EXPECT_EQ(page["total"], 2);
    EXPECT_EQ(page["messages"], 4);
    const auto& carol = page["mailboxes"][0];
    EXPECT_EQ(carol["recipient"], kCarol);
    EXPECT_EQ(carol["waiting"], 3);
    EXPECT_FALSE(carol.contains("away_since")) << "nobody has seen her";
    EXPECT_TRUE(carol["devices"].empty());
    const auto& bob = page["mailboxes"][1];
    EXPECT_EQ(bob["registered"], false);
    EXPECT_TRUE(bob.contains("away_since"));
    ASSERT_EQ(bob["devices"].size(), 1U);
    EXPECT_EQ(bob["devices"][0]["agent"], "Testphone/2.0");
    EXPECT_EQ(bob["devices"][0]["until_ms"], bob["away_since_ms"]);
}

TEST_F(RestantectlMailboxes, isATableForPeople)
{
    const auto all = daemon_.control({"mailboxes"}).output;
    EXPECT_THAT(all,
                AllOf(HasSubstr("RECIPIENT"), HasSubstr("no device known"), HasSubstr("away since"),
                      HasSubstr("2 mailboxes, 4 messages"), Not(HasSubstr("Testphone"))));
    EXPECT_THAT(daemon_.control({"mailboxes", "BOB"}).output,
                AllOf(HasSubstr("1 mailbox, 1 message"), HasSubstr("Testphone/2.0"),
                      HasSubstr("gone"), Not(HasSubstr("carol"))));
    EXPECT_THAT(daemon_.control({"mailboxes", "nobody"}).output,
                HasSubstr("no messages wait in a mailbox of that name"));
}

TEST_F(RestantectlMailboxes, goesOnWhereThePageBeforeEnded)
{
    const auto first = mailboxesOf(daemon_, {"--limit", "1"});
    ASSERT_EQ(first["mailboxes"].size(), 1U);
    const auto second =
        mailboxesOf(daemon_, {"--limit", "1", "--cursor", first["cursor"].get<std::string>()});
    ASSERT_EQ(second["mailboxes"].size(), 1U);
    EXPECT_EQ(second["mailboxes"][0]["recipient"], kBob);
    EXPECT_EQ(second["cursor"], nullptr);
    const auto wrong = daemon_.control({"mailboxes", "--cursor", "here"});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_THAT(wrong.errors, HasSubstr("cursor"));
    ASSERT_EQ(daemon_.control({"purge", "--filter", fmt::format("to:{}", kBob), "--yes"}).status,
              0);
    EXPECT_THAT(
        daemon_.control({"mailboxes", "--cursor", first["cursor"].get<std::string>()}).output,
        HasSubstr("no more mailboxes"))
        << "the one before still has messages";
}

TEST_F(RestantectlMailboxes, isTheSameOverHttp)
{
    HttpClient http(daemon_.httpPort());
    const auto answer = http.ask("GET", "/v1/mailboxes");
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(json::parse(answer.body), mailboxesOf(daemon_));
}

TEST_F(RestantectlMailboxes, tellsWhoHasComeBackInTheMeantime)
{
    auto bob = phoneOf(daemon_, "bob");
    bob.answerWith([](const SipText&) { return 486; });
    EXPECT_EQ(bob.registerFor(kRegistration).status, 200);
    EXPECT_TRUE(bob.workUntil([&] { return !bob.offered().empty(); }));
    const auto view = mailboxesOf(daemon_, {"bob"})["mailboxes"];
    ASSERT_EQ(view.size(), 1U);
    EXPECT_EQ(view[0]["registered"], true);
    EXPECT_FALSE(view[0].contains("away_since"));
    EXPECT_THAT(daemon_.control({"mailboxes", "bob"}).output, HasSubstr("registered, 1 device"));
}

}  // namespace
}  // namespace restante::test
