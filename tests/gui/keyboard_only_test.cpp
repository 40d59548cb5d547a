// With the keyboard alone: from the first start over a connection, a filter, a selection, a retry,
// a history and an export to the end. No mouse, and nothing is called but what looks.

#include "gui/pages/audit/audit_page.h"
#include "gui/pages/dialogs/command_palette.h"
#include "gui/pages/dialogs/confirm_dialog.h"
#include "gui/pages/dialogs/export_dialog.h"
#include "gui/pages/jobs/filter_bar.h"
#include "gui/pages/jobs/filter_edit.h"
#include "gui/pages/jobs/jobs_table.h"
#include "gui/session/store_session.h"
#include "tests/gui/support/connection_dialog_object.h"
#include "tests/gui/support/export_dialog_object.h"
#include "tests/gui/support/job_detail_object.h"
#include "tests/gui/support/keyboard.h"
#include "tests/gui/support/whole_console.h"

#include <QFile>
#include <QMenu>
#include <gtest/gtest.h>

#include <algorithm>

namespace restante::gui::test {

namespace {

class KeyboardOnly : public testing::Test, protected WholeConsole {
protected:
    KeyboardOnly()
    {
        show();
        StartOptions options;
        options.page = PageId::Jobs;
        console.start(options);
    }
    bool loaded()
    {
        turn();
        return until([&] { return jobs().feed().answered() && !jobs().feed().busy(); });
    }
    std::uint64_t selected() { return jobs().selection().count; }
    /// A new connection of kind Demo by the dialog.
    void connectToTheDemo()
    {
        ASSERT_TRUE(Keyboard::isIn<MainWindow>());
        ASSERT_TRUE(Keyboard::ctrl(Qt::Key_N));
        ASSERT_TRUE(Keyboard::isIn<ConnectionDialog>());
        EXPECT_EQ(Keyboard::holder(), Keyboard::window<ConnectionDialogObject>().name());
        Keyboard::ctrl(Qt::Key_A);
        Keyboard::type(QStringLiteral("keys"));
        ASSERT_TRUE(Keyboard::tabTo(Keyboard::window<ConnectionDialogObject>().kind()));
        Keyboard::press(Qt::Key_End);
        Keyboard::press(Qt::Key_Return);
        ASSERT_TRUE(until([&] { return window().session() != nullptr; }));
        EXPECT_EQ(window().session()->profile().name, QStringLiteral("keys"));
        ASSERT_TRUE(Keyboard::isIn<MainWindow>());
        ASSERT_TRUE(loaded());
        ASSERT_GT(jobs().feed().total(), 0U);
    }
    void filterBy(const char* text)
    {
        Keyboard::ctrl(Qt::Key_F);
        ASSERT_EQ(Keyboard::holder(), &jobs().filterBar().edit());
        Keyboard::type(QString::fromLatin1(text));
        Keyboard::press(Qt::Key_Return);
        ASSERT_TRUE(loaded());
        EXPECT_TRUE(until([&] { return Keyboard::holder() == &jobs().table(); }))
            << text << ": the keyboard stays in " << Keyboard::holderName().toStdString()
            << ", where it says " << jobs().filterBar().edit().text().toStdString();
    }
};

}  // namespace

TEST_F(KeyboardOnly, theMainWorkNeedsNoMouse)
{
    connectToTheDemo();
    filterBy("state:dead");
    ASSERT_GT(jobs().feed().total(), 3U);

    Keyboard::press(Qt::Key_Home);
    Keyboard::press(Qt::Key_Down, Qt::ShiftModifier);
    Keyboard::press(Qt::Key_Down, Qt::ShiftModifier);
    ASSERT_EQ(selected(), 3U);
    std::vector<std::string> ids;
    for (std::uint64_t row = 0; row < 3; ++row) {
        ids.push_back(jobs().feed().row(row)->id);
    }
    Keyboard::ctrl(Qt::Key_Return);
    ASSERT_TRUE(Keyboard::isIn<ConfirmDialog>());
    ASSERT_TRUE(Keyboard::tabTo(Keyboard::window<DialogObject>().accept()));
    Keyboard::press(Qt::Key_Space);
    ASSERT_TRUE(until([&] {
        return std::all_of(ids.begin(), ids.end(),
                           [&](const auto& id) { return jobs().feed().rowOf(id) < 0; });
    })) << "retried: they are dead no more";
    ASSERT_TRUE(Keyboard::isIn<MainWindow>());
    ASSERT_TRUE(loaded());

    Keyboard::press(Qt::Key_Home);
    EXPECT_EQ(selected(), 1U);
    Keyboard::press(Qt::Key_Return);
    ASSERT_TRUE(until([&] { return jobs().detail().isAncestorOf(Keyboard::holder()); }));
    while (jobs().detail().tab() != JobDetail::Tab::History) {
        const auto tab = jobs().detail().tab();
        Keyboard::ctrl(Qt::Key_Tab);
        ASSERT_NE(jobs().detail().tab(), tab) << "Ctrl+Tab goes to the next tab";
    }
    auto* history = JobDetailObject(&jobs().detail()).history();
    ASSERT_TRUE(Keyboard::tabTo(history));
    ASSERT_TRUE(until([&] { return history->model()->rowCount() > 1; }));
    Keyboard::press(Qt::Key_Down);
    EXPECT_TRUE(history->currentIndex().isValid()) << "rows are read one by one";

    const auto file = home.filePath(QStringLiteral("out.csv"));
    Keyboard::press(Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
    ASSERT_TRUE(Keyboard::isIn<ExportDialog>());
    ASSERT_TRUE(Keyboard::tabTo(Keyboard::window<ExportDialogObject>().file()));
    Keyboard::ctrl(Qt::Key_A);
    Keyboard::type(file);
    ASSERT_TRUE(Keyboard::tabTo(Keyboard::window<DialogObject>().accept()));
    Keyboard::press(Qt::Key_Return);
    ASSERT_TRUE(until([&] { return QFile::exists(file); }));
    ASSERT_TRUE(Keyboard::isIn<MainWindow>());

    Keyboard::ctrl(Qt::Key_Q);
    EXPECT_TRUE(until([&] { return !window().isVisible(); }));
}

TEST_F(KeyboardOnly, theFirstStartOffersTheDemoToTheKeyboard)
{
    ASSERT_TRUE(Keyboard::isIn<MainWindow>());
    Keyboard::press(Qt::Key_D, Qt::AltModifier);
    ASSERT_TRUE(until([&] { return window().session() != nullptr; }));
    ASSERT_TRUE(loaded());
    EXPECT_TRUE(until([&] { return Keyboard::holder() == &jobs().table(); }))
        << "the rows are here, and the arrows move among them; the focus is in "
        << Keyboard::holderName().toStdString();
    Keyboard::press(Qt::Key_Down);
    EXPECT_EQ(selected(), 1U);
}

TEST_F(KeyboardOnly, aSingleJobIsSelectedBesideOthersAndEverythingIsDeselected)
{
    connectToTheDemo();
    filterBy("state:scheduled");
    Keyboard::press(Qt::Key_Home);
    Keyboard::ctrl(Qt::Key_Down);
    Keyboard::ctrl(Qt::Key_Down);
    Keyboard::ctrl(Qt::Key_Space);
    EXPECT_EQ(selected(), 2U);
    Keyboard::press(Qt::Key_A, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(selected(), jobs().feed().total());
    Keyboard::press(Qt::Key_Escape);
    EXPECT_EQ(selected(), 0U);
    Keyboard::ctrl(Qt::Key_Backspace);
    ASSERT_TRUE(loaded());
    EXPECT_TRUE(jobs().shownView().filter.empty());
}

TEST_F(KeyboardOnly, menusPagesAndThePaletteOpenAndLetGo)
{
    connectToTheDemo();
    Keyboard::press(Qt::Key_J, Qt::AltModifier);
    ASSERT_NE(qobject_cast<QMenu*>(QApplication::activePopupWidget()), nullptr) << "the menu Job";
    Keyboard::press(Qt::Key_Escape);
    while (QApplication::activePopupWidget() != nullptr) {
        Keyboard::press(Qt::Key_Escape);
    }
    const std::pair<Qt::Key, PageId> pages[]{{Qt::Key_5, PageId::Topics},
                                             {Qt::Key_6, PageId::Monitor},
                                             {Qt::Key_7, PageId::Audit},
                                             {Qt::Key_1, PageId::Overview},
                                             {Qt::Key_3, PageId::Jobs}};
    for (const auto& [key, page] : pages) {
        Keyboard::press(key, Qt::AltModifier);
        const auto& shown = window().page(page);
        EXPECT_TRUE(shown.isVisible()) << static_cast<int>(page);
        EXPECT_TRUE(shown.isAncestorOf(Keyboard::holder())) << static_cast<int>(page);
    }
    Keyboard::ctrl(Qt::Key_K);
    ASSERT_TRUE(Keyboard::isIn<CommandPalette>());
    Keyboard::type(QStringLiteral("audit"));
    Keyboard::press(Qt::Key_Return);
    EXPECT_TRUE(until([&] { return window().audit().isVisible(); }));
}

TEST_F(KeyboardOnly, aDialogThatWantsACountIsAnsweredOrLeft)
{
    connectToTheDemo();
    filterBy("state:dead");
    Keyboard::press(Qt::Key_Home);
    const auto id = jobs().currentJob();
    Keyboard::press(Qt::Key_Delete, Qt::ShiftModifier);
    ASSERT_TRUE(Keyboard::isIn<ConfirmDialog>());
    Keyboard::press(Qt::Key_Return);
    ASSERT_TRUE(Keyboard::isIn<MainWindow>());
    EXPECT_GE(jobs().feed().rowOf(id), 0) << "Cancel is what Return means";
    Keyboard::press(Qt::Key_Delete, Qt::ShiftModifier);
    ASSERT_TRUE(Keyboard::isIn<ConfirmDialog>());
    ASSERT_TRUE(Keyboard::tabTo(Keyboard::window<DialogObject>().accept()));
    Keyboard::press(Qt::Key_Space);
    EXPECT_TRUE(until([&] { return jobs().feed().rowOf(id) < 0; }));
}

}  // namespace restante::gui::test
