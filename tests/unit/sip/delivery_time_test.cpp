#include "sipplugin/inbound/scheduled_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::sip {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const TimePoint kArrival = fromEpochMs(1'800'000'000'000);  // 2027-01-15T08:00:00Z

Result<std::optional<TimePoint>> wanted(const std::vector<HeaderLine>& headers)
{
    ReceivedRequest request;
    request.headers = headers;
    Config::Sip settings;
    settings.scheduleHeader = "X-Deliver-At";
    return requestedDeliveryTime(request, kArrival, settings);
}

Result<std::optional<TimePoint>> wanted(std::string_view value)
{
    return wanted(std::vector<HeaderLine>{{"X-Deliver-At", value}});
}

TEST(DeliveryTime, isNowWithoutTheHeader)
{
    EXPECT_EQ(wanted(std::vector<HeaderLine>{}).value(), std::nullopt);
}

TEST(DeliveryTime, isNowWhenNoHeaderIsConfigured)
{
    ReceivedRequest request;
    request.headers = {{"X-Deliver-At", "60"}};
    EXPECT_EQ(requestedDeliveryTime(request, kArrival, {}).value(), std::nullopt);
}

TEST(DeliveryTime, readsSecondsFromNow)
{
    EXPECT_EQ(wanted("90").value(), kArrival + 90s);
}

TEST(DeliveryTime, readsATimeWithItsZone)
{
    EXPECT_EQ(wanted("2027-01-15T09:00:00Z").value(), kArrival + 1h);
    EXPECT_EQ(wanted("2027-01-15T12:00:00.250+03:00").value(), kArrival + 1h + 250ms);
}

TEST(DeliveryTime, isNowWhenItHasCome)
{
    EXPECT_EQ(wanted("0").value(), std::nullopt);
    EXPECT_EQ(wanted("2027-01-15T08:00:00Z").value(), std::nullopt);
    EXPECT_EQ(wanted("1999-12-31T23:59:59-05:00").value(), std::nullopt);
}

TEST(DeliveryTime, findsTheHeaderWhateverItsCase)
{
    EXPECT_EQ(wanted(std::vector<HeaderLine>{{"x-deliver-at", "1"}}).value(), kArrival + 1s);
}

TEST(DeliveryTime, refusesWhatItCannotRead)
{
    for (const auto* text :
         {"", "tomorrow", "-5", "1.5", "5 s", "2027-01-15", "2027-01-15T09:00:00",
          "2027-01-15 09:00", "2027-02-30T09:00:00Z", "2027-01-15T25:00:00Z"}) {
        const auto read = wanted(text);
        ASSERT_FALSE(read) << text;
        EXPECT_EQ(read.error().code, ErrorCode::Invalid);
        EXPECT_THAT(read.error().message, HasSubstr("X-Deliver-At cannot be read; write"));
    }
}

TEST(DeliveryTime, refusesTwoOfThem)
{
    const auto read =
        wanted(std::vector<HeaderLine>{{"X-Deliver-At", "60"}, {"X-Deliver-At", "90"}});
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, HasSubstr("twice"));
}

TEST(DeliveryTime, refusesWhatIsBeyondTheHorizon)
{
    for (const auto* text : {"31536001", "99999999999999999999", "2028-01-15T08:00:01Z"}) {
        const auto read = wanted(text);
        ASSERT_FALSE(read) << text;
        EXPECT_THAT(read.error().message, HasSubstr("further ahead than 365d"));
    }
    EXPECT_TRUE(wanted("31536000"));
}

}  // namespace
}  // namespace restante::sip
