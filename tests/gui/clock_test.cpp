// A clock or a time zone that is changed while the console runs, and two clocks that differ.

#include "core/base/timestamp.h"
#include "gui/pages/audit/audit_filter.h"
#include "gui/shell/clock_watch.h"
#include "gui/theme/time_text.h"
#include "tests/gui/support/audit_view_object.h"
#include "tests/gui/support/wait.h"
#include "tests/gui/support/window_on_store.h"

#include <QDateTime>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <gtest/gtest.h>

namespace restante::gui::test {
namespace {

/// The machine's time zone, as it was, in the end.
class Zone {
public:
    explicit Zone(const char* zone) : before_(qgetenv("TZ")), was_(qEnvironmentVariableIsSet("TZ"))
    {
        set(zone);
    }
    Zone(const Zone&) = delete;
    Zone& operator=(const Zone&) = delete;
    ~Zone() { was_ ? qputenv("TZ", before_) : qunsetenv("TZ"); }
    static void set(const char* zone) { qputenv("TZ", zone); }

private:
    QByteArray before_;
    bool was_;
};

TEST(ClockWatch, noticesAnotherTimeZone)
{
    const Zone zone("Europe/Berlin");
    ClockWatch watch;
    const QSignalSpy changed(&watch, &ClockWatch::changed);
    watch.check();
    EXPECT_EQ(changed.count(), 0);
    Zone::set("Asia/Shanghai");
    watch.check();
    EXPECT_EQ(changed.count(), 1);
    watch.check();
    EXPECT_EQ(changed.count(), 1) << "told once";
}

TEST(ClockWatch, noticesAClockThatWasSet)
{
    ClockWatch watch;
    const QSignalSpy changed(&watch, &ClockWatch::changed);
    watch.setLastClock(QDateTime::currentMSecsSinceEpoch() - 3'600'000);
    watch.check();
    EXPECT_EQ(changed.count(), 1);
    watch.check();
    EXPECT_EQ(changed.count(), 1);
}

TEST(ClockWatch, hasTimesWrittenAnewInTheNewZone)
{
    const Zone zone("Europe/Berlin");
    WindowOnStore whole;
    auto& preferences = whole.preferences;
    const TimeText times(preferences);
    const auto moment = fromEpochMs(1'700'000'000'000);
    EXPECT_EQ(times.absolute(moment), QStringLiteral("2023-11-14 23:13:20"));
    const QSignalSpy changed(&preferences, &Preferences::changed);
    Zone::set("Asia/Shanghai");
    whole.ui().clocks()->check();
    EXPECT_EQ(changed.count(), 1) << "which everything that shows times listens to";
    EXPECT_EQ(times.absolute(moment), QStringLiteral("2023-11-15 06:13:20"));
}

TEST(AuditFilter, hasEveryHourOfItsZoneWhateverTheClocksOfThisMachineDo)
{
    const Zone zone("Europe/Berlin");
    const QTemporaryDir home;
    Preferences preferences(home.filePath(QStringLiteral("admin.ini")));
    preferences.setTimeZone("UTC");
    const AuditFilter filter(preferences, nullptr);
    const AuditViewObject ui(&filter);
    ui.time()->setCurrentIndex(ui.time()->count() - 1);
    ui.since()->setDate(QDate(2026, 7, 1));
    EXPECT_EQ(ui.since()->dateTime().offsetFromUtc(), 0);
    // At two, Berlin's clocks are set forward to three.
    ui.since()->setDate(QDate(2026, 3, 29));
    ui.since()->setTime(QTime(2, 30));
    const auto request = filter.request({});
    ASSERT_TRUE(request.since);
    EXPECT_EQ(*request.since, parseTimestamp("2026-03-29T02:30:00Z").value());
}

TEST(Skew, isToldWhenTheClocksDiffer)
{
    WindowOnStore whole;
    whole.show();
    whole.openFake();
    auto* fake = whole.fake;
    auto* label = whole.ui().skew();
    EXPECT_FALSE(label->isVisible());
    auto link = fake->link();
    link.skew = Millis{42'000};
    fake->setLink(link);
    EXPECT_TRUE(label->isVisible());
    EXPECT_EQ(label->text(), QStringLiteral("The store's clock is 42 s ahead"));
    link.skew = Millis{-90'000};
    fake->setLink(link);
    EXPECT_EQ(label->text(), QStringLiteral("The store's clock is 1 min 30 s behind"));
    link.skew = Millis{-3'000};
    fake->setLink(link);
    EXPECT_FALSE(label->isVisible());
    whole.window.open(nullptr);
}

}  // namespace
}  // namespace restante::gui::test
