// How the console was left is how it is found, after each change and not only after a tidy end.

#include "gui/pages/detail/job_windows.h"
#include "gui/pages/jobs/jobs_table.h"
#include "gui/pages/monitor/monitor_page.h"
#include "tests/gui/support/job_detail_object.h"
#include "tests/gui/support/monitor_page_object.h"
#include "tests/gui/support/wait.h"
#include "tests/gui/support/window_on_store.h"

#include <QFile>
#include <QHeaderView>
#include <QSettings>
#include <QSplitter>
#include <QStandardItemModel>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <gtest/gtest.h>

#include <map>

namespace restante::gui::test {

namespace {

/// One life of the console: a window on the settings that the lives share.
class Life : public WindowOnStore {
public:
    explicit Life(const QString& file) : WindowOnStore(file)
    {
        openFake([](FakeBackend& store) { store.haveRows(500); });
        window.show();
        turn();
        for (const auto page : {PageId::Audit, PageId::Monitor, PageId::Topics, PageId::Jobs}) {
            window.showPage(page);
            turn();
        }
    }
    QHeaderView& columns() { return *jobs().table().horizontalHeader(); }
    QDockWidget& dock() { return *ui().tasks(); }
};

/// A copy of the settings as they are on disk now, as if the program had been killed.
QString killedAt(const QString& file, const QTemporaryDir& home)
{
    static int copies = 0;
    const auto copy = home.filePath(QStringLiteral("killed-%1.ini").arg(++copies));
    QFile::copy(file, copy);
    return copy;
}

/// Moves the first handle as a mouse does; answers how large the first part is then.
int pushed(QSplitter& splitter)
{
    constexpr QPoint kWay(-30, -30);
    auto* handle = splitter.handle(1);
    const auto from = handle->rect().center();
    QTest::mousePress(handle, Qt::LeftButton, {}, from);
    QTest::mouseMove(handle, from + kWay);
    QTest::mouseRelease(handle, Qt::LeftButton, {}, from + kWay);
    return splitter.sizes().at(0);
}

/// The column at the right end.
int lastShown(Life& life)
{
    int last = 0;
    for (int place = 0; place < kJobColumns; ++place) {
        const auto column = life.columns().logicalIndex(place);
        last = life.columns().isSectionHidden(column) ? last : column;
    }
    return last;
}

/// Without jobs no column hides for being empty, and the text takes the room that is left.
void showAll(Life& life)
{
    life.fake->haveRows(0);
    life.jobs().refresh();
    EXPECT_TRUE(until([&] {
        return life.jobs().feed().total() == 0 &&
               !life.columns().isSectionHidden(static_cast<int>(JobColumn::Text));
    }));
}

class LayoutAfterRestart : public testing::Test {
protected:
    bool isKept(const QString& key)
    {
        return until([&] {
            return QSettings(file, QSettings::IniFormat).contains(QStringLiteral("layout/") + key);
        });
    }

