// "Why is it waiting?" in sentences.

#include "gui/base/preferences.h"
#include "gui/pages/detail/waiting_text.h"
#include "gui/theme/time_text.h"

#include <QLocale>
#include <QTemporaryDir>
#include <gtest/gtest.h>

namespace restante::gui::test {
namespace {

using Why = WaitingReason::Why;
using std::chrono::hours;
using std::chrono::minutes;

/// 2026-10-26 07:33:20 UTC.
constexpr TimePoint kNow{Millis{1'793'000'000'000}};

class WaitingTexts : public testing::Test {
protected:
    WaitingTexts() { preferences.setTimeZone("UTC"); }
    QString say(const WaitingReason& reason) const
    {
        return waitingText(reason, kNow, preferences);
    }

    QTemporaryDir home;
    Preferences preferences{home.filePath(QStringLiteral("admin.ini"))};
};

TEST_F(WaitingTexts, sayWhoHasNoDeviceSinceWhenAndWhatComesNext)
{
    WaitingReason reason;
    reason.why = Why::NoDevice;
    reason.recipient = "sip:carol@example.org";
    reason.since = kNow - minutes{20};
    reason.next = kNow + hours{3};
    reason.expires = kNow + hours{6 * 24 + 21};
    EXPECT_EQ(say(reason),
              QStringLiteral("carol@example.org has had no device registered since 07:13. It is "
                             "delivered as soon as a device registers, and tried again at 10:33. "
                             "It expires in 6 d 21 h."));
    reason.since = {};
    reason.next = {};
    reason.expires.reset();
    EXPECT_EQ(say(reason),
              QStringLiteral("carol@example.org has no device registered. It is delivered as soon "
                             "as a device registers."));
}

TEST_F(WaitingTexts, sayAnotherDayWithItsDate)
{
    WaitingReason reason;
    reason.why = Why::NotDue;
    reason.next = kNow + hours{24};
    EXPECT_EQ(say(reason), QStringLiteral("Its time has not come: it is due at 2026-10-27 07:33."));
}

TEST_F(WaitingTexts, sayWhichAttemptFailedAndWhy)
{
    WaitingReason reason;
    reason.why = Why::Retrying;
    reason.attempts = 2;
    reason.attemptsAllowed = 8;
    reason.error = "503 Service\nUnavailable";
    reason.next = kNow + minutes{10};
    EXPECT_EQ(say(reason), QStringLiteral("Attempt 2 of 8 failed: 503 Service Unavailable. It is "
                                          "tried again at 07:43."));
    reason.why = Why::Dead;
    reason.since = kNow;
    reason.attempts = 0;
    EXPECT_EQ(say(reason), QStringLiteral("Given up at 07:33: 503 Service Unavailable."));
}

TEST_F(WaitingTexts, haveWordsForEveryReason)
{
    for (int why = 0; why <= static_cast<int>(Why::AwaitsRecipient); ++why) {
        WaitingReason reason;
        reason.why = static_cast<Why>(why);
        const auto text = say(reason);
        EXPECT_FALSE(text.isEmpty()) << why;
        EXPECT_TRUE(text.endsWith(u'.')) << text.toStdString();
        EXPECT_FALSE(text.contains(u'%')) << text.toStdString();
    }
}

TEST_F(WaitingTexts, writeTheClockAsThePreferencesWant)
{
    EXPECT_EQ(TimeText(preferences).brief(kNow, kNow), QStringLiteral("07:33"));
    preferences.setClock24(false);
    EXPECT_EQ(TimeText(preferences).brief(kNow, kNow), QStringLiteral("07:33 AM"));
}

}  // namespace
}  // namespace restante::gui::test
