#pragma once

#include "gui/pages/reminders/series_model.h"
#include "gui/theme/elided_label.h"
#include "gui/theme/entry_list.h"
#include "gui/theme/link_button.h"
#include "tests/gui/support/page_object.h"

#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>

namespace restante::gui::test {

class RemindersPageObject : public PageObject {
public:
    using PageObject::PageObject;

    QLineEdit* filter() const { return named<QLineEdit>("seriesFilter"); }
    QString count() const { return named<QLabel>("seriesCount")->text(); }
    QTableView* table() const { return named<QTableView>("seriesTable"); }
    QPushButton* makeNew() const { return named<QPushButton>("newSeries"); }
    int rows() const { return table()->model()->rowCount(); }
    QString cell(int row, SeriesModel::Column column) const
    {
        return table()->model()->index(row, column).data().toString();
    }
    /// What a row is to whom, from the top.
    QStringList people() const
    {
        QStringList all;
        for (int row = 0; row < rows(); ++row) {
            all.append(cell(row, SeriesModel::To));
        }
        return all;
    }
    void choose(int row) const { table()->setCurrentIndex(table()->model()->index(row, 0)); }
    QString notice() const { return named<QWidget>("remindersNotice")->accessibleName(); }
    /// What stands in the place of the table.
    QString instead() const
    {
        for (const auto* label : all<QLabel>("emptyPaneSentence")) {
            if (label->isVisible()) {
                return label->text();
            }
        }
        return {};
    }

    QWidget* pane() const { return named<QWidget>("seriesPane"); }
    QString title() const { return named<ElidedLabel>("seriesTitle")->fullText(); }
    QString rule() const { return named<ElidedLabel>("seriesRule")->fullText(); }
    QString state() const { return named<QLabel>("seriesState")->text(); }
    QLabel* problem() const { return named<QLabel>("seriesProblem"); }
    QString text() const { return named<QPlainTextEdit>("seriesText")->toPlainText(); }
    LinkButton* last() const { return named<LinkButton>("lastRun"); }
    QString nextTitle() const { return named<QLabel>("nextRunsTitle")->text(); }
    /// Each next time, as the series' own clocks show it.
    QStringList next() const
    {
        QStringList times;
        for (const auto& entry : named<EntryList>("nextRuns")->entryModel().entries()) {
            times.append(entry.title);
        }
        return times;
    }
    QString nextDetail(std::size_t row) const
    {
        return named<EntryList>("nextRuns")->entryModel().entries().at(row).detail;
    }
    QPushButton* skip() const { return named<QPushButton>("skipNext"); }
    QPushButton* pause() const { return named<QPushButton>("pauseSeries"); }
    QPushButton* edit() const { return named<QPushButton>("editSeries"); }
    QPushButton* cancel() const { return named<QPushButton>("cancelSeries"); }
    QPushButton* jobs() const { return named<QPushButton>("jobsOfSeries"); }
};

}  // namespace restante::gui::test
