#pragma once

#include "gui/actions/context.h"
#include "gui/pages/reminders/series_model.h"

#include <QWidget>

#include <optional>
#include <string>

class QFormLayout;
class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace restante::gui {

class ElidedLabel;
class EntryList;
class LinkButton;

/// One recurring reminder: to whom, how often, what, its next times, what became of the last one,
/// and what can be done with it. It asks nothing by itself. *Thread of the window.*
class SeriesPane : public QWidget {
    Q_OBJECT

public:
    explicit SeriesPane(Context context, QWidget* parent = nullptr);

    /// `now` is the store's time.
    void setContent(const SeriesRow& row, TimePoint now);
    void clear();
    /// Why nothing can be written, as a sentence; empty = it can.
    void setRefusal(const QString& refusal);
    /// Times are written in another way, or the colours are others.
    void reformat();
    void retranslate();

    /// None is shown.
    bool isEmpty() const noexcept { return !row_; }
    const std::optional<SeriesRow>& row() const noexcept { return row_; }

signals:
    void skipRequested();
    void pauseRequested();
    void resumeRequested();
    void editRequested();
    void cancelRequested();
    void filterRequested(const QString& filter);
    /// That job, with everything that is known of it.
    void jobRequested(const std::string& id);

private:
    QWidget* buildHead();
    QWidget* buildFacts();
    void showFacts();
    void showTimes();
    void showButtons();

    Context context_;
    std::optional<SeriesRow> row_;
    TimePoint now_{};
    QString refusal_;

    ElidedLabel* title_ = nullptr;
    QLabel* stateIcon_ = nullptr;
    QLabel* state_ = nullptr;
    ElidedLabel* rule_ = nullptr;
    QPushButton* skip_ = nullptr;
    QPushButton* pause_ = nullptr;
    QPushButton* edit_ = nullptr;
    QPushButton* cancel_ = nullptr;
    QPushButton* jobs_ = nullptr;
    QLabel* problem_ = nullptr;
    QLabel* textTitle_ = nullptr;
    QPlainTextEdit* text_ = nullptr;
    QFormLayout* facts_ = nullptr;
    LinkButton* last_ = nullptr;
    QLabel* lastWhy_ = nullptr;
    QLabel* sender_ = nullptr;
    QLabel* channel_ = nullptr;
    QLabel* ends_ = nullptr;
    QLabel* key_ = nullptr;
    QLabel* timesTitle_ = nullptr;
    QLabel* noTimes_ = nullptr;
    EntryList* times_ = nullptr;
};

}  // namespace restante::gui
