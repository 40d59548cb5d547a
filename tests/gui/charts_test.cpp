// That the charts of the monitor are looked into: closer, further, at any time, with what people
// did marked in them; and that live updates leave alone what somebody looks at.

#include "gui/actions/action_registry.h"
#include "gui/base/preferences.h"
#include "gui/pages/monitor/chart_image.h"
#include "gui/pages/monitor/monitor_page.h"
#include "gui/pages/monitor/range_dialog.h"
#include "gui/session/store_session.h"
#include "gui/theme/appearance.h"
#include "gui/theme/time_text.h"
#include "tests/gui/support/fake_backend.h"
#include "tests/gui/support/inspection.h"
#include "tests/gui/support/monitor_page_object.h"
#include "tests/gui/support/screens.h"
#include "tests/gui/support/wait.h"
#include "tests/gui/support/window_on_store.h"

#include <QDateTimeEdit>
#include <QFile>
#include <QHelpEvent>
#include <QImage>
#include <QPushButton>
#include <QTest>
#include <QToolButton>
#include <QToolTip>
#include <QWheelEvent>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace restante::gui::test {

namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

class Charts : public testing::Test, protected WindowOnStore {
protected:
    void watch(int samples)
    {
        openFake([](FakeBackend& store) {
            store.haveRows(100);
            store.daemonList = {FakeBackend::aDaemon("vm/28350", store.time)};
        });
        fake->auditRows = rows_;
        show();
        window.showPage(PageId::Monitor);
        watchOn(samples);
    }
    void watchOn(int samples)
    {
        for (int at = 0; at < samples; ++at) {
            fake->time += Millis{2'000};
            auto& sample = fake->nextSample;
            sample.at = fake->time;
            sample.moves["push"] += static_cast<std::uint64_t>(20 + 10 * std::sin(at / 9.0));
            sample.moves["finish"] += static_cast<std::uint64_t>(18 + 9 * std::sin(at / 7.0));
            sample.counts.states[JobState::Ready] = static_cast<std::uint64_t>(40 + at % 7);
            sample.counts.states[JobState::Scheduled] = 800;
            sample.lateness = Lateness{Millis{200}, Millis{1'800}, Millis{1'900}, Millis{2'000}};
            page().refresh();
            turn();
        }
        page().showRange(page().rangeIndex());
    }
    MonitorPage& page() { return window.monitor(); }
    Chart& chart(std::size_t at) { return page().charts()[at]->chart(); }
    MonitorPageObject monitor() { return MonitorPageObject(&page()); }
    std::string status() { return monitor().statusLine()->text().toStdString(); }
    QPoint place(TimePoint at)
    {
        return {static_cast<int>(chart(0).xOf(at)), chart(0).height() / 2};
    }
    void drag(TimePoint from, TimePoint to, Qt::KeyboardModifiers keys = {})
    {
        auto* widget = &chart(0);
        const QPoint way[]{place(from + (to - from) / 2), place(to)};  // before the axis moves
        QTest::mousePress(widget, Qt::LeftButton, keys, place(from));
        for (const QPointF where : way) {
            QMouseEvent move(QEvent::MouseMove, where, widget->mapToGlobal(where), Qt::NoButton,
                             Qt::LeftButton, keys);
            QCoreApplication::sendEvent(widget, &move);
        }
    }
    void drop(TimePoint at) { QTest::mouseRelease(&chart(0), Qt::LeftButton, {}, place(at)); }
    bool wheel(TimePoint at, int turn, Qt::KeyboardModifiers keys)
    {
        auto* widget = &chart(0);
        const QPointF where(place(at));
        QWheelEvent event(where, widget->mapToGlobal(where), {}, QPoint(0, turn), Qt::NoButton,
                          keys, Qt::NoScrollPhase, false);
        event.setAccepted(false);
        QCoreApplication::sendEvent(widget, &event);
        return event.isAccepted();
    }
    AuditRow row(const char* verb, const char* object, TimePoint at) const
    {
        AuditRow made;
        made.at = at;
        made.actor = QStringLiteral("olga@ops");
        made.verb = QString::fromLatin1(verb);
        made.object = QString::fromLatin1(object);
        made.reason = QStringLiteral("maintenance");
        return made;
    }
    bool zoomed() { return page().zoom().has_value(); }

    std::vector<AuditRow> rows_;  ///< newest first
};

}  // namespace

TEST_F(Charts, aFewSecondsAreToldWithATenth)
{
    const auto lateness = [&](double ms) { return chart(2).valueText(ms).toStdString(); };
    EXPECT_EQ(lateness(500), "500 ms");
    EXPECT_EQ(lateness(1'000), "1 s");
    EXPECT_EQ(lateness(1'500), "1.5 s") << "or two ticks of the axis say the same";
    EXPECT_EQ(lateness(10'500), "10 s");
}

TEST_F(Charts, aDragEnlargesThatTimeOnAllOfThem)
{
    watch(150);
    const auto now = fake->time;
    drag(now - minutes{4}, now - minutes{2});
    for (std::size_t at = 0; at < 3; ++at) {
        EXPECT_TRUE(chart(at).band()) << "while it is chosen it is seen on each";
    }
    EXPECT_FALSE(zoomed());
    drop(now - minutes{2});
    ASSERT_TRUE(zoomed());
    EXPECT_NEAR(double((page().zoom()->from - (now - minutes{4})).count()), 0, 5'000);
    EXPECT_NEAR(double((page().zoom()->to - (now - minutes{2})).count()), 0, 5'000);
    for (std::size_t at = 0; at < 3; ++at) {
        EXPECT_EQ(chart(at).content().begin, chart(0).content().begin);
        EXPECT_EQ(chart(at).content().steps, chart(0).content().steps);
        EXPECT_FALSE(chart(at).band());
    }
    EXPECT_LT(chart(0).content().steps, 30U);
    EXPECT_EQ(page().model().rowCount(), static_cast<int>(chart(0).content().steps));
}

TEST_F(Charts, aClickEnlargesNothing)
{
    watch(20);
    QTest::mouseClick(&chart(0), Qt::LeftButton, {}, place(fake->time - minutes{5}));
    EXPECT_FALSE(zoomed());
}

TEST_F(Charts, liveUpdatesLeaveAloneWhatIsEnlarged)
{
    watch(150);
    const auto now = fake->time;
    page().zoomTo({now - minutes{4}, now - minutes{2}});
    const auto begin = chart(0).content().begin;
    const auto values = chart(0).content().lines[0].values;
    watchOn(30);
    EXPECT_EQ(chart(0).content().begin, begin);
    EXPECT_EQ(chart(0).content().lines[0].values, values);
    EXPECT_THAT(status(), HasSubstr("Stays at"));
    EXPECT_THAT(status(), HasSubstr("3 min behind now"));
    auto* live = page().findChild<QToolButton*>(QStringLiteral("monitorLive"));
    ASSERT_TRUE(live->isVisible());
    live->click();
    EXPECT_FALSE(zoomed());
    EXPECT_FALSE(live->isVisible());
    EXPECT_GT(chart(0).content().begin, begin - minutes{15});
    EXPECT_EQ(chart(0).content().steps, 180U);
}

TEST_F(Charts, theWheelWithCtrlEnlargesAroundThePointerAndAloneIsLeftToScroll)
{
    watch(150);
    const auto at = fake->time - minutes{5};
    const auto x = chart(0).xOf(at);
    EXPECT_TRUE(wheel(at, 120, Qt::ControlModifier));
    ASSERT_TRUE(zoomed());
    EXPECT_NEAR(double(page().zoom()->length().count()), 900'000 * 0.7, 5'000);
    EXPECT_NEAR(chart(0).xOf(at), x, chart(0).width() / 40.0) << "what is pointed at stays there";
    const auto before = *page().zoom();
    EXPECT_FALSE(wheel(at, 120, {}));
    EXPECT_EQ(*page().zoom(), before);
    EXPECT_TRUE(wheel(at, -120, Qt::ControlModifier));
    EXPECT_NEAR(double(page().zoom()->length().count()), 900'000, 5'000);
}

TEST_F(Charts, aDoubleClickAndTheCommandGoBack)
{
    watch(60);
    page().zoomTo({fake->time - minutes{2}, fake->time - minutes{1}});
    QTest::mouseDClick(&chart(1), Qt::LeftButton, {}, chart(1).rect().center());
    EXPECT_FALSE(zoomed());
    page().zoomTo({fake->time - minutes{2}, fake->time - minutes{1}});
    window.actions()[ActionId::ResetZoom]->trigger();
    EXPECT_FALSE(zoomed());
}

TEST_F(Charts, shiftAndADragMoveTheTime)
{
    watch(150);
    const auto now = fake->time;
    page().zoomTo({now - minutes{4}, now - minutes{2}});
    drag(now - minutes{3}, now - seconds{150}, Qt::ShiftModifier);
    drop(now - seconds{150});
    EXPECT_NEAR(double((now - minutes{4} - seconds{30} - page().zoom()->from).count()), 0, 5'000);
    EXPECT_EQ(page().zoom()->length(), minutes{2});
    page().pan(hours{1});
    EXPECT_EQ(page().zoom()->to, now) << "there is nothing after now";
}

TEST_F(Charts, theKeyboardDoesAllOfIt)
{
    watch(150);
    auto* widget = &chart(0);
    widget->setFocus();
    QTest::keyClick(widget, Qt::Key_Plus);
    ASSERT_TRUE(zoomed());
    const auto closer = *page().zoom();
    QTest::keyClick(widget, Qt::Key_Left, Qt::ShiftModifier);
    const auto moved = closer.from - closer.length() / 4;
    EXPECT_NEAR(double((page().zoom()->from - moved).count()), 0, 5'000);
    QTest::keyClick(widget, Qt::Key_Right, Qt::ShiftModifier);
    EXPECT_EQ(*page().zoom(), closer);
    QTest::keyClick(widget, Qt::Key_Minus);
    EXPECT_GT(page().zoom()->length(), closer.length());
    QTest::keyClick(widget, Qt::Key_0);
    EXPECT_FALSE(zoomed());
    QTest::keyClick(widget, Qt::Key_End);
    const auto end = chart(0).content().at(chart(0).content().steps);
    QTest::keyClick(widget, Qt::Key_Space);
    for (int times = 0; times < 23; ++times) {
        QTest::keyClick(widget, Qt::Key_Left);
    }
    EXPECT_TRUE(chart(2).band());
    QTest::keyClick(widget, Qt::Key_Space);
    ASSERT_TRUE(zoomed());
    EXPECT_EQ(page().zoom()->length(), minutes{2});
    EXPECT_LE(page().zoom()->to, end);
    QTest::keyClick(widget, Qt::Key_End);
    QTest::keyClick(widget, Qt::Key_Space);
    QTest::keyClick(widget, Qt::Key_Escape);
    EXPECT_FALSE(chart(0).band());
}

TEST_F(Charts, anEnlargedTimeAsksTheJournalForFinerSteps)
{
    Past past;
    past.knownFrom = FakeBackend().time - days{1};
    past.knownUntil = FakeBackend().time + hours{1};
    watch(5);
    fake->journalPast = past;
    page().showRange(4);
    fake->pasts.clear();
    const auto now = fake->time;
    fake->journalPast->moves.clear();
    const auto from = now - hours{5};
    const auto since = from.time_since_epoch();
    const TimePoint first{since - since % Millis{5'000}};
    for (int step = 0; step < 120; ++step) {
        fake->journalPast->moves[{first + seconds{5} * step, "push"}] = 10;
    }
    page().zoomTo({from, from + minutes{10}});
    ASSERT_TRUE(until([this] { return !fake->pasts.empty(); }));
    EXPECT_EQ(fake->pasts[0].step, seconds{5});
    EXPECT_EQ(fake->pasts[0].begin, from);
    EXPECT_EQ(fake->pasts[0].end, from + minutes{10});
    ASSERT_TRUE(until([this] { return chart(0).content().lines[0].values[50].has_value(); }));
    EXPECT_DOUBLE_EQ(*chart(0).content().lines[0].values[50], 2.0);
    watchOn(10);
    EXPECT_EQ(fake->pasts.size(), 1U) << "and asks once";
}

TEST_F(Charts, aRangeIsChosenInADialogThatTakesOnlySoundOnes)
{
    preferences.setTimeZone("Asia/Shanghai");
    watch(20);
    window.actions()[ActionId::ChartRange]->trigger();
    turn();
    auto* dialog = window.findChild<RangeDialog*>();
    ASSERT_NE(dialog, nullptr);
    EXPECT_EQ(unnamedWidgets(*dialog).join(u'\n').toStdString(), "");
    EXPECT_EQ(clippedTexts(*dialog).join(u'\n').toStdString(), "");
    auto* from = dialog->findChild<QDateTimeEdit*>(QStringLiteral("rangeFrom"));
    auto* to = dialog->findChild<QDateTimeEdit*>(QStringLiteral("rangeTo"));
    auto* shown = dialog->findChild<QPushButton*>(QStringLiteral("rangeShow"));
    const auto* said = dialog->findChild<QLabel*>(QStringLiteral("rangeHint"));
    EXPECT_EQ(to->dateTime().toMSecsSinceEpoch(), toEpochMs(fake->time) + hours{8} / Millis{1})
        << "as the clocks there show it";
    from->setDateTime(to->dateTime().addSecs(60));
    EXPECT_FALSE(shown->isEnabled());
    EXPECT_THAT(said->text().toStdString(), HasSubstr("begin before it ends"));
    from->setDateTime(to->dateTime().addDays(-40));
    EXPECT_FALSE(shown->isEnabled());
    from->setDateTime(to->dateTime().addSecs(-5));
    EXPECT_FALSE(shown->isEnabled());
    from->setDateTime(to->dateTime().addSecs(-3'600 * 30));
    EXPECT_TRUE(shown->isEnabled());
    EXPECT_TRUE(dialog->grab().save(screenFile(QStringLiteral("charts-range"))));
    shown->click();
    ASSERT_TRUE(zoomed());
    EXPECT_EQ(page().zoom()->length(), hours{30});
    EXPECT_EQ(chart(0).content().stepLength, minutes{8});
}

TEST_F(Charts, whatPeopleDidIsMarkedWithWhoWhatAndWhen)
{
    const auto now = FakeBackend().time + seconds{60};
    for (int job = 0; job < 40; ++job) {
        rows_.push_back(row("trash", ("order-" + std::to_string(job)).c_str(),
                            now - seconds{10} - Millis{job * 20}));
    }
    rows_.push_back(row("pause", "<b>sms</b>", now - seconds{30}));
    rows_.push_back(row("run_now", "order-7", now - seconds{40}));
    watch(30);
    ASSERT_TRUE(until([this] { return chart(0).marks().size() == 2; }))
        << "what one job is told is none: " << chart(0).marks().size();
    EXPECT_EQ(chart(2).marks().size(), 2U);
    const auto& pause = chart(0).marks()[0];
    EXPECT_THAT(pause.text.toStdString(), HasSubstr("olga@ops paused the topic <b>sms</b>"));
    EXPECT_THAT(pause.text.toStdString(), HasSubstr("(maintenance)"));
    const auto& deletion = chart(0).marks()[1];
    EXPECT_THAT(deletion.text.toStdString(), HasSubstr("moved 40 job"));
    EXPECT_TRUE(deletion.text.startsWith(TimeText(preferences).absolute(deletion.at)))
        << "as the mark stands: " << deletion.text.toStdString();
    const auto at = place(pause.at);
    QHelpEvent help(QEvent::ToolTip, at, chart(0).mapToGlobal(at));
    QCoreApplication::sendEvent(&chart(0), &help);
    EXPECT_THAT(QToolTip::text().toStdString(), HasSubstr("paused the topic"));
    chart(0).setFocus();
    QTest::keyClick(&chart(0), Qt::Key_M);
    EXPECT_THAT(status(), HasSubstr("paused the topic")) << "and without a mouse";
    window.actions()[ActionId::ChartMarks]->trigger();
    EXPECT_TRUE(chart(0).marks().empty());
    const auto questions = fake->auditQuestions;
    watchOn(5);
    EXPECT_EQ(fake->auditQuestions, questions) << "what is not shown is not asked for";
    window.actions()[ActionId::ChartMarks]->trigger();
}

TEST_F(Charts, markEachOfTwoOrdersThatRanAtOnceOnce)
{
    const auto now = FakeBackend().time + seconds{60};
    for (int job = 0; job < 40; ++job) {
        const bool isTrash = job % 2 == 0;
        auto made = row(isTrash ? "trash" : "hold", ("order-" + std::to_string(job)).c_str(),
                        now - seconds{10} - Millis{job});
        made.bulkActionId = isTrash ? QStringLiteral("a1") : QStringLiteral("b2");
        rows_.push_back(made);
    }
    watch(30);
    ASSERT_TRUE(until([this] { return chart(0).marks().size() == 2; })) << chart(0).marks().size();
    EXPECT_THAT(chart(0).marks()[0].text.toStdString(), HasSubstr("held 20 job"));
    EXPECT_THAT(chart(0).marks()[1].text.toStdString(), HasSubstr("moved 20 job"));
}

TEST_F(Charts, countAnActionWhoseRowsAreOnTwoPagesOfTheAudit)
{
    const auto now = FakeBackend().time + seconds{60};
    for (int job = 0; job < 1'500; ++job) {
        rows_.push_back(row("trash", ("order-" + std::to_string(job)).c_str(),
                            now - seconds{10} - Millis{job}));
    }
    rows_.push_back(row("pause", "sms", now - seconds{30}));
    watch(30);
    ASSERT_TRUE(until([this] { return chart(0).marks().size() == 2; })) << chart(0).marks().size();
    EXPECT_THAT(chart(0).marks()[1].text.toStdString(), HasSubstr("moved 1500 job"));
}

TEST_F(Charts, areWrittenAsPicturesInTheLightLook)
{
    const auto now = FakeBackend().time + seconds{200};
    rows_.push_back(row("pause", "sms", now));
    preferences.setScheme(Scheme::Dark);
    const Appearance appearance(preferences);
    watch(150);
    const auto png = home.filePath(QStringLiteral("all.png"));
    page().exportChart(png, {});
    ASSERT_TRUE(until([&] { return QFile::exists(png); }));
    const QImage picture(png);
    ASSERT_FALSE(picture.isNull());
    EXPECT_GT(picture.width(), 2'000);
    EXPECT_EQ(picture.pixelColor(2, 2), QColor(Qt::white));
    EXPECT_TRUE(picture.save(screenFile(QStringLiteral("charts-export"))));
    const auto svg = home.filePath(QStringLiteral("one.svg"));
    page().exportChart(svg, 0);
    ASSERT_TRUE(until([&] { return QFile::exists(svg); }));
    QFile file(svg);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const auto text = file.readAll().toStdString();
    EXPECT_THAT(text, HasSubstr("<svg"));
    EXPECT_THAT(text, HasSubstr("In and out"));
    EXPECT_THAT(text, HasSubstr("Pushed"));
    EXPECT_THAT(text, HasSubstr("in steps of 5 s"));
    EXPECT_THAT(text, HasSubstr("<polyline")) << "lines, not a picture of them";
    preferences.setScheme(Scheme::System);
}

TEST_F(Charts, areDrawnInEachLook)
{
    struct Look {
        Scheme scheme;
        const char* language;
        QSize size;
        const char* name;
    };
    const auto now = FakeBackend().time + seconds{300};
    rows_.push_back(row("pause", "sms", now - seconds{60}));
    rows_.push_back(row("limit", "order", now - seconds{100}));
    watch(150);
    const Appearance appearance(preferences);
    for (const auto& look : {Look{Scheme::Light, "en", {1'280, 800}, "light"},
                             Look{Scheme::Dark, "en", {1'280, 800}, "dark"},
                             Look{Scheme::Light, "en", {1'024, 700}, "1024"},
                             Look{Scheme::Light, "zh_CN", {1'280, 800}, "zh"}}) {
        preferences.setScheme(look.scheme);
        preferences.setLanguage(QString::fromLatin1(look.language));
        window.resize(look.size);
        turn();
        page().zoomTo({now - minutes{4}, now - seconds{20}});
        drag(now - minutes{3}, now - minutes{2});
        turn();
        EXPECT_TRUE(window.grab().save(
            screenFile(QStringLiteral("charts-") + QString::fromLatin1(look.name))));
        QTest::keyClick(&chart(0), Qt::Key_Escape);
        EXPECT_EQ(clippedTexts(page()).join(u'\n').toStdString(), "") << look.name;
        page().resetZoom();
    }
    preferences.setScheme(Scheme::System);
    preferences.setLanguage(QStringLiteral("en"));
}

}  // namespace restante::gui::test
