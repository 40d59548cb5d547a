#include "core/base/file.h"
#include "core/base/timestamp.h"
#include "core/schedule/machine_time_zone.h"
#include "core/schedule/zoned_clock.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace restante {
namespace {

const std::filesystem::path kZones = "/usr/share/zoneinfo";

/// A machine without TZ, whose files are in a directory of their own.
class MachineTimeZone : public ::testing::Test {
protected:
    MachineTimeZone()
        : settings_{{}, directory_ / "localtime", directory_ / "timezone"},
          berlin_(readFile(kZones / "Europe/Berlin").value_or(""))
    {
    }
    void copy(const std::string& content) const
    {
        std::ofstream(settings_.localTime, std::ios::binary) << content;
    }
    void say(const std::string& name) const { std::ofstream(settings_.name) << name << '\n'; }

    test::TempDir directory_;
    TimeZoneSettings settings_;
    std::string berlin_;
};

TEST_F(MachineTimeZone, isTheOneThatItsFileLinksTo)
{
    std::filesystem::create_symlink(kZones / "Asia/Tokyo", settings_.localTime);
    say("Europe/Berlin");
    EXPECT_EQ(timeZoneOf(settings_), "Asia/Tokyo");
}

TEST_F(MachineTimeZone, isTheOneOfTheEnvironmentByNameOrPath)
{
    copy(berlin_);
    for (const auto* variable : {"Asia/Tokyo", ":Asia/Tokyo", "/usr/share/zoneinfo/Asia/Tokyo",
                                 ":/usr/share/zoneinfo/Asia/Tokyo"}) {
        settings_.variable = variable;
        EXPECT_EQ(timeZoneOf(settings_), "Asia/Tokyo") << variable;
    }
    for (const auto* variable : {":/etc/nowhere", "../Asia/Tokyo"}) {
        settings_.variable = variable;
        EXPECT_EQ(timeZoneOf(settings_), "Europe/Berlin") << variable;
    }
}

TEST_F(MachineTimeZone, isUtcWhereTheEnvironmentHasAnEmptyOne)
{
    copy(berlin_);
    say("Europe/Berlin");
    for (const auto* variable : {"", ":"}) {
        settings_.variable = variable;
        EXPECT_EQ(timeZoneOf(settings_), "UTC") << '"' << variable << '"';
    }
    settings_.variable.reset();
    EXPECT_EQ(timeZoneOf(settings_), "Europe/Berlin") << "it is not set";
}

TEST_F(MachineTimeZone, isFoundByTheContentOfACopiedFile)
{
    copy(berlin_);
    EXPECT_EQ(timeZoneOf(settings_), "Europe/Berlin");
    // An image says so, and the file has been mounted into it.
    say("Etc/UTC");
    EXPECT_EQ(timeZoneOf(settings_), "Europe/Berlin");
    say("../../etc/passwd");
    EXPECT_EQ(timeZoneOf(settings_), "Europe/Berlin");
    std::filesystem::remove(settings_.localTime);
    copy(readFile(kZones / "Asia/Kathmandu").value_or(""));
    EXPECT_EQ(timeZoneOf(settings_), "Asia/Kathmandu") << "what was found before is old";
}

TEST_F(MachineTimeZone, hasTheNameThatIsSaidOfACopyThatTellsTheSameTimes)
{
    copy(berlin_);
    say("Europe/Vienna");
    EXPECT_EQ(timeZoneOf(settings_), "Europe/Vienna");
}

TEST_F(MachineTimeZone, isOneThatTellsTheSameTimesWhenTheCopyIsOfAnotherVersion)
{
    ASSERT_GT(berlin_.size(), 5U);
    auto content = berlin_;
    content[4] = content[4] == '2' ? '3' : '2';  // the version, which changes nothing else
    copy(content);
    const auto found = ZonedClock::find(timeZoneOf(settings_));
    ASSERT_TRUE(found) << found.error().message;
    const auto berlin = ZonedClock::find("Europe/Berlin");
    ASSERT_TRUE(berlin) << berlin.error().message;
    auto at = SystemClock{}.now();
    for (int day = 0; day < 366; ++day, at += std::chrono::hours{24}) {
        ASSERT_EQ(found->localOf(at), berlin->localOf(at)) << found->name();
    }
}

TEST_F(MachineTimeZone, isUtcWithoutAFileThatSaysOtherwise)
{
    EXPECT_EQ(timeZoneOf(settings_), "UTC") << "there is none";
    copy("no zone");
    EXPECT_EQ(timeZoneOf(settings_), "UTC");
    std::filesystem::remove(settings_.localTime);
    copy(readFile(kZones / "Etc/UTC").value_or(""));
    EXPECT_EQ(timeZoneOf(settings_), "UTC");
}

TEST_F(MachineTimeZone, isNamelessWhereWhatSaysItIsNoZoneOfTheSystem)
{
    EXPECT_EQ(namelessTimeZoneOf(settings_), "") << "a machine without the file is in UTC";
    copy("no zone");
    EXPECT_EQ(namelessTimeZoneOf(settings_), settings_.localTime.string());
    settings_.variable = "CET-1CEST,M3.5.0,M10.5.0/3";
    EXPECT_EQ(namelessTimeZoneOf(settings_), "TZ");
    settings_.variable = "";
    EXPECT_EQ(namelessTimeZoneOf(settings_), "");
    settings_.variable = "Asia/Tokyo";
    EXPECT_EQ(namelessTimeZoneOf(settings_), "");
    settings_.variable.reset();
    copy(berlin_);
    EXPECT_EQ(namelessTimeZoneOf(settings_), "");
    settings_.variable = ":" + settings_.localTime.string();
    EXPECT_EQ(namelessTimeZoneOf(settings_), "");
    settings_.variable.reset();
    std::filesystem::remove(settings_.localTime);
    std::filesystem::create_symlink(kZones / "No/Where", settings_.localTime);
    EXPECT_EQ(namelessTimeZoneOf(settings_), settings_.localTime.string()) << "it leads nowhere";
}

TEST_F(MachineTimeZone, ofThisMachineIsKnown)
{
    EXPECT_TRUE(ZonedClock::find(machineTimeZone())) << machineTimeZone();
}

}  // namespace
}  // namespace restante
