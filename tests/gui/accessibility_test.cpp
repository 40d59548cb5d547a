// A screen reader is told of everything, and the keyboard goes where the eye does.

#include "gui/pages/detail/job_detail.h"
#include "gui/pages/jobs/jobs_table.h"
#include "gui/theme/theme.h"
#include "tests/gui/support/inspection.h"
#include "tests/gui/support/wait.h"
#include "tests/gui/support/whole_window.h"

#include <QAccessible>
#include <QApplication>
#include <QTest>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace restante::gui::test {

namespace {

QString describe(const QWidget& widget)
{
    return QStringLiteral("%1 %2 at %3,%4")
        .arg(QString::fromLatin1(widget.metaObject()->className()), widget.objectName())
        .arg(widget.mapToGlobal(QPoint()).x())
        .arg(widget.mapToGlobal(QPoint()).y());
}

/// Where the focus goes by Tab from where it is, until it is there again.
QList<QWidget*> walkedByTab(QWidget& root)
{
    constexpr int kFar = 200;
    constexpr int kParts = 8;  // of a date and time, which Tab goes through one by one
    QList<QWidget*> walked;
    int stays = 0;
    while (walked.size() < kFar) {
        auto* focus = QApplication::focusWidget();
        const bool stayed = !walked.isEmpty() && walked.back() == focus && ++stays < kParts;
        if (focus == nullptr || !root.isAncestorOf(focus) || (walked.contains(focus) && !stayed)) {
            break;
        }
        if (!stayed) {
            walked.append(focus);
            stays = 0;
        }
        QTest::keyClick(focus, Qt::Key_Tab);
    }
    return walked;
}

QString inWords(const QList<QWidget*>& walked)
{
    QStringList words;
    for (const auto* widget : walked) {
        words.append(describe(*widget));
    }
    return words.join(u'\n');
}

QList<QWidget*> chainOf(QWidget& first)
{
    QList<QWidget*> chain{&first};
    for (auto* next = first.nextInFocusChain(); next != &first; next = next->nextInFocusChain()) {
        if ((next->focusPolicy() & Qt::TabFocus) != 0 && next->isEnabled()) {
            chain.append(next);
        }
    }
    return chain;
}

/// The focus proxy counts as whom it stands for.
QWidget* whoTakesIt(QWidget* widget)
{
    while (widget->focusProxy() != nullptr) {
        widget = widget->focusProxy();
    }
    return widget;
}

QStringList missedBy(const QList<QWidget*>& walked, const QWidget& root)
{
    QStringList missed;
    for (auto* widget : root.findChildren<QWidget*>()) {
        const bool takesTab = (widget->focusPolicy() & Qt::TabFocus) != 0 &&
                              widget->isVisibleTo(&root) && widget->isEnabled() &&
                              widget->window() == &root && !widget->size().isEmpty() &&
                              // Radio buttons of a group are one place; the arrows go on.
                              !widget->inherits("QRadioButton") &&
                              !widget->objectName().startsWith(QLatin1String("qt_"));
        if (takesTab && !walked.contains(whoTakesIt(widget))) {
            missed.append(describe(*widget));
        }
    }
    return missed;
}

QRect placeOf(const QWidget& widget)
{
    return {widget.mapToGlobal(QPoint()), widget.size()};
}

/// Steps that go up in a column, or back in a row.
QStringList stepsBack(const QList<QWidget*>& walked, QWidget* first)
{
    QStringList back;
    const auto from = std::max<qsizetype>(0, walked.indexOf(first));
    for (qsizetype at = 1; at < walked.size(); ++at) {
        const auto* one = walked.at((from + at - 1) % walked.size());
        const auto* next = walked.at((from + at) % walked.size());
        const auto a = placeOf(*one);
        const auto b = placeOf(*next);
        const auto shared = std::min(a.bottom(), b.bottom()) - std::max(a.top(), b.top());
        const bool sameRow = shared * 2 > std::min(a.height(), b.height());
        const bool sameColumn = a.left() < b.right() && b.left() < a.right();
        if ((sameRow && b.right() < a.left()) || (sameColumn && !sameRow && b.bottom() < a.top())) {
            back.append(describe(*one) + QStringLiteral(" -> ") + describe(*next));
        }
    }
    return back;
}

/// The first that the eye meets: the topmost, and of those the leftmost.
QWidget* topmost(const QList<QWidget*>& walked)
{
    return *std::min_element(walked.begin(), walked.end(), [](const auto* a, const auto* b) {
        const auto one = placeOf(*a).topLeft();
        const auto other = placeOf(*b).topLeft();
        return std::pair(one.y(), one.x()) < std::pair(other.y(), other.x());
    });
}

void expectWalk(QWidget& root, const QString& name)
{
    ASSERT_TRUE(until([&] {
        return root.isActiveWindow() && QApplication::focusWidget() != nullptr;
    })) << name.toStdString()
        << ": nothing has the focus";
    // What a dialog asks the store enables some of it when it is answered.
    QList<QWidget*> walked;
    until([&] {
        walked = walkedByTab(root);
        return missedBy(walked, root).isEmpty();
    });
    ASSERT_FALSE(walked.isEmpty()) << name.toStdString();
    EXPECT_EQ(missedBy(walked, root).join(u'\n').toStdString(), "")
        << name.toStdString() << ": Tab does not come there, but to\n"
        << inWords(walked).toStdString() << "\nthe chain is\n"
        << inWords(chainOf(*walked.front())).toStdString();
    EXPECT_EQ(stepsBack(walked, topmost(walked)).join(u'\n').toStdString(), "")
        << name.toStdString();
    EXPECT_EQ(unnamedWidgets(root).join(u'\n').toStdString(), "") << name.toStdString();
}

}  // namespace

