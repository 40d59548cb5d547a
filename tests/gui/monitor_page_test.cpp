#include "gui/actions/action_registry.h"
#include "gui/base/preferences.h"
#include "gui/pages/monitor/monitor_page.h"
#include "gui/session/store_session.h"
#include "tests/gui/support/fake_backend.h"
#include "tests/gui/support/monitor_page_object.h"
#include "tests/gui/support/wait.h"

#include <QCheckBox>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <gtest/gtest.h>

#include <cmath>

namespace restante::gui::test {

namespace {

class Monitor : public testing::Test {
protected:
    Monitor()
    {
        auto backend = std::make_unique<FakeBackend>();
        fake_ = backend.get();
        session_ = std::make_unique<StoreSession>(ConnectionProfile{}, std::move(backend));
    }
    ~Monitor() override { page_.open(nullptr); }

    void watch(int samples)
    {
        page_.resize(1'000, 800);
        page_.show();
        page_.open(session_.get());
        watchOn(samples);
    }
    QString status() const { return ui_.statusLine()->text(); }
    void watchOn(int samples)
    {
        for (int at = 0; at < samples; ++at) {
            fake_->time += Millis{2'000};
            auto& sample = fake_->nextSample;
            sample.at = fake_->time;
            sample.moves["push"] += static_cast<std::uint64_t>(20 + 10 * std::sin(at / 9.0));
            sample.moves["finish"] += static_cast<std::uint64_t>(18 + 9 * std::sin(at / 7.0));
            sample.counts.states[JobState::Ready] = static_cast<std::uint64_t>(40 + at % 7);
            sample.counts.states[JobState::Scheduled] = 800;
            sample.lateness =
                Lateness{Millis{200}, Millis{1'800 + at}, Millis{1'900 + at}, Millis{2'000 + at}};
            fake_->time += Millis{at == samples / 2 ? 60'000 : 0};
            page_.refresh();
            turn();
        }
        page_.showRange(page_.rangeIndex());
    }

    QTemporaryDir home_;
    Preferences preferences_{home_.filePath(QStringLiteral("admin.ini"))};
    ActionRegistry actions_;
    FakeBackend* fake_ = nullptr;
    std::unique_ptr<StoreSession> session_;
    MonitorPage page_{Context{actions_, preferences_}};
    const MonitorPageObject ui_{&page_};
};

}  // namespace

TEST_F(Monitor, drawsTheSameNumbersAsTheTableUnderTheCharts)
{
    watch(120);
    const auto& table = page_.model();
    ASSERT_GT(table.rowCount(), 40);
    int compared = 0;
    int gaps = 0;
    for (auto* box : page_.charts()) {
        const auto& content = box->chart().content();
        for (std::size_t entry = 0; entry < box->entries().size(); ++entry) {
            const auto column = 1 + static_cast<int>(box->entries()[entry].line);
            for (int row = 0; row < table.rowCount(); ++row) {
                const auto step = content.steps - 1 - static_cast<std::size_t>(row);
                const auto drawn = content.lines[entry].values[step];
                const auto cell = table.index(row, column);
                const auto raw = cell.data(MonitorModel::kRawRole);
                ASSERT_EQ(raw.isValid(), drawn.has_value());
                EXPECT_EQ(cell.data().toString(), box->chart().valueText(drawn));
                if (drawn) {
                    EXPECT_DOUBLE_EQ(raw.toDouble(), *drawn);
                    ++compared;
                } else {
                    ++gaps;
                }
            }
        }
    }
    EXPECT_GT(compared, 400);
    EXPECT_GT(gaps, 0) << "the minute in which nobody looked is a gap in both";
}

TEST_F(Monitor, movesOneCursorOverAllCharts)
{
    watch(10);
    auto& first = page_.charts().front()->chart();
    first.setFocus();
    QTest::keyClick(&first, Qt::Key_End);
    QTest::keyClick(&first, Qt::Key_Left);
    ASSERT_TRUE(first.cursorStep());
    for (auto* box : page_.charts()) {
        EXPECT_EQ(box->chart().cursorStep(), first.cursorStep());
    }
}

TEST_F(Monitor, leavesOutALineThatTheLegendTurnsOff)
{
    watch(10);
    auto* box = page_.charts().front();
    box->toggleOf(0)->setChecked(false);
    EXPECT_FALSE(box->chart().content().lines[0].shown);
    watch(1);
    EXPECT_FALSE(box->chart().content().lines[0].shown) << "and it stays off";
}

TEST_F(Monitor, turnsALineOffByKeyboardToo)
{
    watch(10);
    auto* box = page_.charts().front();
    box->toggleOf(1)->setFocus();
    QTest::keyClick(box->toggleOf(1), Qt::Key_Space);
    EXPECT_FALSE(box->chart().content().lines[1].shown);
    QTest::keyClick(box->toggleOf(1), Qt::Key_Space);
    EXPECT_TRUE(box->chart().content().lines[1].shown);
}

TEST_F(Monitor, fillsTheChosenWindowFromTheJournalAndSaysSo)
{
    Past past;
    past.knownFrom = fake_->time - std::chrono::hours{3};
    past.knownUntil = fake_->time;
    for (int step = 0; step < 400; ++step) {
        const auto since = (fake_->time - Millis{step * 20'000}).time_since_epoch();
        past.moves[{TimePoint{since - since % Millis{20'000}}, "push"}] = 40;
    }
    fake_->journalPast = past;
    page_.showRange(1);
    watch(5);
    ASSERT_TRUE(until([this] { return page_.model().rowCount() > 150; }));
    ASSERT_EQ(fake_->pasts.size(), 1U) << "of everything it is asked for once";
    EXPECT_EQ(fake_->pasts[0].step, kTimeRanges[1].step);
    const auto old = page_.model().index(100, 1 + static_cast<int>(Line::Pushed));
    EXPECT_DOUBLE_EQ(old.data(MonitorModel::kRawRole).toDouble(), 2.0);
    const auto& drawn = page_.charts()[0]->chart().content().lines[0].values;
    EXPECT_EQ(drawn[drawn.size() - 1 - 100], 2.0) << "the chart has it, too";
    EXPECT_FALSE(page_.model()
                     .index(100, 1 + static_cast<int>(Line::Ready))
                     .data(MonitorModel::kRawRole)
                     .isValid());
    EXPECT_TRUE(status().contains(QStringLiteral("from the journal, since")));
    page_.showRange(3);
    turn();
    EXPECT_EQ(fake_->pasts.size(), 2U);
}

TEST_F(Monitor, drawsTheBacklogThatTheDaemonNotedBeforeItWatched)
{
    Past past;
    past.knownFrom = past.knownUntil = fake_->time;
    const Millis hour{3'600'000};
    const auto since = fake_->time.time_since_epoch();
    for (int back = 160; back > 0; --back) {
        PastBacklog look;
        look.at = TimePoint{since - since % hour} - hour * back;
        look.until = look.at + hour;
        look.states = {{JobState::Ready, 100 + back}, {JobState::Held, 5}};
        look.lateness = Lateness{Millis{100}, Millis{200}, Millis{300}, Millis{300}};
        if (back != 80) {
            past.backlog.push_back(look);
        }
    }
    fake_->journalPast = past;
    page_.showRange(4);
    watch(3);
    ASSERT_TRUE(until([this] { return page_.model().rowCount() > 150; }));
    EXPECT_EQ(fake_->pasts.back().step, hour) << "of a week it asks for no more than it draws";
    EXPECT_EQ(fake_->pasts.back().end - fake_->pasts.back().begin, hour * 168);
    const auto expectSame = [this](std::size_t box, std::size_t at, Line line) {
        const auto& drawn = page_.charts()[box]->chart().content().lines[at].values;
        for (int row = 0; row < page_.model().rowCount(); ++row) {
            const auto cell = page_.model().index(row, 1 + static_cast<int>(line));
            const auto& value = drawn[drawn.size() - 1 - static_cast<std::size_t>(row)];
            ASSERT_EQ(cell.data(MonitorModel::kRawRole).isValid(), value.has_value()) << row;
            EXPECT_EQ(cell.data(MonitorModel::kRawRole).toDouble(), value.value_or(0)) << row;
        }
    };
    expectSame(1, 2, Line::Ready);
    expectSame(2, 1, Line::LatenessP95);
    const auto ready = [this](int row) {
        return page_.model()
            .index(row, 1 + static_cast<int>(Line::Ready))
            .data(MonitorModel::kRawRole);
    };
    EXPECT_DOUBLE_EQ(ready(79).toDouble(), 179.0);
    EXPECT_FALSE(ready(80).isValid()) << "an hour without a look is a gap";
    EXPECT_DOUBLE_EQ(ready(0).toDouble(), 41.0) << "what it watches goes on on the same axis";
    EXPECT_TRUE(status().contains(QStringLiteral("backlog and lateness since")))
        << status().toStdString();
}

TEST_F(Monitor, saysThatNothingIsKnownOfThePastWithoutAJournal)
{
    watch(3);
    ASSERT_TRUE(until([this] { return status().contains(QStringLiteral("no journal")); }));
    fake_->journalPast = Past{{}, fake_->time - std::chrono::hours{1}, fake_->time};
    page_.refresh();
    EXPECT_TRUE(until([this] { return status().contains(QStringLiteral("from the journal")); }));
}

TEST_F(Monitor, drawsOneTopicOnly)
{
    fake_->nextSample.counts.topics = {{Channel::Sms, "order", 3, 4}, {Channel::Sms, "news", 5, 6}};
    watch(3);
    auto* topic = ui_.topic();
    ASSERT_TRUE(until([topic] { return topic->count() == 3; }));
    topic->setFocus();
    QTest::keyClicks(topic, QStringLiteral("order"));
    watchOn(3);
    ASSERT_FALSE(fake_->sampled.empty());
    EXPECT_EQ(fake_->sampled.back().topic, "order");
    EXPECT_EQ(fake_->pasts.back().scope.topic, "order");
    const auto& backlog = page_.charts()[1]->chart().content();
    ASSERT_TRUE(backlog.lines[2].values.back());
    EXPECT_DOUBLE_EQ(*backlog.lines[2].values.back(), 4.0);
    EXPECT_FALSE(backlog.lines[0].values.back()) << "nobody counts the dead by topic";
    topic->setFocus();
    QTest::keyClick(topic, Qt::Key_Home);
    watchOn(3);
    EXPECT_EQ(page_.charts()[1]->chart().content().lines[2].values.back(), 42.0)
        << "everything was watched meanwhile";
}

TEST_F(Monitor, saysWhyItCannotWatchAndGoesOn)
{
    page_.show();
    page_.open(session_.get());
    turn();
    fake_->nextError = Error{ErrorCode::Unavailable, "the store is loading"};
    page_.refresh();
    ASSERT_TRUE(until([this] { return ui_.notice()->isVisible(); }));
    watch(3);
    EXPECT_FALSE(ui_.notice()->isVisible());
}

TEST_F(Monitor, exportsWhatTheTableShows)
{
    watch(30);
    const auto file = home_.filePath(QStringLiteral("numbers.csv"));
    const auto* notice = ui_.notice();
    const auto says = [notice](const char* text) {
        return until([&] { return notice->accessibleName().contains(QString::fromLatin1(text)); });
    };
    page_.exportTo(file);
    ASSERT_TRUE(says("written to"));
    QFile written(file);
    ASSERT_TRUE(written.open(QIODevice::ReadOnly));
    EXPECT_EQ(written.readAll().count('\n'), page_.model().rowCount() + 1);
    page_.exportTo(home_.filePath(QStringLiteral("no/such/folder.csv")));
    EXPECT_TRUE(says("could not be written"));
}

}  // namespace restante::gui::test
