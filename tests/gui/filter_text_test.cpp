#include "core/job/job_filter.h"
#include "gui/base/preferences.h"
#include "gui/pages/jobs/filter_text.h"
#include "gui/pages/jobs/job_columns.h"
#include "gui/theme/time_text.h"

#include <QTemporaryDir>
#include <gtest/gtest.h>

#include <tuple>

namespace restante::gui::test {

namespace {

QString text(const char* utf8)
{
    return QString::fromUtf8(utf8);
}

}  // namespace

TEST(FilterText, fallsApartIntoTermsThatHoldTogether)
{
    EXPECT_EQ(
        termsOf(text("state:dead to:\"a b\" (x OR y) NOT z")),
        QStringList({text("state:dead"), text("to:\"a b\""), text("(x OR y)"), text("NOT z")}));
    EXPECT_EQ(termsOf(text("a OR b")), QStringList({text("a OR b")}));
    EXPECT_TRUE(termsOf({}).isEmpty());
}

TEST(FilterText, takesATermMoreBesideAlternatives)
{
    EXPECT_EQ(withTerm({}, text("state:dead")), text("state:dead"));
    EXPECT_EQ(withTerm(text("a OR b"), text("c")), text("(a OR b) c"));
    EXPECT_EQ(withTerm(text("a b"), text("b")), text("a b"));
}

TEST(FilterText, losesOneTermAndKeepsTheOthers)
{
    EXPECT_EQ(withoutTerm(text("a NOT b c"), 1), text("a c"));
    EXPECT_EQ(withoutTerm(text("a"), 0), QString());
    EXPECT_EQ(withoutTerm(text("a"), 7), text("a"));
}

TEST(FilterText, turnsATermRound)
{
    EXPECT_EQ(negated(text("to:x")), text("-to:x"));
    EXPECT_EQ(negated(text("-to:x")), text("to:x"));
}

TEST(FilterText, findsTheWordUnderTheCursor)
{
    const auto field = wordAtCursor(text("state:dead t"), 12);
    EXPECT_EQ(field.field, QString());
    EXPECT_EQ(field.typed, text("t"));
    const auto value = wordAtCursor(text("state:dead,he"), 13);
    EXPECT_EQ(value.field, text("state"));
    EXPECT_EQ(value.typed, text("he"));
    EXPECT_EQ(value.from, 11);
    const auto within = wordAtCursor(text("-topic:\"big or"), 14);
    EXPECT_EQ(within.field, text("topic"));
    EXPECT_EQ(within.typed, text("big or"));
    EXPECT_EQ(wordAtCursor(text("attempts>=3"), 11).typed, text("3"));
    const auto quote = wordAtCursor(text("topic:\"a\\\"b c"), 13);
    EXPECT_EQ(quote.field, text("topic")) << "a quote that is written \\\" ends nothing";
    EXPECT_EQ(quote.from, 6);
}

TEST(FilterText, quotesWhatTheGrammarWouldTakeApart)
{
    EXPECT_EQ(quoted(text("order")), text("order"));
    EXPECT_EQ(quoted(text("big order")), text("\"big order\""));
    EXPECT_EQ(quoted(text("a\"b")), text("\"a\\\"b\""));
}

TEST(JobColumns, offerATermThatFindsTheirOwnJob)
{
    JobView view;
    view.job.id = "order-17";
    view.job.topic = "order";
    view.job.channel = Channel::Webhook;
    view.job.recipient = "https://example.org/a b\"(c)";
    view.job.sender = "sip:*@example.org";
    view.job.bizKey = "k,1";
    view.job.findByKey = true;
    view.job.contentType = "text/plain";
    view.job.body = "12345";
    view.job.created = TimePoint{Millis{1'792'000'000'000}};
    view.job.expires = TimePoint{Millis{1'793'900'000'000}};
    view.due = TimePoint{Millis{1'793'000'000'000}};
    view.attempt = 3;
    view.lastError = "503 (Service) \"x\"";
    const auto row = rowOf(view);
    for (int at = 0; at < kJobColumns; ++at) {
        const auto column = static_cast<JobColumn>(at);
        const auto term = termFor(row, column);
        if (column == JobColumn::CheckBox || column == JobColumn::Text) {
            EXPECT_TRUE(term.isEmpty()) << "nothing to look for: " << term.toStdString();
            continue;
        }
        ASSERT_FALSE(term.isEmpty()) << at;
        for (const bool wanted : {true, false}) {
            const auto written = (wanted ? term : negated(term)).toStdString();
            const auto filter = JobFilter::parse(written);
            ASSERT_TRUE(filter.has_value()) << written << ": " << filter.error().detail;
            EXPECT_EQ(filter->matches(view, view.due), wanted) << written;
        }
    }
}

TEST(JobColumns, showALineAndNoControlCharacters)
{
    const QTemporaryDir home;
    const Preferences preferences(home.filePath(QStringLiteral("admin.ini")));
    const TimeText times(preferences);
    JobRow row;
    row.lastError = text("one\ntwo\tthree") + QChar(0) + QString(10'000, u'x');
    const auto shown = textOf(row, JobColumn::Error, times, {});
    EXPECT_LT(shown.size(), 400);
    EXPECT_TRUE(shown.startsWith(text("one two three x")));
}

TEST(TimeText, saysHowFarAwayAMomentIs)
{
    const TimePoint now{Millis{1'793'000'000'000}};
    using std::chrono::hours;
    using std::chrono::seconds;
    EXPECT_EQ(TimeText::relative(now, now), text("now"));
    EXPECT_EQ(TimeText::relative(now + seconds{90}, now), text("in 1 min"));
    EXPECT_EQ(TimeText::relative(now - hours{49}, now), text("2 d ago"));
    EXPECT_EQ(TimeText::duration(seconds{90}), text("1 min 30 s"));
}

TEST(TimeText, writesTheZoneThatIsWanted)
{
    const QTemporaryDir home;
    Preferences preferences(home.filePath(QStringLiteral("admin.ini")));
    preferences.setTimeZone("Asia/Shanghai");
    const TimePoint at{Millis{1'793'000'000'250}};
    EXPECT_EQ(TimeText(preferences).exact(at), text("2026-10-26 15:33:20.250 +08:00"));
    EXPECT_EQ(TimeText(preferences).absolute(at), text("2026-10-26 15:33:20"));
}

}  // namespace restante::gui::test
