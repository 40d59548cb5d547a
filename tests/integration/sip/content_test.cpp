// What a message holds, from the sender to the device.

#include "tests/integration/sip/plugin_host.h"
#include "tests/support/redis_server.h"
#include "tests/support/sip_phone.h"

#include <gmock/gmock.h>

#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace restante::test {
namespace {

using namespace std::chrono_literals;

struct Content {
    std::string name;
    std::string type;  ///< empty: none
    std::string body;
};

void PrintTo(const Content& content, std::ostream* out)
{
    *out << content.name << " (" << content.body.size() << " bytes)";
}

std::string everyByte()
{
    std::string bytes;
    for (int byte = 0; byte < 256; ++byte) {
        bytes += static_cast<char>(byte);
    }
    return bytes;
}

std::string multipart()
{
    const std::string nul(1, '\0');
    return "preamble\r\n--a b\r\nContent-Type: text/plain\r\n\r\nhello\r\n--a b\r\n"
           "Content-Type: image/png\r\nContent-Transfer-Encoding: binary\r\n\r\n\x89PNG\r\n" +
           nul + nul + "\r\n--a b--\r\n";
}

const std::string kCpim =
    "From: \"Alice\" <sip:alice@localhost>\r\nTo: <sip:bob@localhost>\r\n"
    "DateTime: 2026-12-31T09:00:00Z\r\nNS: imdn <urn:ietf:params:imdn>\r\nimdn.Message-ID: "
    "34jk3\r\n"
    "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 5\r\n\r\nhello";

std::vector<Content> contents()
{
    return {{"text", "text/plain;charset=UTF-8", "caf\xc3\xa9"},
            {"nothing", "", ""},
            {"nothingOfAType", "text/plain", ""},
            {"everyByte", "application/octet-stream", everyByte()},
            {"nul", "application/x-nul", std::string(1, '\0')},
            {"lineEnds", "text/plain", "\r\n\r\nSIP/2.0 200 OK\r\n\r\n\n\r"},
            {"multipart", "multipart/mixed ; boundary=\"a b\";charset=ISO-8859-1", multipart()},
            {"cpim", "message/cpim", kCpim},
            {"longType",
             "application/vnd." + std::string(200, 'x') + "+xml;version=\"1;2\";q=\"\\\"\"",
             "<a/>"},
            {"overOneDatagram", "text/plain", std::string(30'000, 'd')},
            {"mostOfADatagram", "application/octet-stream", std::string(60'000, '\xff')}};
}

class ContentOf : public ::testing::TestWithParam<std::tuple<Content, SipTransport>> {
protected:
    static PluginHost::Settings settings()
    {
        auto settings = PluginHost::settings();
        settings.redis = sharedRedis().url();
        settings.sip.headers = {"X-Campaign"};
        settings.sip.headersDropped = {"user-agent", "Call-Info"};
        return settings;
    }
    SipPhone phone(const std::string& user, SipTransport transport)
    {
        return SipPhone({user, "localhost", host_.server(transport)});
    }

    PluginHost host_{settings()};
};

TEST_P(ContentOf, arrivesByteForByte)
{
    const auto& [content, transport] = GetParam();
    auto alice = phone("alice", SipTransport::Tcp);
    auto bob = phone("bob", transport);
    auto message = alice.message(bob.aor(), content.body);
    content.type.empty() ? message.remove("Content-Type")
                         : message.set("Content-Type", content.type);
    ASSERT_EQ(alice.ask(message).status, 202);

    ASSERT_EQ(bob.registerFor(60s).status, 200);

    ASSERT_TRUE(bob.receive(1));
    EXPECT_TRUE(bob.received()[0].body == content.body);
    EXPECT_EQ(bob.received()[0].header("Content-Type"), content.type);
}

INSTANTIATE_TEST_SUITE_P(Over,
                         ContentOf,
                         ::testing::Combine(::testing::ValuesIn(contents()),
                                            ::testing::Values(SipTransport::Udp,
                                                              SipTransport::Tcp)),
                         [](const auto& test) {
                             return std::get<0>(test.param).name +
                                    (std::get<1>(test.param) == SipTransport::Udp ? "_udp"
                                                                                  : "_tcp");
                         });

class Kept : public ContentOf {
protected:
    /// The message that Bob gets of this one.
    SipText delivered(SipPhone& alice, const SipText& message)
    {
        auto bob = phone("bob", SipTransport::Udp);
        EXPECT_EQ(alice.ask(message).status, 202);
        EXPECT_EQ(bob.registerFor(60s).status, 200);
        EXPECT_TRUE(bob.receive(1));
        return bob.received().empty() ? SipText{} : bob.received().front();
    }
};

TEST_P(Kept, areTheHeadersOfEndToEndMeaning)
{
    const std::vector<std::pair<std::string, std::string>> headers{
        {"Accept-Language", "da, en-gb;q=0.8"},
        {"Content-Disposition", "render;handling=optional"},
        {"Content-Encoding", "identity"},
        {"Content-Language", "fr, en"},
        {"Conversation-ID", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"},
        {"Date", "Sat, 13 Nov 2010 23:29:00 GMT"},
        {"In-Reply-To", "70710@saturn.bell-tel.com, 17320@saturn.bell-tel.com"},
        {"MIME-Version", "1.0"},
        {"Organization", "Boxes by Bob"},
        {"P-Asserted-Identity", "\"Cullen Jennings\" <sip:fluffy@cisco.com>"},
        {"Priority", "non-urgent"},
        {"Reply-To", "\"Bob, \\\"B\\\"\" <sip:bob@biloxi.com;x=1>"},
        {"Subject", "need  more \"boxes\", caf\xc3\xa9"},
        {"X-Campaign", "spring ; 1"}};
    auto alice = phone("alice", SipTransport::Udp);
    auto message = alice.message("sip:bob@localhost", "x");
    for (const auto& [name, value] : headers) {
        message.set(name, value);
    }
    message.set("User-Agent", "phone/1")
        .set("Call-Info", "<http://a.example/>")
        .set("X-Other", "1");

    const auto got = delivered(alice, message);

    for (const auto& [name, value] : headers) {
        EXPECT_EQ(got.header(name), value) << name;
    }
    for (const auto* dropped : {"User-Agent", "Call-Info", "X-Other"}) {
        EXPECT_FALSE(got.has(dropped)) << dropped;
    }
}

TEST_P(Kept, areDisplayNamesAsTheSenderWroteThem)
{
    auto alice = phone("alice", SipTransport::Udp);
    for (const std::string from :
         {"\"Alice, \\\"A\\\" \\\\ caf\xc3\xa9 \xe2\x98\x83\" <sip:alice@localhost>",
          "\"<sip:mallory@localhost>;tag=x\" <sip:alice@localhost>",
          "Alice A. <sip:alice@localhost>", "\"\" <sip:alice@localhost>"}) {
        auto message = alice.message("sip:bob@localhost", "x");
        message.set("From", from + ";tag=1;y=\"a;b\"").set("To", "\"B;o>b\" <sip:bob@localhost>");

        const auto got = delivered(alice, message);

        EXPECT_THAT(got.header("From"), testing::StartsWith(from + ";y=\"a;b\""));
        EXPECT_EQ(got.header("To"), "\"B;o>b\" <sip:bob@localhost>");
    }
}

TEST_P(Kept, areCompactFoldedAndRepeatedHeaders)
{
    auto alice = phone("alice", SipTransport::Udp);
    auto message = alice.message("sip:bob@localhost", "x");
    message.remove("Content-Type");
    message.headers.emplace_back("s", "compact");
    message.headers.emplace_back("c", "text/html");
    message.headers.emplace_back("In-Reply-To", "a@b,\r\n  c@d");
    message.headers.emplace_back("X-Campaign", "first");
    message.headers.emplace_back("X-Campaign", "second");

    const auto got = delivered(alice, message);

    EXPECT_EQ(got.header("Subject"), "compact");
    EXPECT_EQ(got.header("Content-Type"), "text/html");
    EXPECT_EQ(got.header("In-Reply-To"), "a@b, c@d");
    EXPECT_EQ(got.all("X-Campaign"), (std::vector<std::string>{"first", "second"}));
}

TEST_P(Kept, isNothingThatCouldNotBeDeliveredLater)
{
    const auto statusOf = [&](const std::function<void(SipText&)>& change) {
        auto alice = phone("alice", SipTransport::Tcp);  // what is refused may end its connection
        auto message = alice.message("sip:bob@localhost", "x");
        change(message);
        return alice.ask(message).status;
    };
    EXPECT_EQ(statusOf([](auto& m) { m.set("Subject", std::string(20'000, 's')); }), 400);
    EXPECT_EQ(statusOf([](auto& m) { m.set("Content-Type", "text"); }), 400);
    EXPECT_EQ(statusOf([](auto& m) { m.remove("Content-Type"); }), 400);
    EXPECT_EQ(statusOf([](auto& m) { m.set("Date", "yesterday"); }), 400);
    EXPECT_EQ(statusOf([](auto& m) { m.set("Subject", "a\x01z"); }), 400);
    EXPECT_EQ(statusOf([](auto& m) { m.body = std::string(65'537, 'b'); }), 413);
    EXPECT_EQ(statusOf([](auto& m) { m.body = std::string(65'536, 'b'); }), 202);
}

// One content and one way are enough for these.
INSTANTIATE_TEST_SUITE_P(Once, Kept, ::testing::Values(std::tuple{Content{}, SipTransport::Udp}));

}  // namespace
}  // namespace restante::test
