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

/// Where a filter is written: its colour says at each letter whether it is valid, and it completes
/// fields and known values. Return applies, Escape goes back, Down shows what was applied before; a
/// cell that is dropped becomes a term. *Thread of the window.*
class FilterEdit : public QLineEdit {
    Q_OBJECT

public:
    /// How what is written reads. *Value.*
    struct Verdict {
        enum class Kind { Empty, Valid, Scans, Wrong };
        Kind kind = Kind::Empty;
        QString detail = {};  ///< of Wrong
        int column = 0;       ///< of Wrong, in letters from 1
    };

    explicit FilterEdit(QWidget* parent = nullptr);

    const Verdict& verdict() const noexcept { return verdict_; }
    /// What is written, when it can be read.
    const std::optional<JobFilter>& filter() const noexcept { return filter_; }
    /// What the table shows: Escape goes back to it.
    void setApplied(const QString& filter);
    const QString& applied() const noexcept { return applied_; }
    void setHistory(const QStringList& newestFirst) { history_ = newestFirst; }
    /// Known values of a field that are worth offering.
    void setValues(std::function<QStringList(const QString& field)> values)
    {
        values_ = std::move(values);
    }
    /// Writes the term beside what is there and applies both.
    void addTerm(const QString& term);
    /// Begins a term of that field where the cursor is.
    void beginField(const QString& field);
    /// What would be offered now, for tests and for the popup.
    QStringList offers() const;

signals:
    void verdictChanged();
    /// Return, with a filter that can be read.
    void applyRequested();
    /// Escape with nothing to go back to.
    void left();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void judge();
    void tint();
    void offer();
    void insertOffer(const QString& offered);
    void showHistory();

    QCompleter* completer_;
    QStringListModel* offered_;
    std::function<QStringList(const QString&)> values_;
    std::optional<JobFilter> filter_;
    Verdict verdict_;
    QString applied_;
    QStringList history_;
    bool ofHistory_ = false;  ///< what is offered replaces all of the text
    bool tinting_ = false;
};

}  // namespace restante::gui
