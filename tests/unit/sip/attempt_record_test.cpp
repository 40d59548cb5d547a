#include "sipplugin/outbound/uac.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace restante::sip {
namespace {

using namespace std::chrono_literals;

AttemptRecord record()
{
    return {2, TimePoint{1'700'000'000'120ms}, "sip:bob@10.0.0.7:5060", "sip:10.0.0.7:5060"};
}

TEST(SipLadder, saysWhenWhomWhatAndAfterHowLong)
{
    EXPECT_EQ(formatAttempt(record(), {480, "Temporarily Unavailable", {}}, 12ms),
              "attempt 2: 2023-11-14T22:13:20.120Z sip:bob@10.0.0.7:5060 480 Temporarily "
              "Unavailable (12 ms)\n");
}

TEST(SipLadder, tellsATimeOutFromAnAnswer)
{
    auto silent = record();
    silent.answered = false;
    EXPECT_EQ(formatAttempt(silent, {408, "Request Timeout", {}}, 32'000ms),
              "attempt 2: 2023-11-14T22:13:20.120Z sip:bob@10.0.0.7:5060 408 Request Timeout "
              "(no answer, 32000 ms)\n");
}

TEST(SipLadder, namesTheWayWhenItIsAnother)
{
    auto through = record();
    through.target = "sip:bob@example.com";
    through.nextHop = "sip:proxy.example.com;transport=tcp";
    EXPECT_EQ(formatAttempt(through, {200, "OK", {}}, 1ms),
              "attempt 2: 2023-11-14T22:13:20.120Z sip:bob@example.com via proxy.example.com "
              "200 OK (1 ms)\n");
}

TEST(SipLadder, staysOneShortLineWhateverAPeerWrites)
{
    auto hostile = record();
    hostile.target = "sip:" + std::string(5'000, 'x') + "@\r\n\x1b[2J";
    hostile.nextHop = "sip:" + std::string(5'000, 'y');
    const auto line = formatAttempt(hostile, {480, std::string(5'000, '\n') + "\xff\0z", {}}, 1ms);
    EXPECT_LE(line.size(), 400U);
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
    EXPECT_EQ(line.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace restante::sip
