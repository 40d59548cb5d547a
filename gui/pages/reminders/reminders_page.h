#pragma once

#include "gui/pages/reminders/series_model.h"
#include "gui/pages/store_page.h"
#include "gui/session/job_writer.h"
#include "gui/session/reply.h"

#include <QElapsedTimer>

#include <map>
#include <string>

class QLabel;
class QLineEdit;
class QMenu;
class QPushButton;
class QSortFilterProxyModel;
class QSplitter;
class QTableView;

namespace restante::gui {

class SeriesPane;

/// The recurring reminders, which come next first, and below them the one that is chosen. *Thread
/// of the window.*
class RemindersPage : public StorePage {
    Q_OBJECT

public:
    explicit RemindersPage(Context context, QWidget* parent = nullptr);

    void refresh() override;
    QWidget* firstFocus() override;
    bool isLoaded() const override { return StorePage::isLoaded() && historyAsked_ == 0; }

    /// Chooses it, as soon as it is known.
    void showSeries(const std::string& id);

signals:
    /// Do exactly that.
    void bulkRequested(const restante::gui::BulkRequest& request);
    void editRequested(const restante::reminder::SeriesView& series);
    /// A recurring reminder, to be written.
    void newSeriesRequested();

private:
    void cancelRequests() override;
    void clear() override;
    bool needsFirstLoad() const override { return !loaded_; }
    bool isAsking() const override { return asked_ != 0; }
    void retranslate() override;
    void reformat() override;
    void updateStatus() override;

    QBoxLayout* buildBar();
    QWidget* buildBody();
    void buildTable();
    void connectAll();
    bool isResting() const;
    void ask();
    void take(reminder::SeriesList list);
    void askHistory();
    const SeriesRow* chosen() const;
    void choose(const std::string& id);
    void showPane();
    void showEmptyPane();
    void showMenu(const QPoint& at);
    QString countText() const;
    BulkRequest requestFor(BulkAction::Verb verb, const SeriesRow& row) const;
    void skipNext();
    void pause();
    void resume();
    void cancelSeries();

    SeriesModel model_;
    bool loaded_ = false;
    bool hasWritten_ = false;  ///< since it has asked: no time to rest
    bool isComplete_ = true;
    std::string chosen_;
    /// Of occurrences that the store does not have.
    std::map<std::string, SeriesText::Absent> absent_;
    QElapsedTimer sinceLook_;
    qint64 lookTookMs_ = 0;
    RequestId asked_ = 0;
    RequestId historyAsked_ = 0;
    RequestId relatedAsked_ = 0;

    QLineEdit* find_ = nullptr;
    QLabel* count_ = nullptr;
    QPushButton* new_ = nullptr;
    QSplitter* split_ = nullptr;
    QTableView* table_ = nullptr;
    QSortFilterProxyModel* sorted_ = nullptr;
    QMenu* menu_ = nullptr;
    SeriesPane* pane_ = nullptr;
};

}  // namespace restante::gui