    QTemporaryDir home;
    QString file = home.filePath(QStringLiteral("admin.ini"));
};

}  // namespace

TEST_F(LayoutAfterRestart, columnsKeepOrderWidthVisibilityAndSortThoughTheProgramIsKilled)
{
    constexpr int kTo = static_cast<int>(JobColumn::To);
    QString copy;
    {
        Life run(file);
        ASSERT_TRUE(run.settled());
        auto& table = run.jobs().table();
        constexpr int kError = static_cast<int>(JobColumn::Error);
        ASSERT_TRUE(table.isColumnHidden(kError)) << "no job has failed";
        table.moveColumn(JobColumn::Error, 2);
        table.setColumnShown(JobColumn::Topic, false);
        run.columns().resizeSection(kTo, 173);
        auto view = run.jobs().shownView();
        view.descending = true;
        run.jobs().showView(view);
        ASSERT_TRUE(isKept(QStringLiteral("jobs/header")));
        QTableView kept;
        QStandardItemModel model(1, kJobColumns);
        kept.setModel(&model);
        // The width is written a moment after it has come to rest.
        ASSERT_TRUE(until([&] {
            const auto now = killedAt(file, home);
            Preferences preferences(now);
            const auto parts = preferences.layout(QStringLiteral("jobs/header")).split(' ');
            return parts.size() == 3 &&
                   kept.horizontalHeader()->restoreState(QByteArray::fromBase64(parts[2])) &&
                   kept.columnWidth(kTo) == 173;
        }));
        // What is kept is what the user wants; that a column is empty now is not for ever.
        for (int column = 0; column < kJobColumns; ++column) {
            EXPECT_EQ(kept.isColumnHidden(column),
                      !table.isColumnChosen(static_cast<JobColumn>(column)))
                << column;
        }
        EXPECT_FALSE(kept.isColumnHidden(kError));
        EXPECT_TRUE(table.isColumnHidden(kError));
        copy = killedAt(file, home);
    }
    Life again(copy);
    EXPECT_EQ(again.columns().visualIndex(static_cast<int>(JobColumn::Error)), 2);
    EXPECT_FALSE(again.jobs().table().isColumnChosen(JobColumn::Topic));
    EXPECT_TRUE(again.jobs().table().isColumnChosen(JobColumn::Error)) << "hidden as empty only";
    EXPECT_EQ(again.columns().sectionSize(kTo), 173);
    EXPECT_TRUE(again.jobs().shownView().descending);
    EXPECT_EQ(again.columns().sortIndicatorOrder(), Qt::DescendingOrder);
}

TEST_F(LayoutAfterRestart, everySplitterIsFoundWhereItWasLeft)
{
    std::map<QString, int> left;
    QString copy;
    {
        Life run(file);
        run.jobs().showJob("job-1");
        turn();
        for (auto* splitter : run.window.findChildren<QSplitter*>()) {
            EXPECT_FALSE(splitter->objectName().isEmpty());
            if (splitter->isVisible()) {
                left[splitter->objectName()] = pushed(*splitter);
            }
        }
        run.window.showPage(PageId::Monitor);
        turn();
        for (auto* splitter : run.window.monitor().findChildren<QSplitter*>()) {
            left[splitter->objectName()] = pushed(*splitter);
        }
        run.window.showPage(PageId::Jobs);
        auto& detail = run.jobs().detail();
        detail.showTab(JobDetail::Tab::Attempts);
        turn();
        for (auto* splitter : detail.findChildren<QSplitter*>()) {
            if (splitter->isVisible() && left.count(splitter->objectName()) == 0) {
                left[splitter->objectName()] = pushed(*splitter);
            }
        }
        ASSERT_TRUE(isKept(QStringLiteral("jobs/halves")));
        turn();
        copy = killedAt(file, home);
    }
    EXPECT_GE(left.size(), 5U) << "sides, halves, overview, attempts, monitor";
    Life again(copy);
    again.jobs().showJob("job-1");
    turn();
    for (const auto& [name, size] : left) {
        auto* splitter = again.window.findChild<QSplitter*>(name);
        ASSERT_NE(splitter, nullptr) << name.toStdString();
        if (splitter->isVisible()) {
            EXPECT_NEAR(splitter->sizes().at(0), size, 2) << name.toStdString();
        }
    }
    again.window.showPage(PageId::Monitor);
    turn();
    auto* monitor = MonitorPageObject(&again.window.monitor()).splitter();
    EXPECT_NEAR(monitor->sizes().at(0), left[monitor->objectName()], 2);
}

TEST_F(LayoutAfterRestart, theDockTheSidesAndTheGeometryComeBackThoughTheProgramIsKilled)
{
    constexpr QSize kLeft(1'331, 707);  // has room for the dock at the side
    QString copy;
    {
        Life run(file);
        run.window.resize(kLeft);
        run.window.addDockWidget(Qt::RightDockWidgetArea, &run.dock());
        run.dock().show();
        run.window.actions()[ActionId::ToggleFilters]->setChecked(false);
        turn();
        ASSERT_EQ(run.window.size(), kLeft);
        const auto geometry = run.window.saveGeometry();
        ASSERT_TRUE(until([&] {
            Preferences now(killedAt(file, home));
            return now.layout(QStringLiteral("window/geometry")) == geometry &&
                   !now.layout(QStringLiteral("window/state")).isEmpty();
        }));
        copy = killedAt(file, home);
    }
    Life again(copy);
    EXPECT_EQ(again.window.size(), kLeft);
    EXPECT_FALSE(again.dock().isHidden());
    EXPECT_EQ(again.window.dockWidgetArea(&again.dock()), Qt::RightDockWidgetArea);
    EXPECT_FALSE(again.window.actions()[ActionId::ToggleFilters]->isChecked());
    again.window.actions()[ActionId::ResetLayout]->trigger();
    turn();
    EXPECT_EQ(again.window.size(), QSize(1'280, 800));
    EXPECT_TRUE(again.dock().isHidden());
}

TEST_F(LayoutAfterRestart, theWindowOfAJobIsFoundAsItWasLeft)
{
    Preferences preferences(file);
    const ActionRegistry actions;
    QWidget owner;
    for (const bool isFirst : {true, false}) {
        auto made = std::make_unique<FakeBackend>();
        StoreSession session(ConnectionProfile{}, std::move(made));
        ActionRegistry registry;
        JobWindows windows({registry, preferences}, &owner);
        windows.open(&session);
        windows.showJob("job-1");
        turn();
        ASSERT_EQ(jobWindows(owner).size(), 1);
        auto* window = jobWindows(owner).front();
        if (isFirst) {
            window->resize(777, 444);
            turn();
            ASSERT_TRUE(until([&] {
                return preferences.layout(QStringLiteral("jobWindow/geometry")) ==
                       window->saveGeometry();
            }));
        } else {
            EXPECT_EQ(window->size(), QSize(777, 444));
        }
        windows.open(nullptr);
    }
}

TEST_F(LayoutAfterRestart, aLayoutOfAVersionWithFewerColumnsIsTakenAsFarAsItGoes)
{
    {
        // As a program with the first six columns left it.
        QTableView older;
        QStandardItemModel model(3, 6);
        older.setModel(&model);
        older.horizontalHeader()->setStretchLastSection(true);
        older.horizontalHeader()->resizeSection(2, 201);
        older.horizontalHeader()->moveSection(3, 1);
        Preferences preferences(file);
        preferences.setLayout(QStringLiteral("jobs/header"),
                              QByteArray("1 6 ") +
                                  older.horizontalHeader()->saveState().toBase64());
    }
    Life run(file);
    ASSERT_TRUE(run.settled());
    EXPECT_EQ(run.columns().count(), kJobColumns);
    EXPECT_EQ(run.columns().sectionSize(2), 201);
    EXPECT_EQ(run.columns().visualIndex(3), 1);
    const QTemporaryDir elsewhere;
    Life fresh(elsewhere.filePath(QStringLiteral("admin.ini")));
    ASSERT_TRUE(fresh.settled());
    for (int column = 6; column < kJobColumns; ++column) {
        EXPECT_EQ(run.columns().isSectionHidden(column), fresh.columns().isSectionHidden(column))
            << column;
        // The last on the screen takes what is left over.
        if (column != lastShown(run) && column != lastShown(fresh)) {
            EXPECT_EQ(run.columns().sectionSize(column), fresh.columns().sectionSize(column))
                << column;
        }
    }
}

TEST_F(LayoutAfterRestart, aLayoutThatCannotBeReadIsAsIfThereWereNone)
{
    const QTemporaryDir elsewhere;
    Life fresh(elsewhere.filePath(QStringLiteral("admin.ini")));
    ASSERT_TRUE(fresh.settled());
    for (int place = 0; place < kJobColumns; ++place) {
        EXPECT_EQ(fresh.columns().logicalIndex(place),
                  static_cast<int>(defaultOrder()[static_cast<std::size_t>(place)]));
    }
    const auto expected = fresh.columns().saveState();
    showAll(fresh);
    for (const auto& broken : {QByteArray("nonsense"), QByteArray("1 6 !!!!"),
                               QByteArray("1 999 AAAA"), QByteArray("99 6 ") + expected.toBase64(),
                               QByteArray("1 20 ") + expected.left(expected.size() / 2).toBase64(),
                               QByteArray(20'000, '\xff')}) {
        {
            Preferences preferences(file);
            for (const auto* key :
                 {"jobs/header", "jobs/sides", "jobs/halves", "overview/sides", "attempts/sides",
                  "attempts/words", "monitor/splitter", "monitor/header", "topics/columns",
                  "audit/columns", "window/geometry", "window/state"}) {
                preferences.setLayout(QString::fromLatin1(key), broken);
            }
        }
        Life run(file);
        ASSERT_TRUE(run.settled());
        showAll(run);
        EXPECT_EQ(run.window.size(), fresh.window.size());
        for (int column = 0; column < kJobColumns; ++column) {
            EXPECT_EQ(run.columns().visualIndex(column), fresh.columns().visualIndex(column));
            EXPECT_EQ(run.columns().isSectionHidden(column),
                      fresh.columns().isSectionHidden(column));
            EXPECT_EQ(run.columns().sectionSize(column), fresh.columns().sectionSize(column));
        }
        for (const auto* splitter : run.window.findChildren<QSplitter*>()) {
            const auto* twin = fresh.window.findChild<QSplitter*>(splitter->objectName());
            EXPECT_EQ(splitter->sizes(), twin->sizes()) << splitter->objectName().toStdString();
        }
    }
}

}  // namespace restante::gui::test
