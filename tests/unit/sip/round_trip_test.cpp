// A message as it comes, through the record and the wire text, and read again: nothing is lost.

#include "core/redis/store/job_codec.h"
#include "sipplugin/message/sip_message_codec.h"
#include "sipplugin/outbound/delivery_route.h"
#include "tests/support/sip_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace restante::sip {
namespace {

using test::SipText;

const std::vector<std::string> kNames{"Accept-Language",
                                      "Alert-Info",
                                      "Call-Info",
                                      "Content-Disposition",
                                      "Content-Encoding",
                                      "Content-ID",
                                      "Content-Language",
                                      "Conversation-ID",
                                      "In-Reply-To",
                                      "Organization",
                                      "P-Asserted-Identity",
                                      "Priority",
                                      "Reply-To",
                                      "Subject",
                                      "X-Extra"};

/// Messages that a seed makes, each another one.
class Messages {
public:
    explicit Messages(unsigned seed) : random_(seed) {}

    SipText next()
    {
        SipText message;
        message.startLine = "MESSAGE sip:bob@example.com SIP/2.0";
        message.headers = {{"From", "\"" + quoted() + "\" <sip:alice@example.com>;tag=1"},
                           {"To", "\"" + quoted() + "\" <sip:bob@example.com>"},
                           {"Call-ID", "c" + std::to_string(random_()) + "@example.com"},
                           {"CSeq", "7 MESSAGE"},
                           {"Date", "Sat, 13 Nov 2010 23:29:00 GMT"}};
        for (auto count = below(6); count > 0; --count) {
            message.headers.emplace_back(kNames[below(kNames.size())], value());
        }
        message.body = bytes(below(4) == 0 ? below(65'536) : below(300));
        if (!message.body.empty()) {
            message.headers.emplace_back("Content-Type", "application/x-" +
                                                             std::to_string(below(9)) + ";p=\"" +
                                                             quoted() + "\"");
        }
        return message;
    }

private:
    std::size_t below(std::size_t bound) { return random_() % bound; }
    std::string bytes(std::size_t count)
    {
        std::string text;
        while (text.size() < count) {
            text += static_cast<char>(random_());
        }
        return text;
    }
    /// No control characters, no space at either end: those are no part of a header's value.
    std::string value()
    {
        auto text = "x" + bytes(below(80)) + "x";
        std::ranges::replace_if(
            text, [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
        return text;
    }
    std::string quoted()
    {
        std::string text;
        for (const char c : value()) {
            text += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
        }
        return text;
    }

    std::mt19937 random_;
};

ReceivedRequest requestOf(const SipText& text)
{
    ReceivedRequest request;
    request.method = "MESSAGE";
    request.requestUri = "sip:bob@example.com";
    for (const auto& [name, value] : text.headers) {
        request.headers.push_back({name, value});
    }
    request.body = text.body;
    return request;
}

std::string withoutTag(const std::string& address)
{
    return address.substr(0, address.rfind(";tag="));
}

TEST(RoundTrip, keepsBodyAndListedHeadersOfAnyMessage)
{
    Messages messages(4'075);
    CodecSettings settings;
    settings.extraHeaders = {"X-Extra"};
    for (int i = 0; i < 500; ++i) {
        const auto written = messages.next();
        SCOPED_TRACE(i);
        auto job = jobOf(requestOf(written), TimePoint{Millis{1'700'000'000'000}}, settings);
        ASSERT_TRUE(job) << job.error().message;
        job->id = "m";
        std::string record;
        redis::encodeRecord(*job, record);
        const auto kept = redis::decodeRecord("m", record);
        ASSERT_TRUE(kept);

        DeliveryRoute route;
        route.requestUri = "sip:bob@192.0.2.1";
        const auto sent =
            formatRequest(outgoingMessageOf(*kept, 3, "sip:restante@localhost"), route);
        ASSERT_TRUE(sent) << sent.error().message;
        const auto read = SipText::parse(*sent);

        ASSERT_TRUE(read);
        EXPECT_TRUE(read->body == written.body);
        EXPECT_EQ(withoutTag(read->header("From")), withoutTag(written.header("From")));
        for (const auto* name : {"To", "Call-ID", "Date", "Content-Type"}) {
            EXPECT_EQ(read->header(name), written.header(name)) << name;
        }
        for (const auto& name : kNames) {
            EXPECT_EQ(read->all(name), written.all(name)) << name;
        }
    }
}

}  // namespace
}  // namespace restante::sip
