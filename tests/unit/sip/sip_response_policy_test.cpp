#include "sipplugin/message/answers.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <string>

namespace restante::sip {
namespace {

using namespace std::chrono_literals;

Verdict verdictOn(const DeviceAnswer& answer)
{
    return ResponsePolicy{}.verdictOn(answer);
}

/// The rows of the table "What an answer means" of docs/sip-behaviour.md: the statuses that its
/// first cell names or stands for, and the word in its second one.
std::map<int, std::string> documented()
{
    const char* root = std::getenv("RESTANTE_SOURCE_DIR");
    std::ifstream file(std::string(root == nullptr ? "." : root) + "/docs/sip-behaviour.md");
    std::map<int, std::string> rows;
    bool inTable = false;
    for (std::string line; std::getline(file, line);) {
        inTable = line.starts_with("#") ? line == "### What an answer means" : inTable;
        std::smatch row;
        const std::regex cells(R"(\| ([^|]*) \| \*\*(\w+)\*\* \|.*)");
        if (!inTable || !std::regex_match(line, row, cells)) {
            continue;
        }
        const std::string first = row[1];
        if (first.find("Retry-After") != std::string::npos) {
            continue;  // told by a test of its own
        }
        const std::regex status("[2-6](xx|[0-9][0-9])");
        for (std::sregex_iterator one(first.begin(), first.end(), status), end; one != end; ++one) {
            const auto word = one->str();
            // A class stands for its statuses that no row names: 99 is one of those.
            const int code = word.ends_with("xx") ? 100 * (word[0] - '0') + 99 : std::stoi(word);
            rows[code] = row[2];
        }
    }
    return rows;
}

std::string wordOf(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Delivered: return "delivered";
    case Verdict::Retry: return "retry";
    case Verdict::Hold: return "hold";
    case Verdict::Dead: return "dead";
    }
    return "";
}

TEST(SipResponsePolicy, isTheTableOfTheDocument)
{
    const auto rows = documented();
    ASSERT_GT(rows.size(), 40U);
    for (int status = 200; status < 700; ++status) {
        const auto row = rows.find(status);
        const auto word = row != rows.end() ? row->second : rows.at(status / 100 * 100 + 99);
        EXPECT_EQ(wordOf(verdictOn({status, "", {}})), word) << status;
    }
}

TEST(SipResponsePolicy, takesEverySuccessAsDelivered)
{
    for (int status : {200, 202, 204, 299}) {
        EXPECT_EQ(verdictOn({status, "OK", {}}), Verdict::Delivered) << status;
    }
}

TEST(SipResponsePolicy, triesAgainWhenTheRecipientCannotBeReachedNow)
{
    for (int status : {404, 408, 480, 486, 503}) {
        EXPECT_EQ(verdictOn({status, "", {}}), Verdict::Retry) << status;
    }
    EXPECT_EQ(verdictOn({}), Verdict::Retry);
    EXPECT_EQ(verdictOn({302, "Moved Temporarily", {}}), Verdict::Retry);
}

TEST(SipResponsePolicy, waitsForTheRegistrationWhereNothingElseHelps)
{
    EXPECT_EQ(verdictOn({410, "Gone", {}}), Verdict::Hold);
    EXPECT_EQ(verdictOn({430, "Flow Failed", {}}), Verdict::Hold);
}

TEST(SipResponsePolicy, givesUpWhatBlamesTheMessage)
{
    for (int status : {400, 415, 488, 501, 513, 603}) {
        EXPECT_EQ(verdictOn({status, "", {}}), Verdict::Dead) << status;
    }
}

TEST(SipResponsePolicy, countsAnUnknownStatusAsTheFirstOfItsClass)
{
    EXPECT_EQ(verdictOn({499, "", {}}), Verdict::Dead);
    EXPECT_EQ(verdictOn({599, "", {}}), Verdict::Retry);
    EXPECT_EQ(verdictOn({699, "", {}}), Verdict::Dead);
}

TEST(SipResponsePolicy, retryAfterTurnsATemporaryRefusalIntoAWait)
{
    for (int status : {413, 600, 603}) {
        EXPECT_EQ(verdictOn({status, "", 30s}), Verdict::Retry) << status;
    }
    EXPECT_EQ(verdictOn({415, "", 30s}), Verdict::Dead);
}

TEST(SipResponsePolicy, doesWhatTheOperatorSays)
{
    const ResponsePolicy policy{{{488, 488, Verdict::Retry},
                                 {600, 699, Verdict::Hold},
                                 {500, 599, Verdict::Dead},
                                 {486, 486, Verdict::Delivered}}};
    EXPECT_EQ(policy.verdictOn({488, "", {}}), Verdict::Retry);
    EXPECT_EQ(policy.verdictOn({603, "", 30s}), Verdict::Hold);
    EXPECT_EQ(policy.verdictOn({503, "", {}}), Verdict::Dead);
    EXPECT_EQ(policy.verdictOn({486, "", {}}), Verdict::Delivered);
    EXPECT_EQ(policy.verdictOn({480, "", {}}), Verdict::Retry);
}

TEST(SipResponsePolicy, takesAStatusBeforeItsClassAndTheLaterOfTwo)
{
    const ResponsePolicy policy{{{404, 404, Verdict::Hold},
                                 {400, 499, Verdict::Dead},
                                 {400, 499, Verdict::Retry},
                                 {404, 404, Verdict::Delivered}}};
    EXPECT_EQ(policy.verdictOn({404, "", {}}), Verdict::Delivered);
    EXPECT_EQ(policy.verdictOn({403, "", {}}), Verdict::Retry);
}

TEST(SipResponsePolicy, neverRefusesASuccess)
{
    const ResponsePolicy policy{{{200, 699, Verdict::Dead}}};
    EXPECT_EQ(policy.verdictOn({202, "", {}}), Verdict::Delivered);
}

TEST(SipResponsePolicy, takesAnotherDefaultOnlyWhereNoRuleOfTheOperatorsIs)
{
    const SipOutcome rule{403, 403, Verdict::Retry};
    EXPECT_EQ(ResponsePolicy().verdictOn({403, "", {}}), Verdict::Dead);
    EXPECT_EQ(ResponsePolicy().orElse(rule).verdictOn({403, "", {}}), Verdict::Retry);
    EXPECT_EQ(ResponsePolicy().orElse(rule).verdictOn({488, "", {}}), Verdict::Dead);
    const ResponsePolicy strict{{{400, 499, Verdict::Dead}}};
    EXPECT_EQ(strict.orElse(rule).verdictOn({403, "", {}}), Verdict::Dead);
}

TEST(SipResponsePolicy, boundsTheWaitThatADeviceMayAskFor)
{
    EXPECT_EQ(wantedPause({503, "", {}}), 0ms);
    EXPECT_EQ(wantedPause({503, "", 30s}), 30s);
    EXPECT_EQ(wantedPause({503, "", 24h * 365}), 24h);
}

TEST(SipResponsePolicy, saysInWordsWhatHappened)
{
    EXPECT_EQ((DeviceAnswer{480, "Temporarily Unavailable", {}}).toString(),
              "480 Temporarily Unavailable");
    EXPECT_EQ((DeviceAnswer{480, "", {}}).toString(), "480");
}

}  // namespace
}  // namespace restante::sip
