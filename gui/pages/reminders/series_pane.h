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

/// One recurring reminder: recipient, rule, text, next times, last result, and buttons for its
/// actions. It sends no requests itself. *Thread of the window.*
class SeriesPane : public QWidget {
    Q_OBJECT

public:
    explicit SeriesPane(Context context, QWidget* parent = nullptr);

    /// `now` is the store's time.
    void setContent(const SeriesRow& row, TimePoint now);
    void clear();
    /// Why nothing can be written, as a sentence; empty = it can.
    void setRefusal(const QString& refusal);
    /// Shows the content again after formats or colours have changed.
    void reformat();
    void retranslate();

    /// Whether no series is shown.
    bool isEmpty() const noexcept { return !row_; }
    const std::optional<SeriesRow>& row() const noexcept { return row_; }

signals:
    void skipRequested();
    void pauseRequested();
    void resumeRequested();
    void editRequested();
    void cancelRequested();
    void filterRequested(const QString& filter);
    /// That job is to be shown.
    void jobRequested(const std::string& id);

private:
    QWidget* buildHeader();
    QWidget* buildFields();
    void updateFields();
    void updateTimes();
    void updateButtons();

    Context context_;
    std::optional<SeriesRow> row_;
    TimePoint now_{};
    QString refusal_;

    ElidedLabel* titleLabel_ = nullptr;
    QLabel* stateIcon_ = nullptr;
    QLabel* stateLabel_ = nullptr;
    ElidedLabel* ruleLabel_ = nullptr;
    QPushButton* skipButton_ = nullptr;
    QPushButton* pauseButton_ = nullptr;
    QPushButton* editButton_ = nullptr;
    QPushButton* cancelButton_ = nullptr;
    QPushButton* jobsButton_ = nullptr;
    QLabel* problemLabel_ = nullptr;
    QLabel* textTitle_ = nullptr;
    QPlainTextEdit* text_ = nullptr;
    QFormLayout* form_ = nullptr;
    LinkButton* lastResultLink_ = nullptr;
    QLabel* lastResultReason_ = nullptr;
    QLabel* senderLabel_ = nullptr;
    QLabel* channelLabel_ = nullptr;
    QLabel* endingLabel_ = nullptr;
    QLabel* keyLabel_ = nullptr;
    QLabel* timesTitle_ = nullptr;
    QLabel* noTimesLabel_ = nullptr;
    EntryList* timesList_ = nullptr;
};

}  // namespace restante::gui
