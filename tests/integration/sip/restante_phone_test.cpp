#include "tests/integration/sip/plugin_host.h"
#include "tests/support/process.h"
#include "tests/support/redis_server.h"
#include "tests/support/sip_phone.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace restante::test {
namespace {

/// restante-phone against a plugin.
class RestantePhone : public ::testing::TestWithParam<SipTransport> {
protected:
    static PluginHost::Settings settings()
    {
        auto settings = PluginHost::settings();
        settings.redis = sharedRedis().url();
        return settings;
    }
    std::vector<std::string> words(const std::string& user, std::vector<std::string> more) const
    {
        const auto server = host_.server(GetParam());
        std::vector<std::string> all{builtProgram("restante-phone"),
                                     "--user",
                                     "sip:" + user + "@localhost",
                                     "--server",
                                     "sip:" + server.hostPort(),
                                     "--transport",
                                     GetParam() == SipTransport::Tcp ? "tcp" : "udp",
                                     "--timeout",
                                     timeout_};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    Finished play(const std::string& user, std::vector<std::string> more) const
    {
        return run({words(user, std::move(more)), {}, {}});
    }

    PluginHost host_{settings()};
    std::string timeout_ = "20s";
};

TEST_P(RestantePhone, sendsAndPrintsWhatArrives)
{
    const auto sent = play("alice", {"--to", "sip:bob@localhost", "--text", "hello"});
    EXPECT_EQ(sent.status, 0) << sent.errors;
    EXPECT_EQ(sent.output, "202 Accepted\n");

    const auto got = play("bob", {"--once"});

    EXPECT_EQ(got.status, 0) << got.errors;
    EXPECT_EQ(got.output.find("From: <sip:alice@localhost>"), 0U) << got.output;
    EXPECT_NE(got.output.find("  Date: "), std::string::npos) << got.output;
    EXPECT_NE(got.output.find("\nhello\n"), std::string::npos) << got.output;
}

TEST_P(RestantePhone, leavesWhatItDoesNotPrintToTheNextOne)
{
    for (const auto* text : {"one", "two", "three"}) {
        ASSERT_EQ(play("alice", {"--to", "sip:bob@localhost", "--text", text}).status, 0);
    }
    for (const auto* text : {"one", "two", "three"}) {
        const auto got = play("bob", {"--once"});
        EXPECT_EQ(got.status, 0) << got.errors;
        EXPECT_NE(got.output.find(std::string("\n") + text + "\n"), std::string::npos)
            << got.output;
    }
}

TEST_P(RestantePhone, printsBytesAsJsonThatAreNoText)
{
    TempDir directory;
    const auto file = directory / "body";
    std::ofstream(file, std::ios::binary) << std::string("\xff\x00z", 3);
    ASSERT_EQ(play("alice", {"--to", "sip:bob@localhost", "--body-file", file, "--content-type",
                             "application/octet-stream"})
                  .status,
              0);

    const auto got = play("bob", {"--count", "1", "--json"});

    const auto json = nlohmann::json::parse(got.output);
    EXPECT_EQ(json.at("body_base64"), "/wB6");
    EXPECT_EQ(json.at("content_type"), "application/octet-stream");
}

TEST_P(RestantePhone, failsWhenNothingComesInTime)
{
    timeout_ = "300ms";
    const auto got = play("bob", {"--once"});
    EXPECT_EQ(got.status, 1);
    EXPECT_NE(got.errors.find("time is up"), std::string::npos) << got.errors;
}

TEST_P(RestantePhone, takesItsRegistrationBackAtTheEnd)
{
    Process bob({words("bob", {}), {}, {}});
    ASSERT_TRUE(bob.waitForLine("registered")) << bob.allOutput();

    bob.signal(SIGTERM);

    EXPECT_EQ(bob.waitForExit(), 0) << bob.allOutput();
    SipPhone query({"bob", "localhost", host_.server()});
    auto fetch = query.request("REGISTER", query.aor());
    fetch.remove("Contact").remove("Expires");
    const auto answer = query.ask(fetch);
    EXPECT_EQ(answer.status, 200);
    EXPECT_FALSE(answer.response.has("Contact")) << answer.response.toString();
}

INSTANTIATE_TEST_SUITE_P(Over,
                         RestantePhone,
                         ::testing::Values(SipTransport::Udp, SipTransport::Tcp),
                         [](const auto& over) {
                             return over.param == SipTransport::Tcp ? "Tcp" : "Udp";
                         });

TEST(RestantePhoneRefresh, saysWhenItFailsAndWhenItWorksAgain)
{
    SipPhone registrar({"registrar", "localhost", {SipTransport::Udp, "127.0.0.1", 9}});
    int asked = 0;
    registrar.answerWith([&](const SipText&) {
        ++asked;
        return asked == 2 || asked == 3 ? 480 : 200;
    });
    Process bob({{builtProgram("restante-phone"), "--user", "sip:bob@localhost", "--server",
                  "sip:" + registrar.socket().address(), "--expires", "1"},
                 {},
                 {}});
    EXPECT_TRUE(registrar.workUntil([&] {
        return bob.errors().find("registered sip:bob@localhost\n"
                                 "not registered any more: 480 Temporarily Unavailable\n"
                                 "registered sip:bob@localhost\n") != std::string::npos;
    })) << bob.errors();
}

TEST(RestantePhoneUsage, saysWhatIsWrongWithTheLine)
{
    const auto phone = builtProgram("restante-phone");
    EXPECT_EQ(run({{phone}, {}, {}}).status, 2);
    EXPECT_EQ(run({{phone, "--user", "bob"}, {}, {}}).status, 2);
    EXPECT_EQ(run({{phone, "--user", "sip:bob@localhost", "--text", "x"}, {}, {}}).status, 2);
    EXPECT_EQ(run({{phone, "--help"}, {}, {}}).status, 0);
}

}  // namespace
}  // namespace restante::test
