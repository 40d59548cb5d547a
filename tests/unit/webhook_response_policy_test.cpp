#include "core/delivery/webhook_response_policy.h"

#include <gtest/gtest.h>

namespace restante::delivery {
namespace {

using namespace std::chrono_literals;
using Kind = Outcome::Kind;

const WebUrl kUrl = parseWebUrl("https://hooks.example.org/secret?token=1").value();
// Sun, 06 Nov 1994 08:49:37 GMT
const TimePoint kAnswerTime = fromEpochMs(784'111'777'000);

Outcome judged(int status, const std::string& retryAfter = "")
{
    HttpAnswer answer{.status = status};
    if (!retryAfter.empty()) {
        answer.headers.emplace_back("retry-after", retryAfter);
    }
    return outcomeOf(answer, kUrl, kAnswerTime);
}

TEST(WebhookResponsePolicy, takesEvery2xxAsDelivered)
{
    for (const int status : {200, 201, 202, 204, 299}) {
        EXPECT_EQ(judged(status).kind, Kind::Delivered) << status;
    }
}

TEST(WebhookResponsePolicy, takes410And422AsRefusedForGood)
{
    for (const int status : {410, 422}) {
        EXPECT_EQ(judged(status).kind, Kind::Dead) << status;
    }
    EXPECT_EQ(judged(410).reason, "410 from hooks.example.org:443");
}

TEST(WebhookResponsePolicy, triesEverythingElseAgain)
{
    for (const int status : {0,   199, 300, 304, 400, 401, 403, 404, 405, 408, 409, 413, 415,
                             418, 425, 429, 451, 499, 500, 501, 502, 503, 504, 599, 999}) {
        EXPECT_EQ(judged(status).kind, Kind::Retry) << status;
        EXPECT_EQ(judged(status).wait, 0ms) << status;
    }
}

TEST(WebhookResponsePolicy, saysThatRedirectionsAreNotFollowed)
{
    for (const int status : {301, 302, 303, 307, 308}) {
        EXPECT_EQ(judged(status).kind, Kind::Retry) << status;
    }
    EXPECT_EQ(judged(302).reason, "302 from hooks.example.org:443: redirections are not followed");
}

TEST(WebhookResponsePolicy, honoursRetryAfter)
{
    EXPECT_EQ(judged(429, "30").wait, 30s);
    EXPECT_EQ(judged(503, "Sun, 06 Nov 1994 09:49:37 GMT").wait, 1h);
    EXPECT_EQ(judged(503, "tomorrow").wait, 0ms);
    EXPECT_EQ(judged(410, "30").kind, Kind::Dead);
}

TEST(RetryAfter, isSecondsOrADateInAnyOfThreeFormats)
{
    EXPECT_EQ(parseRetryAfter("0", kAnswerTime), 0ms);
    EXPECT_EQ(parseRetryAfter("120", kAnswerTime), 2min);
    EXPECT_EQ(parseRetryAfter("Sun, 06 Nov 1994 08:50:37 GMT", kAnswerTime), 1min);
    EXPECT_EQ(parseRetryAfter("Sunday, 06-Nov-94 08:50:37 GMT", kAnswerTime), 1min);
    EXPECT_EQ(parseRetryAfter("Sun Nov  6 08:50:37 1994", kAnswerTime), 1min);
}

TEST(RetryAfter, isNeverNegativeAndNeverMoreThanADay)
{
    EXPECT_EQ(parseRetryAfter("86401", kAnswerTime), 24h);
    EXPECT_EQ(parseRetryAfter("99999999999999999999", kAnswerTime), 24h);
    EXPECT_EQ(parseRetryAfter("Sun, 06 Nov 1994 08:00:00 GMT", kAnswerTime), 0ms);
    EXPECT_EQ(parseRetryAfter("Sun, 06 Nov 2094 08:00:00 GMT", kAnswerTime), 24h);
}

TEST(RetryAfter, isIgnoredWhenItIsNeither)
{
    for (const char* text :
         {"", "-1", "1.5", "soon", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:00:00 GMT",
          "06 Nov 1994", "Nov", "::", "Sun, 06 Nov 99999 08:49:37 GMT", "1 2 3", ", , -"}) {
        EXPECT_EQ(parseRetryAfter(text, kAnswerTime), std::nullopt) << text;
    }
}

TEST(WebhookResponsePolicy, triesAgainWhenThereIsNoAnswer)
{
    using Failure = HttpError::Kind;
    for (const auto kind :
         {Failure::Resolve, Failure::Connect, Failure::Tls, Failure::Timeout, Failure::Broken}) {
        const auto outcome = outcomeOf(tl::unexpected(HttpError{kind, "why"}), kUrl, kAnswerTime);
        EXPECT_EQ(outcome.kind, Kind::Retry);
        EXPECT_EQ(outcome.reason, "why");
    }
}

TEST(WebhookResponsePolicy, givesUpOnAnAddressThatIsNotAllowedButNotOnAName)
{
    const HttpResult refused = tl::unexpected(HttpError{HttpError::Kind::Refused, "not sent"});
    EXPECT_EQ(outcomeOf(refused, parseWebUrl("http://127.0.0.1/").value(), kAnswerTime).kind,
              Kind::Dead);
    EXPECT_EQ(outcomeOf(refused, parseWebUrl("http://[::1]/").value(), kAnswerTime).kind,
              Kind::Dead);
    EXPECT_EQ(outcomeOf(refused, kUrl, kAnswerTime).kind, Kind::Retry);
    const HttpResult wrong = tl::unexpected(HttpError{HttpError::Kind::Invalid, "bad"});
    EXPECT_EQ(outcomeOf(wrong, kUrl, kAnswerTime).kind, Kind::Dead);
}

}  // namespace
}  // namespace restante::delivery
