#include "gui/actions/action_registry.h"
#include "gui/actions/action_table.h"
#include "tests/gui/support/window_on_store.h"
#include "tests/support/file_content.h"
#include "tests/support/process.h"

#include <QMenuBar>
#include <QRegularExpression>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace restante::gui::test {

TEST(Actions, haveShortcutsOfTheirOwn)
{
    const ActionRegistry actions;
    std::set<QString> taken;
    for (const auto* action : actions.all()) {
        for (const auto& key : action->shortcuts()) {
            EXPECT_TRUE(taken.insert(key.toString(QKeySequence::PortableText)).second)
                << action->objectName().toStdString();
        }
    }
}

TEST(Actions, eachHaveTextTipAndNameAndAreInAMenu)
{
    WindowOnStore whole;
    auto& window = whole.window;
    std::set<QAction*> inMenus;
    for (auto* menu : window.menuBar()->actions()) {
        for (auto* action : menu->menu()->actions()) {
            inMenus.insert(action);
        }
    }
    for (auto* action : window.actions().all()) {
        const auto name = action->objectName().toStdString();
        EXPECT_EQ(name.rfind("action", 0), 0U) << name;
        EXPECT_FALSE(action->text().isEmpty()) << name;
        EXPECT_FALSE(action->statusTip().isEmpty()) << name;
        EXPECT_FALSE(action->toolTip().isEmpty()) << name;
        EXPECT_TRUE(inMenus.count(action)) << name;
    }
}

TEST(Actions, standInTheTableInTheOrderOfTheirNumbers)
{
    int expected = 0;
    for (const auto& entry : actionTable()) {
        EXPECT_EQ(static_cast<int>(entry.id), expected++) << entry.objectName;
    }
}

TEST(Actions, haveTheKeysThatTheDocumentSays)
{
    std::map<QString, QString> titles;  // by their keys
    for (const auto& entry : actionTable()) {
        const auto title = QString::fromUtf8(entry.text).remove(u'&').remove(u'…');
        for (const auto& key : standardKeys(entry)) {
            titles[key.toString(QKeySequence::PortableText)] = title;
        }
    }
    const auto path = restante::test::sourceDirectory() / "docs/console.md";
    const auto text = QString::fromStdString(restante::test::contentOf(path)).simplified();
    // What a widget alone takes, such as F2 or Shift+Left, is no command.
    const QRegularExpression key(QStringLiteral(R"(\b((?:Ctrl|Alt)\+[^ ,;:.)`|]+))"));
    for (auto found = key.globalMatch(text); found.hasNext();) {
        const auto keys = found.next().captured(1);
        EXPECT_TRUE(titles.count(keys)) << keys.toStdString();
    }
    const QRegularExpression title(
        QStringLiteral(R"(\*([A-Z][^*…]+)…?\*+ \((?:[A-Z][a-z]+, )?((?:Ctrl|Alt)\+[^ ,)]+))"));
    int named = 0;
    for (auto found = title.globalMatch(text); found.hasNext(); ++named) {
        const auto match = found.next();
        EXPECT_EQ(titles[match.captured(2)].toStdString(), match.captured(1).toStdString())
            << match.captured(2).toStdString();
    }
    EXPECT_GT(named, 5);
}

TEST(Actions, sayOfATopicWhatTheyWouldChange)
{
    ActionRegistry actions;
    const auto* action = actions[ActionId::PauseTopic];
    SelectionSummary selection;
    selection.topicChosen = true;
    selection.topicName = QStringLiteral("sms");
    actions.update(selection, {true, {}, {}, {}});
    EXPECT_EQ(action->text(), QStringLiteral("&Pause…"));
    EXPECT_EQ(action->iconText(), QStringLiteral("Pause"));
    EXPECT_TRUE(action->toolTip().startsWith(QStringLiteral("“sms” is not paused")));
    const auto pausing = action->icon().cacheKey();
    selection.topicPaused = true;
    actions.update(selection, {true, {}, {}, {}});
    EXPECT_EQ(action->text(), QStringLiteral("&Resume"));
    EXPECT_EQ(action->iconText(), QStringLiteral("Resume")) << "a tool button shows this one";
    EXPECT_TRUE(action->toolTip().startsWith(QStringLiteral("“sms” is paused")));
    EXPECT_NE(action->icon().cacheKey(), pausing);
}

TEST(ReadOnly, disablesEveryWriteWithAReasonAndRefusesDirectCalls)
{
    ConnectionProfile profile;
    profile.mode = AccessMode::ReadOnly;
    WindowOnStore whole;
    whole.openFake({}, profile);
    auto& window = whole.window;
    for (const auto& entry : actionTable()) {
        if ((entry.flags & ActionEntry::Write) != 0) {
            EXPECT_FALSE(window.actions()[entry.id]->isEnabled()) << entry.objectName;
            EXPECT_TRUE(window.actions()[entry.id]->toolTip().contains(u'\n')) << entry.objectName;
        }
    }
    BulkRequest order;
    order.selection.ids = {"job-1"};
    order.selection.count = 1;
    std::optional<Result<BulkReport>> answer;
    const auto requestId = window.session()->commands().runBulk(
        order, {}, {&window, [&](Result<BulkReport> report) { answer = std::move(report); }});
    EXPECT_EQ(requestId, 0U);
    while (!answer) {
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    }
    ASSERT_FALSE(answer->has_value());
    EXPECT_EQ(answer->error().code, ErrorCode::Denied);
    EXPECT_TRUE(whole.fake->bulkRequests.empty());
}

}  // namespace restante::gui::test