TEST(Accessibility, tabGoesThroughEachPageAsTheEyeDoesAndEverythingHasAName)
{
    WholeWindow whole;
    for (const auto page : pageIds()) {
        whole.showPage(page);
        expectWalk(whole.window, QStringLiteral("page %1").arg(static_cast<int>(page)));
    }
    whole.window.actions()[ActionId::ShowTasks]->trigger();
    turn();
    expectWalk(whole.window, QStringLiteral("tasks"));
}

TEST(Accessibility, tabGoesThroughEachTabOfTheDetailAsTheEyeDoes)
{
    WholeWindow whole;
    whole.showPage(PageId::Jobs);
    for (const auto tab : {JobDetail::Tab::Payload, JobDetail::Tab::History,
                           JobDetail::Tab::Attempts, JobDetail::Tab::Related}) {
        whole.jobs().detail().showTab(tab);
        turn();
        expectWalk(whole.window, QStringLiteral("detail %1").arg(static_cast<int>(tab)));
    }
}

TEST(Accessibility, tabGoesThroughEachDialogAsTheEyeDoesAndEverythingHasAName)
{
    WholeWindow whole;
    whole.eachDialog([](QWidget& dialog, const QString& name) { expectWalk(dialog, name); });
}

TEST(Accessibility, withoutAConnectionTheKeyboardBeginsWhereOneIsMade)
{
    WholeWindow whole;
    whole.window.open(nullptr);
    turn();
    expectWalk(whole.window, QStringLiteral("no connection"));
}

TEST(Accessibility, theStateOfAJobIsAWordInWhatACellTells)
{
    WholeWindow whole;
    whole.showPage(PageId::Jobs);
    auto& table = whole.jobs().table();
    auto* spoken = QAccessible::queryAccessibleInterface(&table);
    ASSERT_NE(spoken, nullptr);
    ASSERT_NE(spoken->tableInterface(), nullptr);
    for (int row = 0; row < 8; ++row) {
        const auto* job = whole.jobs().feed().row(static_cast<std::uint64_t>(row));
        ASSERT_NE(job, nullptr);
        auto* cell = spoken->tableInterface()->cellAt(row, static_cast<int>(JobColumn::State));
        ASSERT_NE(cell, nullptr);
        EXPECT_TRUE(cell->text(QAccessible::Name).contains(Theme::stateName(job->state)))
            << cell->text(QAccessible::Name).toStdString();
        EXPECT_EQ(cell->role(), QAccessible::Cell);
    }
}

}  // namespace restante::gui::test
