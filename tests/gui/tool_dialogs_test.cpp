#include "gui/actions/shortcut_map.h"
#include "gui/base/preferences.h"
#include "gui/pages/dialogs/command_palette.h"
#include "gui/pages/dialogs/preferences_dialog.h"
#include "gui/pages/dialogs/shortcuts_dialog.h"
#include "gui/theme/appearance.h"
#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"
#include "tests/gui/support/command_palette_object.h"
#include "tests/gui/support/inspection.h"
#include "tests/gui/support/preferences_dialog_object.h"
#include "tests/gui/support/shortcuts_dialog_object.h"
#include "tests/gui/support/wait.h"
#include "tests/gui/support/window_on_store.h"

#include <QLocale>
#include <QTemporaryDir>
#include <QTest>
#include <gtest/gtest.h>

namespace restante::gui::test {

namespace {

class Tools : public testing::Test, protected WindowOnStore {
protected:
    /// Opens the dialog of a command as a user would.
    QDialog* opened(ActionId act)
    {
        window.show();
        return ui().opened(act);
    }
};

}  // namespace

TEST_F(Tools, openTheirDialogsWithoutClippedTextOrUnnamedWidgets)
{
    for (const auto& [act, name] : kToolDialogs) {
        auto* dialog = opened(act);
        ASSERT_NE(dialog, nullptr) << name;
        EXPECT_TRUE(dialog->isVisible()) << name;
        EXPECT_EQ(clippedTexts(*dialog).join(u'\n').toStdString(), "") << name;
        EXPECT_EQ(unnamedWidgets(*dialog).join(u'\n').toStdString(), "") << name;
        dialog->close();
        turn();
    }
}

TEST_F(Tools, keepThePreferencesOnOkOnly)
{
    auto* dialog = opened(ActionId::Preferences);
    PreferencesDialogObject(dialog).typedCount()->setValue(77);
    dialog->reject();
    EXPECT_EQ(preferences.typedCountFrom(), 1'000);
    turn();
    dialog = opened(ActionId::Preferences);
    const PreferencesDialogObject shown(dialog);
    shown.typedCount()->setValue(77);
    shown.liveInterval()->setValue(5'000);
    shown.zone()->setEditText(QStringLiteral("Europe/Berlin"));
    dialog->accept();
    EXPECT_EQ(preferences.typedCountFrom(), 77);
    EXPECT_EQ(preferences.liveIntervalMs(), 5'000);
    EXPECT_EQ(preferences.timeZone(), QByteArray("Europe/Berlin"));
}

TEST_F(Tools, haveEveryPreferenceAndItWorksAtOnce)
{
    const Appearance appearance(preferences);
    auto* dialog = opened(ActionId::Preferences);
    const PreferencesDialogObject shown(dialog);
    EXPECT_EQ(shown.tabs()->count(), 8);
    shown.zone()->setEditText(QStringLiteral("Asia/Shanghai"));
    auto* scheme = shown.scheme();
    scheme->setCurrentIndex(scheme->findData(static_cast<int>(Scheme::Dark)));
    for (auto* box : {shown.relative(), shown.clock24(), shown.grouped(), shown.reopensLast()}) {
        box->setChecked(false);
    }
    shown.productionCount()->setValue(20);
    shown.payloadChunk()->setValue(32);
    dialog->accept();
    const TimeText times(preferences);
    EXPECT_EQ(times.absolute(fromEpochMs(1'700'000'000'000)),
              QStringLiteral("2023-11-15 06:13:20 AM"));
    EXPECT_EQ(QLocale().toString(12'345), QStringLiteral("12345"));
    EXPECT_EQ(Theme::current(), Scheme::Dark);
    EXPECT_EQ(PayloadLimits::of(preferences).chunkSize, 32 * 1'024);
    EXPECT_EQ(preferences.productionCountFrom(), 20);
    EXPECT_FALSE(preferences.reopensLast());
    EXPECT_FALSE(preferences.relativeTimes());
    preferences.setGroupedNumbers(true);
    preferences.setScheme(Scheme::Light);
    EXPECT_EQ(QLocale().toString(12'345), QStringLiteral("12,345"));
}

TEST_F(Tools, takeNoTimeZoneThatDoesNotExist)
{
    const PreferencesDialogObject dialog(opened(ActionId::Preferences));
    auto* ok = dialog.ok();
    auto* zone = dialog.zone();
    zone->setEditText(QStringLiteral("Mars/Olympus"));
    EXPECT_FALSE(ok->isEnabled());
    zone->setEditText(QStringLiteral("Asia/Shanghai"));
    EXPECT_TRUE(ok->isEnabled());
}

TEST_F(Tools, refuseAKeyThatBelongsToAnotherCommand)
{
    const ShortcutsDialogObject dialog(opened(ActionId::Shortcuts));
    auto* key = dialog.key();
    auto* assign = dialog.assign();
    QTest::keyClicks(dialog.search(), QStringLiteral("Reschedule"));
    key->setKeySequence(QKeySequence(QStringLiteral("F5")));
    EXPECT_FALSE(assign->isEnabled());
    EXPECT_TRUE(dialog.problem()->text().contains(QStringLiteral("Refresh")));
    key->setKeySequence(QKeySequence(QStringLiteral("F8")));
    ASSERT_TRUE(assign->isEnabled());
    assign->click();
    EXPECT_EQ(window.actions()[ActionId::Reschedule]->shortcut(), QKeySequence(Qt::Key_F8));
}

TEST_F(Tools, findACommandByItsName)
{
    const CommandPaletteObject palette(opened(ActionId::CommandPalette));
    auto* typed = palette.text();
    auto* found = palette.found();
    EXPECT_EQ(found->count(), static_cast<int>(ActionId::Count_)) << "every command is there";
    QTest::keyClicks(typed, QStringLiteral("about"));
    ASSERT_GE(found->count(), 1);
    QTest::keyClick(typed, Qt::Key_Return);
    turn();
    EXPECT_NE(ui().dialog(ActionId::About), nullptr);
}

TEST_F(Tools, sayInThePaletteWhyACommandIsOff)
{
    const CommandPaletteObject palette(opened(ActionId::CommandPalette));
    QTest::keyClicks(palette.text(), QStringLiteral("reschedule"));
    const auto* item = palette.found()->item(0);
    ASSERT_NE(item, nullptr);
    EXPECT_FALSE(item->flags() & Qt::ItemIsEnabled);
    EXPECT_TRUE(item->data(Qt::AccessibleTextRole)
                    .toString()
                    .contains(QStringLiteral("There is no connection.")));
}

TEST_F(Tools, leadFromThePaletteToAJob)
{
    openFake();
    const CommandPaletteObject palette(opened(ActionId::CommandPalette));
    auto* typed = palette.text();
    QTest::keyClicks(typed, QStringLiteral("01J9-K4"));
    auto* found = palette.found();
    ASSERT_GE(found->count(), 1);
    EXPECT_EQ(found->item(0)->text(), QStringLiteral("Go to job 01J9-K4"));
    QTest::keyClick(typed, Qt::Key_Return);
    turn();
    window.open(nullptr);
}

TEST(ShortcutMap, keepsKeysAcrossRestartsEvenSwappedOnes)
{
    const QTemporaryDir home;
    Preferences preferences(home.filePath(QStringLiteral("admin.ini")));
    const QKeySequence hold(QStringLiteral("Ctrl+H"));
    const QKeySequence later(QStringLiteral("Ctrl+T"));
    {
        ActionRegistry actions;
        ShortcutMap map(actions, preferences);
        EXPECT_FALSE(map.set(ActionId::Reschedule, hold));
        ASSERT_TRUE(map.set(ActionId::Hold, {}));
        ASSERT_TRUE(map.set(ActionId::Reschedule, hold));
        ASSERT_TRUE(map.set(ActionId::Hold, later));
    }
    ActionRegistry actions;
    ShortcutMap map(actions, preferences);
    map.applySavedKeys();
    EXPECT_EQ(actions[ActionId::Reschedule]->shortcut(), hold);
    EXPECT_EQ(actions[ActionId::Hold]->shortcut(), later);
    EXPECT_FALSE(map.reset(ActionId::Hold)) << "Reschedule has it";
    map.resetAll();
    EXPECT_TRUE(map.hasDefaultKeys(ActionId::Hold));
    EXPECT_EQ(actions[ActionId::Reschedule]->shortcut(), later);
}

TEST(ShortcutMap, leavesKeysThatTypeToTyping)
{
    const QTemporaryDir home;
    Preferences preferences(home.filePath(QStringLiteral("admin.ini")));
    ActionRegistry actions;
    const ShortcutMap map(actions, preferences);
    EXPECT_FALSE(map.refusal(ActionId::Refresh, QKeySequence(Qt::Key_A)).isEmpty());
    EXPECT_FALSE(map.refusal(ActionId::Refresh, QKeySequence(Qt::SHIFT | Qt::Key_A)).isEmpty());
    EXPECT_TRUE(map.refusal(ActionId::Refresh, QKeySequence(Qt::Key_F7)).isEmpty());
    EXPECT_TRUE(map.refusal(ActionId::Refresh, QKeySequence(Qt::CTRL | Qt::Key_J)).isEmpty());
}

TEST(Palette, prefersTheBeginningOfATitle)
{
    const auto score = [](const char* title, const char* typed) {
        return paletteScore(QString::fromLatin1(title), QString::fromLatin1(typed));
    };
    EXPECT_GT(score("Restore", "re"), score("Move to Trash Restore", "re"));
    EXPECT_GT(score("Go to Job", "job"), score("Enjobed", "job"));
    EXPECT_EQ(score("Restore", "xyz"), 0);
    EXPECT_EQ(score("Go to Job", "job xyz"), 0);
    EXPECT_GT(score("Go to Job", ""), 0);
}

}  // namespace restante::gui::test
