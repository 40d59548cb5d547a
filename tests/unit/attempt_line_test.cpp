#include "core/base/text.h"
#include "core/delivery/attempt_line.h"
#include "core/queue/job_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace restante::delivery {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

AttemptLine line()
{
    return {.attempt = 2,
            .sent = TimePoint{1'700'000'000'120ms},
            .request = "POST https://hooks.example.org/in"};
}

std::string after(const HttpResult& result)
{
    auto one = line();
    setHttpResult(one, result, 40ms);
    return toString(one);
}

TEST(AttemptLine, saysWhenWhomWhatAndAfterHowLong)
{
    EXPECT_EQ(after(HttpAnswer{.status = 204, .elapsed = 12ms}),
              "attempt 2: 2023-11-14T22:13:20.120Z POST https://hooks.example.org/in 204 No "
              "Content (12 ms)\n");
}

TEST(AttemptLine, hasTheBeginningOfWhatARefusalSays)
{
    EXPECT_THAT(after(HttpAnswer{.status = 503, .body = "  back\r\n\tat ten ", .elapsed = 12ms}),
                HasSubstr(" 503 Service Unavailable: back at ten (12 ms)"));
    EXPECT_THAT(after(HttpAnswer{.status = 599, .body = "余额不足", .elapsed = 1ms}),
                HasSubstr(" 599: 余额不足 (1 ms)"));
    EXPECT_THAT(after(HttpAnswer{.status = 200, .body = "thank you", .elapsed = 1ms}),
                Not(HasSubstr("thank")));
}

TEST(AttemptLine, saysWhyNobodyAnswered)
{
    const HttpResult nobody = tl::unexpected(
        HttpError{HttpError::Kind::Connect, "cannot connect to hooks.example.org:443"});
    EXPECT_THAT(after(nobody), EndsWith("/in cannot connect to hooks.example.org:443 (no answer, "
                                        "40 ms)\n"));
}

TEST(AttemptLine, namesTheWayWhenItIsAnother)
{
    auto one = line();
    one.request = "sms:+4917012345678";
    one.via = "127.0.0.1:13013";
    one.answer = "the phone has it";
    EXPECT_EQ(toString(one), "attempt 2: 2023-11-14T22:13:20.120Z sms:+4917012345678 via "
                             "127.0.0.1:13013 the phone has it\n");
}

TEST(AttemptLine, staysOneShortLineWhateverAPeerWrites)
{
    for (const auto& body : {std::string(100'000, '\n') + "x", std::string(100'000, '\xff'),
                             std::string("\x1b[2J\0attempt 9: forged\n", 24),
                             std::string(119, 'a') + "余" + std::string(5'000, 'b')}) {
        auto one = line();
        one.request = "POST https://h/" + std::string(5'000, 'y') + " 200 OK\n";
        one.via = std::string(5'000, '\r');
        setHttpResult(one, HttpAnswer{.status = 500, .body = body}, 1ms);
        const auto text = toString(one);
        EXPECT_LE(text.size(), 640U);
        EXPECT_LT(text.size(), kLongestNote);
        EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
        EXPECT_EQ(text.find('\x1b'), std::string::npos);
        EXPECT_TRUE(isUtf8(text));
    }
}

TEST(AttemptLine, keepsAQueryToItself)
{
    EXPECT_EQ(withoutQuery("https://h/in?token=secret"), "https://h/in?...");
    EXPECT_EQ(withoutQuery("https://h/in"), "https://h/in");
}

}  // namespace
}  // namespace restante::delivery
