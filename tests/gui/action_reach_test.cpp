// Every command has keys, a text and a picture of its own, and is found in a menu and in the
// palette.

#include "gui/actions/action_table.h"
#include "gui/theme/appearance.h"
#include "tests/gui/support/command_palette_object.h"
#include "tests/gui/support/wait.h"
#include "tests/gui/support/window_on_store.h"

#include <QAbstractButton>
#include <QIcon>
#include <QLabel>
#include <QMenuBar>
#include <QShortcut>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace restante::gui::test {

namespace {

/// Whose keys these are, by key.
using Owners = std::map<QString, QStringList>;

QString doubles(const Owners& owners)
{
    QStringList found;
    for (const auto& [key, names] : owners) {
        if (names.size() > 1) {
            found.append(key + QStringLiteral(": ") + names.join(QStringLiteral(", ")));
        }
    }
    return found.join(u'\n');
}

class ActionReach : public testing::Test, protected WindowOnStore {
protected:
    ActionReach()
    {
        show();
        turn();
    }
    /// What works now: commands that are enabled, and keys of widgets on screen.
    Owners keys()
    {
        std::set<const QAction*> all;
        for (const auto* action : window.findChildren<QAction*>()) {
            all.insert(action);
        }
        for (const auto* action : window.actions().all()) {
            all.insert(action);
        }
        Owners owners;
        for (const auto* action : all) {
            for (const auto& key : action->shortcuts()) {
                if (action->isEnabled()) {
                    owners[key.toString(QKeySequence::PortableText)].append(action->objectName());
                }
            }
        }
        for (const auto* shortcut : window.findChildren<QShortcut*>()) {
            const auto* widget = qobject_cast<QWidget*>(shortcut->parent());
            if (shortcut->isEnabled() && widget != nullptr && widget->isVisible()) {
                owners[shortcut->key().toString(QKeySequence::PortableText)].append(
                    QStringLiteral("a shortcut of ") + widget->objectName());
            }
        }
        return owners;
    }
    /// The Alt keys that work at the moment: those of menus, and of what is on screen.
    Owners mnemonics()
    {
        Owners owners;
        const auto add = [&](const QString& text, const QString& name) {
            const auto key = QKeySequence::mnemonic(text);
            if (!key.isEmpty()) {
                owners[key.toString(QKeySequence::PortableText)].append(name + u' ' + text);
            }
        };
        for (const auto* menu : window.menuBar()->actions()) {
            add(menu->text(), QStringLiteral("menu"));
        }
        for (const auto* button : window.findChildren<QAbstractButton*>()) {
            // A tool button that shows an action's icon has the action's text and no key of it.
            if (button->isVisible() && button->isEnabled() && !button->inherits("QToolButton")) {
                add(button->text(), button->objectName());
            }
        }
        for (const auto* label : window.findChildren<QLabel*>()) {
            if (label->isVisible() && label->buddy() != nullptr) {
                add(label->text(), label->objectName());
            }
        }
        for (const auto* action : window.actions().all()) {
            for (const auto& key : action->shortcuts()) {
                owners[key.toString(QKeySequence::PortableText)].append(action->objectName());
            }
        }
        return owners;
    }
};

}  // namespace

TEST_F(ActionReach, everyActionHasAShortcutThatNothingElseInTheWindowHas)
{
    for (const auto* action : window.actions().all()) {
        EXPECT_FALSE(action->shortcut().isEmpty()) << action->objectName().toStdString();
    }
    openFake([](FakeBackend& store) { store.haveRows(100); });
    for (const auto page : pageIds()) {
        window.showPage(page);
        turn();
        window.actions()[ActionId::SelectAll]->trigger();
        turn();
        const auto owners = keys();
        EXPECT_EQ(doubles(owners).toStdString(), "") << "page " << static_cast<int>(page);
        EXPECT_GT(owners.size(), 20U);
    }
}

