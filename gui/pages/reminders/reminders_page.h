#pragma once

#include "gui/pages/reminders/series_model.h"
#include "gui/pages/store_page.h"
#include "gui/session/job_writer.h"
#include "gui/session/reply.h"

#include <QElapsedTimer>
#include <QString>

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

/// The recurring reminders, the next one first, and a pane with the chosen one below. *Thread of
/// the window.*
class RemindersPage : public StorePage {
    Q_OBJECT

public:
    explicit RemindersPage(Context context, QWidget* parent = nullptr);

    void refresh() override;
    QWidget* firstFocus() override;
    bool isLoaded() const override { return StorePage::isLoaded() && historyRequest_ == 0; }

    /// Chooses that series, as soon as it is loaded.
    void showSeries(const std::string& id);

signals:
    /// This request is to be carried out.
    void bulkRequested(const restante::gui::BulkRequest& request);
    void editRequested(const restante::reminder::SeriesView& series);
    /// A new recurring reminder is to be entered.
    void newSeriesRequested();

private:
    void cancelRequests() override;
    void clear() override;
    bool needsFirstLoad() const override { return !loaded_; }
    bool hasPendingRequest() const override { return seriesRequest_ != 0; }
    void retranslate() override;
    void reformat() override;
    void updateDisplay() override;
    void refreshNow() override;

    QBoxLayout* buildBar();
    QWidget* buildBody();
    void buildTable();
    void connectAll();
    bool isSeriesRequestTooSoon() const;
    void requestSeries();
    void handleSeries(reminder::SeriesList list);
    void requestHistory();
    const SeriesRow* currentRow() const;
    void setCurrentSeries(const std::string& id);
    void updatePane();
    void updateEmptyPane();
    void showMenu(const QPoint& position);
    QString countText() const;
    BulkRequest requestFor(BulkAction::Verb verb, const SeriesRow& row) const;
    void skipNext();
    void pause();
    void resume();
    void cancelSeries();
    void showCancelError(const std::string& id, const Error& error);
    void clearCancelProblem();

    SeriesModel model_;
    bool loaded_ = false;
    bool wasWrittenSinceRequest_ = false;  ///< the next request must not be delayed
    bool isComplete_ = true;
    std::string currentId_;
    QString cancelProblem_;        ///< why one was not cancelled; until the next try
    std::string cancelProblemId_;  ///< which one; its problem goes when another one is chosen
    /// By occurrence id: what became of occurrences that are no longer in the store.
    std::map<std::string, SeriesText::RunOutcome> knownRunOutcomes_;
    QElapsedTimer sinceSeriesRequest_;    ///< once it is answered, since the answer
    qint64 seriesRequestDurationMs_ = 0;  ///< of the last request
    RequestId seriesRequest_ = 0;
    RequestId historyRequest_ = 0;
    RequestId relatedRequest_ = 0;

    QLineEdit* searchField_ = nullptr;
    QLabel* countLabel_ = nullptr;
    QPushButton* newButton_ = nullptr;
    QSplitter* splitter_ = nullptr;
    QTableView* table_ = nullptr;
    QSortFilterProxyModel* sortedModel_ = nullptr;
    QMenu* menu_ = nullptr;
    SeriesPane* pane_ = nullptr;
};

}  // namespace restante::gui
