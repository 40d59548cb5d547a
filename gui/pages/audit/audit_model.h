#pragma once

#include "gui/session/job_source.h"
#include "gui/theme/row_model.h"

namespace restante::gui {

class Preferences;

/// A write, or all of an order for many jobs. *Value.*
struct AuditLine {
    AuditRow write = {};  ///< the newest one
    /// Of an order: all of them, newest first; empty of a single write.
    std::vector<AuditRow> order = {};
    bool open = false;     ///< each of them is listed below, too
    bool ofOrder = false;  ///< it is one of those

    bool isOrder() const noexcept { return !order.empty(); }
};

/// Writes of people, newest first, as far as they are loaded: a sentence each, and one for all
/// writes of an order, by the id that each of them has noted. Of writes that have none, what
/// somebody did to many jobs, for one reason and without a pause, was an order. *Thread of the
/// window.*
class AuditModel : public RowModel<AuditLine> {
    Q_OBJECT

public:
    enum Column { Time, What, Reason };

    explicit AuditModel(const Preferences& preferences, QObject* parent = nullptr);

    /// `now` is the store's time.
    void append(std::vector<AuditRow> rows, TimePoint now);
    /// The rows that are newer than the first one come in front of it, the others stay as they are;
    /// when `rows` do not reach the first one they take the place of all. False = they do not.
    bool renew(std::vector<AuditRow> rows, TimePoint now);
    void clear();
    /// Writes, of which there may be more than lines.
    std::size_t writes() const noexcept { return writes_; }
    /// Lists each write of an order below it, or no longer.
    void toggle(int line);

private:
    const std::vector<TableColumn>& columns() const override;
    QString text(const AuditLine& line, int column) const override;
    QVariant attribute(const AuditLine& line, int column, int role) const override;
    QString tip(const AuditLine& line) const;
    bool joinLast(const AuditRow& row);
    void joinFirst(std::vector<AuditRow> newer);

    const Preferences& preferences_;
    std::size_t writes_ = 0;
    TimePoint now_{};
};

/// "Move to trash" of "trash", in the language of the console; an unknown word stays as it is.
QString verbText(const QString& verb);
/// The words of all writes of people, for the choice among them.
std::vector<QString> auditVerbs();
/// "Dead" of "dead"; other words stay as they are.
QString stateText(const QString& state);

}  // namespace restante::gui
