#pragma once

#include "gui/pages/jobs/facet_sidebar.h"
#include "gui/pages/jobs/filter_bar.h"
#include "gui/pages/jobs/filter_edit.h"
#include "gui/pages/jobs/jobs_bars.h"
#include "gui/pages/jobs/jobs_page.h"
#include "gui/theme/empty_pane.h"
#include "tests/gui/support/page_object.h"

#include <QAbstractItemView>
#include <QAction>
#include <QCompleter>
#include <QInputDialog>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QTest>
#include <QToolButton>

namespace restante::gui::test {

class JobsPageObject : public PageObject {
public:
    explicit JobsPageObject(JobsPage& page) : PageObject(&page), page_(&page) {}

    FilterEdit& filterEdit() const { return page_->filterBar().edit(); }
    /// Writes the filter over the one that is there, and applies it.
    void filter(const QString& text) const
    {
        filterEdit().setText(text);
        QTest::keyClick(&filterEdit(), Qt::Key_Return);
    }
    /// What the box offers: completions, or earlier filters.
    QAbstractItemView* offers() const
    {
        auto* completer = filterEdit().findChild<QCompleter*>();
        return required(completer, "completer", filterEdit().objectName())->popup();
    }
    /// Stars what is shown, by the menu of the bar.
    void saveView(const QString& name) const
    {
        auto* star = named<QToolButton>("savedViews");
        emit star->menu()->aboutToShow();
        star->menu()->actions().front()->trigger();
        constexpr auto kName = "saveViewDialog";
        auto* ask = required(page_->window()->findChild<QInputDialog*>(QLatin1String(kName)), kName,
                             page_->window()->objectName());
        ask->setTextValue(name);
        ask->accept();
    }

    StateTabs* tabs() const { return only<StateTabs>(); }
    /// "Did you mean ...?"
    QToolButton* meant() const { return named<QToolButton>("filterMeant"); }
    /// The first one that is shown and has the words.
    QToolButton* chip(const char* words) const
    {
        for (auto* chip : page_->findChildren<QToolButton*>(QStringLiteral("filterChip"))) {
            if (!chip->isHidden() && chip->text().contains(QLatin1String(words))) {
                return chip;
            }
        }
        return required<QToolButton>(nullptr, words, page_->objectName());
    }
    QPushButton* noticeButton(qsizetype at) const
    {
        return named<QPushButton>(("emptyPaneButton" + std::to_string(at)).c_str());
    }
    FacetSidebar* sidebar() const { return only<FacetSidebar>(); }
    /// Null = there is none of that text.
    QTreeWidgetItem* facet(const QString& text) const
    {
        const auto found = sidebar()->findItems(text, Qt::MatchExactly | Qt::MatchRecursive);
        return found.isEmpty() ? nullptr : found.front();
    }

    const EmptyPane::Content& notice() const { return named<EmptyPane>("jobsNotice")->content(); }
    QPushButton* firstNoticeButton() const { return named<QPushButton>("emptyPaneButton0"); }
    ErrorBar* trouble() const { return only<ErrorBar>(); }
    QPushButton* troubleRetry() const { return named<QPushButton>("messageBarRetry"); }
    QPushButton* troubleCopy() const { return named<QPushButton>("messageBarCopy"); }
    QToolButton* scanStop() const { return named<QToolButton>("scanStop"); }
    QToolButton* scanContinue() const { return named<QToolButton>("scanContinue"); }
    QLabel* selectionText() const { return named<QLabel>("selectionText"); }
    /// How many rows came above the place that is shown.
    QToolButton* newPill() const { return named<QToolButton>("newPill"); }
    /// Table and detail.
    QSplitter* halves() const { return named<QSplitter>("jobsHalves"); }

private:
    JobsPage* page_;
};

/// The menu of a cell of the table.
class CellMenuObject : public PageObject {
public:
    using PageObject::PageObject;

    QAction* filterBy() const { return named<QAction>("filterByThis"); }
    QAction* exclude() const { return named<QAction>("excludeThis"); }
    QAction* copy() const { return named<QAction>("copyValue"); }
};

}  // namespace restante::gui::test
