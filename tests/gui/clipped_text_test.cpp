// No text of the console is clipped: pages, dialogs, tabs, titles of columns and menus,
// in English, in Chinese and with texts that are 40 % longer, on a large and on a small screen.

#include "gui/pages/detail/job_detail.h"
#include "tests/gui/support/inspection.h"
#include "tests/gui/support/wait.h"
#include "tests/gui/support/wearing.h"
#include "tests/gui/support/whole_window.h"

#include <QAbstractButton>
#include <QKeySequence>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QTabBar>
#include <QTabWidget>
#include <gtest/gtest.h>

#include <map>
#include <string_view>

namespace restante::gui::test {

namespace {

class ClippedText : public testing::TestWithParam<ScreenLook> {
protected:
    void expectNothingClipped(const QWidget& root, const QString& where)
    {
        EXPECT_EQ(clippedTexts(root).join(u'\n').toStdString(), "") << where.toStdString();
    }
    void lookAtDetail(const QString& when)
    {
        using Tab = JobDetail::Tab;
        for (const auto tab :
             {Tab::Overview, Tab::Payload, Tab::History, Tab::Attempts, Tab::Related}) {
            whole.jobs().detail().showTab(tab);
            whole.settled();
            expectNothingClipped(whole.window,
                                 QStringLiteral("detail %1, %2").arg(int(tab)).arg(when));
        }
    }

    const Wearing look{GetParam()};
    WholeWindow whole;
};

/// Alt keys that two things of the dialog have.
QString doubledKeys(const QWidget& dialog)
{
    std::map<QString, QStringList> owners;
    const auto add = [&owners](const QString& text) {
        if (const auto key = QKeySequence::mnemonic(text); !key.isEmpty()) {
            owners[key.toString()].append(text);
        }
    };
    for (const auto* button : dialog.findChildren<QAbstractButton*>()) {
        if (button->isVisible()) {
            add(button->text());
        }
    }
    for (const auto* label : dialog.findChildren<QLabel*>()) {
        if (label->isVisible() && label->buddy() != nullptr) {
            add(label->text());
        }
    }
    for (const auto* bar : dialog.findChildren<QTabBar*>()) {
        for (int at = 0; at < bar->count(); ++at) {
            add(bar->tabText(at));
        }
    }
    QStringList found;
    for (const auto& [key, texts] : owners) {
        if (texts.size() > 1) {
            found.append(key + QStringLiteral(": ") + texts.join(QStringLiteral(", ")));
        }
    }
    return found.join(u'\n');
}

}  // namespace

TEST_P(ClippedText, noTextOfAnyPageIsClippedInALargeOrASmallWindow)
{
    for (const auto& size : {QSize(1'280, 800), kSmallScreen}) {
        whole.window.resize(size);
        turn();
        EXPECT_EQ(whole.window.size(), size) << "it cannot be as small as the screen";
        for (const auto page : pageIds()) {
            const auto number = static_cast<int>(page);
            whole.showPage(page);
            const auto where = QStringLiteral("page %1 at %2").arg(number).arg(size.width());
            expectNothingClipped(whole.window, where);
            EXPECT_TRUE(keepPicture(
                &whole.window,
                QStringLiteral("window%1-%2").arg(size.width()).arg(number).toLatin1().constData(),
                GetParam()));
        }
        whole.showPage(PageId::Jobs);
        lookAtDetail(QStringLiteral("below at %1").arg(size.width()));
        whole.window.actions()[ActionId::DetailRight]->setChecked(true);
        lookAtDetail(QStringLiteral("beside at %1").arg(size.width()));
        whole.window.actions()[ActionId::DetailRight]->setChecked(false);
    }
}

TEST_P(ClippedText, everyCommandOfTheToolBarIsInSight)
{
    // A wordier language has the last of them behind the arrow of the bar.
    const bool isLong = GetParam().name == std::string_view(kLongLook.name);
    whole.window.resize(isLong ? QSize(1'280, 800) : kSmallScreen);
    turn();
    const auto* bar = whole.ui().toolBar();
    for (auto* action : bar->actions()) {
        const auto* shown = bar->widgetForAction(action);
        EXPECT_TRUE(action->isSeparator() || shown->isVisible())
            << action->text().toStdString() << " is behind the bar's arrow";
    }
}

TEST_P(ClippedText, noTextOfAnyDialogIsClippedAndEachFitsASmallScreen)
{
    whole.eachDialog([this](QWidget& dialog, const QString& name) {
        EXPECT_EQ(unfitFor(dialog, kSmallScreen).toStdString(), "") << name.toStdString();
        auto* tabs = dialog.findChild<QTabWidget*>();
        for (int at = 0; at < (tabs == nullptr ? 1 : tabs->count()); ++at) {
            if (tabs != nullptr) {
                tabs->setCurrentIndex(at);
                turn();
            }
            expectNothingClipped(dialog, QStringLiteral("%1, tab %2").arg(name).arg(at));
            if (std::string_view(GetParam().language) == "en") {
                EXPECT_EQ(doubledKeys(dialog).toStdString(), "") << name.toStdString();
            }
        }
    });
}

TEST_P(ClippedText, everyMenuFitsASmallScreen)
{
    for (const auto* action : whole.window.menuBar()->actions()) {
        const auto size = action->menu()->sizeHint();
        EXPECT_LE(size.width(), kSmallScreen.width()) << action->text().toStdString();
        EXPECT_LE(size.height(), kSmallScreen.height()) << action->text().toStdString();
    }
    whole.window.resize(kSmallScreen);
    turn();
    const auto* bar = whole.window.menuBar();
    for (auto* action : bar->actions()) {
        EXPECT_TRUE(bar->rect().contains(bar->actionGeometry(action)))
            << action->text().toStdString();
    }
}

INSTANTIATE_TEST_SUITE_P(Looks, ClippedText, testing::ValuesIn(kEveryLook), [](const auto& look) {
    return std::string(look.param.name);
});

}  // namespace restante::gui::test
