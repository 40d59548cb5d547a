#include "gui/app/action_registry.h"
#include "gui/app/preferences.h"
#include "gui/monitor/monitor_page.h"
#include "gui/session/session.h"
#include "tests/gui/support/fake_backend.h"
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
        session_ = std::make_unique<Session>(ConnectionProfile{}, std::move(backend));
    }
    ~Monitor() override { page_.open(nullptr); }

    void watch(int samples)
    {
        page_.resize(1'000, 800);
        page_.show();
        page_.open(session_.get());
        for (int at = 0; at < samples; ++at) {
            fake_->time += Millis{2'000};
            auto& sample = fake_->nextSample;
            sample.at = fake_->time;
            sample.moves["push"] += static_cast<std::uint64_t>(20 + 10 * std::sin(at / 9.0));
            sample.moves["finish"] += static_cast<std::uint64_t>(18 + 9 * std::sin(at / 7.0));
            sample.counts.states[JobState::Ready] = static_cast<std::uint64_t>(40 + at % 7);
            sample.counts.states[JobState::Scheduled] = 800;
            sample.lateness = {Millis{200}, Millis{1'800 + at}};
            fake_->time += Millis{at == samples / 2 ? 60'000 : 0};
            page_.refresh();
            turn();
        }
        page_.showWindow(page_.windowIndex());
    }

    QTemporaryDir home_;
    Preferences preferences_{home_.filePath(QStringLiteral("admin.ini"))};
    ActionRegistry actions_;
    FakeBackend* fake_ = nullptr;
    std::unique_ptr<Session> session_;
    MonitorPage page_{Context{actions_, preferences_}};
};

}  // namespace

TEST_F(Monitor, drawsTheSameNumbersAsTheTableUnderTheCharts)
{
    watch(120);
    const auto& table = page_.table();
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
                const auto raw = cell.data(MonitorTable::kRawRole);
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
    box->toggle(0)->setChecked(false);
    EXPECT_FALSE(box->chart().content().lines[0].shown);
    watch(1);
    EXPECT_FALSE(box->chart().content().lines[0].shown) << "and it stays off";
}

TEST_F(Monitor, saysWhyItCannotWatchAndGoesOn)
{
    page_.show();
    page_.open(session_.get());
    turn();
    fake_->nextError = Error{ErrorCode::Unavailable, "the store is loading"};
    page_.refresh();
    ASSERT_TRUE(until([this] {
        return page_.findChild<QWidget*>(QStringLiteral("monitorNotice"))->isVisible();
    }));
    watch(3);
    EXPECT_FALSE(page_.findChild<QWidget*>(QStringLiteral("monitorNotice"))->isVisible());
}

TEST_F(Monitor, exportsWhatTheTableShows)
{
    watch(30);
    const auto file = home_.filePath(QStringLiteral("numbers.csv"));
    ASSERT_TRUE(page_.exportTo(file));
    QFile written(file);
    ASSERT_TRUE(written.open(QIODevice::ReadOnly));
    EXPECT_EQ(written.readAll().count('\n'), page_.table().rowCount() + 1);
    EXPECT_FALSE(page_.exportTo(home_.filePath(QStringLiteral("no/such/folder.csv"))));
}

}  // namespace restante::gui::test
