#pragma once

#include "core/job/job_filter.h"

#include <QLineEdit>
#include <QStringList>

#include <functional>
#include <optional>
#include <utility>

class QCompleter;
class QStringListModel;

namespace restante::gui {

/// The input of a filter: its colour shows after each letter whether the text is valid, and it
/// completes fields and known values. Return applies, Escape restores the applied filter, Down
/// shows earlier ones; a cell that is dropped becomes a term. *Thread of the window.*
class FilterEdit : public QLineEdit {
    Q_OBJECT

public:
    /// The result of parsing the text. *Value.*
    struct ParseResult {
        /// Scans: valid, but the store has to look through its jobs one by one.
        enum class Kind { Empty, Valid, Scans, Wrong };
        Kind kind = Kind::Empty;
        QString detail = {};  ///< of Wrong
        int column = 0;       ///< of Wrong, in letters from 1
    };

    explicit FilterEdit(QWidget* parent = nullptr);

    const ParseResult& parseResult() const noexcept { return parseResult_; }
    /// The parsed text; none when it is not valid.
    const std::optional<JobFilter>& filter() const noexcept { return filter_; }
    /// Replaces the text by the filter that the table shows now: Escape restores it.
    void showAppliedFilter(const QString& filter);
    const QString& appliedFilter() const noexcept { return appliedFilter_; }
    void setHistory(const QStringList& newestFirst) { history_ = newestFirst; }
    /// `values` returns the known values of a field, to be offered as completions.
    void setValueProvider(std::function<QStringList(const QString& field)> values)
    {
        fieldValues_ = std::move(values);
    }
    /// Adds the term to the filter and applies it.
    void addTerm(const QString& term);
    /// Inserts `field:` at the cursor and offers its values.
    void beginField(const QString& field);
    /// The completions for the word at the cursor.
    QStringList completions() const;

signals:
    void parseResultChanged();
    /// The filter, which is valid, is to be applied: Return was pressed, or a term was added.
    void applyRequested();
    /// Escape was pressed and the text is the applied filter.
    void leaveRequested();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void updateParseResult();
    void applyTint();
    void showCompletions();
    void insertCompletion(const QString& completion);
    void showHistory();

    QCompleter* completer_;
    QStringListModel* completionModel_;
    std::function<QStringList(const QString&)> fieldValues_;
    std::optional<JobFilter> filter_;
    ParseResult parseResult_;
    QString appliedFilter_;
    QStringList history_;
    bool showingHistory_ = false;  ///< a completion replaces all of the text
    bool applyingTint_ = false;
};

}  // namespace restante::gui