TEST_F(ActionReach, everyActionHasTextsAndAnIconWithoutAnyIconTheme)
{
    QIcon::setThemeName(QStringLiteral("there-is-no-such-theme"));
    QIcon::setThemeSearchPaths({});
    QIcon::setFallbackSearchPaths({});
    const ActionRegistry actions;
    for (const auto* action : actions.all()) {
        const auto name = action->objectName().toStdString();
        EXPECT_FALSE(action->text().isEmpty()) << name;
        EXPECT_FALSE(action->iconText().isEmpty()) << name;
        EXPECT_FALSE(action->statusTip().isEmpty()) << name;
        EXPECT_FALSE(action->whatsThis().isEmpty()) << name;
        EXPECT_FALSE(action->icon().isNull()) << name;
        const auto drawn = action->icon().pixmap(16, 16).toImage();
        bool isDrawn = false;
        for (int at = 0; at < 256 && !isDrawn && !drawn.isNull(); ++at) {
            isDrawn = qAlpha(drawn.pixel(at % 16, at / 16)) > 128;
        }
        EXPECT_TRUE(isDrawn) << name << ": its icon is empty";
    }
}

TEST_F(ActionReach, everyActionIsInOneMenuAndInThePalette)
{
    std::map<QString, int> inMenus;
    for (auto* menu : window.menuBar()->actions()) {
        for (auto* action : menu->menu()->actions()) {
            ++inMenus[action->objectName()];
        }
    }
    auto* palette = ui().opened(ActionId::CommandPalette);
    const auto* list = CommandPaletteObject(palette).found();
    QStringList listed;
    for (int row = 0; row < list->count(); ++row) {
        listed.append(list->item(row)->text());
    }
    for (const auto* action : window.actions().all()) {
        if (!action->isVisible()) {
            continue;  // of a page that is not built
        }
        const auto name = action->objectName().toStdString();
        EXPECT_EQ(inMenus[action->objectName()], 1) << name;
        EXPECT_FALSE(listed.filter(action->iconText()).isEmpty()) << name;
    }
    palette->close();
}

TEST_F(ActionReach, noAltKeyIsAmbiguousInAnyLanguageOnAnyPage)
{
    for (const auto* language : {"en", "zh_CN"}) {
        preferences.setLanguage(QString::fromLatin1(language));
        const Appearance appearance(preferences);
        turn();
        EXPECT_EQ(doubles(mnemonics()).toStdString(), "") << language << ", no store is open";
        for (const auto page : {PageId::Topics, PageId::Monitor, PageId::Audit}) {
            window.showPage(page);
            EXPECT_EQ(doubles(mnemonics()).toStdString(), "")
                << language << ", page " << static_cast<int>(page);
        }
        window.showPage(PageId::Jobs);
    }
    preferences.setLanguage(QStringLiteral("en"));
    const Appearance back(preferences);
}

TEST_F(ActionReach, noAltKeyIsAmbiguousWhateverTheConnectionIsLike)
{
    openFake([](FakeBackend& store) { store.haveRows(100); });
    auto link = fake->link();
    for (const auto phase : {LinkState::Phase::Connecting, LinkState::Phase::Lost,
                             LinkState::Phase::Failed, LinkState::Phase::Ready}) {
        link.phase = phase;
        link.problem = QStringLiteral("The server closed the connection.");
        fake->setLink(link);
        turn();
        EXPECT_EQ(doubles(mnemonics()).toStdString(), "") << static_cast<int>(phase);
    }
    fake->haveRows(0);
    window.actions()[ActionId::Refresh]->trigger();
    turn();
    EXPECT_EQ(doubles(mnemonics()).toStdString(), "") << "an empty store";
}

TEST_F(ActionReach, noLetterIsTwiceInAMenu)
{
    for (const auto* language : {"en", "zh_CN"}) {
        preferences.setLanguage(QString::fromLatin1(language));
        const Appearance appearance(preferences);
        turn();
        for (const auto* menu : window.menuBar()->actions()) {
            Owners owners;
            for (const auto* action : menu->menu()->actions()) {
                const auto key = QKeySequence::mnemonic(action->text());
                if (!action->isSeparator()) {
                    owners[key.toString()].append(action->text());
                }
            }
            EXPECT_EQ(doubles(owners).toStdString(), "")
                << language << " " << menu->text().toStdString();
        }
    }
    preferences.setLanguage(QStringLiteral("en"));
    const Appearance back(preferences);
}

}  // namespace restante::gui::test
