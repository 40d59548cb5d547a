#pragma once

#include "gui/session/job_source.h"
#include "gui/theme/row_model.h"

#include <optional>
#include <set>
#include <tuple>

namespace restante::gui {

class Preferences;

/// A single write, or all writes of a bulk request. *Value.*
struct AuditLine {
    AuditRow newest = {};  ///< the newest write
    /// All writes of a bulk request, newest first; empty for a single write.
    std::vector<AuditRow> members = {};
    bool isExpanded = false;  ///< its members are listed below it
    bool isMember = false;    ///< it is such a member

    bool isBulk() const noexcept { return !members.empty(); }
};

/// The loaded audit entries, newest first: one line for each write, or for all writes of a bulk
/// request, which share an id. Writes without id are one request if somebody did the same to many
/// jobs, for one reason and without a pause. *Thread of the window.*
class AuditModel : public RowModel<AuditLine> {
    Q_OBJECT

public:
    enum Column { Time, What, Reason };

    explicit AuditModel(const Preferences& preferences, QObject* parent = nullptr);

    /// Adds older rows, but for those that mergeNewest() has added already. `now` is the store's
    /// time.
    void append(std::vector<AuditRow> rows, TimePoint now);
    /// Adds the rows that are newer than those it has: to the lines of their bulk requests, which
    /// stay where they are, or above all. Older ones that it has not, because they were recorded
    /// late, come to their place. If `rows` do not reach what it has, they replace all lines and
    /// the result is false.
    bool mergeNewest(std::vector<AuditRow> rows, TimePoint now);
    /// Whether the newest write that it has is among `rows`.
    bool isReachedBy(const std::vector<AuditRow>& rows) const;
    /// None while it is empty.
    std::optional<TimePoint> newestTime() const;
    std::optional<TimePoint> oldestTime() const;
    void clear();
    /// The number of writes, which may exceed that of lines.
    std::size_t writeCount() const noexcept { return writeCount_; }
    /// Expands or collapses the line of a bulk request.
    void toggle(int line);

private:
    /// What makes a write the same one when it is read again.
    using WriteKey = std::tuple<TimePoint, QString, QString, QString>;

    static WriteKey keyOf(const AuditRow& row);
    const std::vector<TableColumn>& columns() const override;
    QString text(const AuditLine& line, int column) const override;
    QVariant attribute(const AuditLine& line, int column, int role) const override;
    QString tip(const AuditLine& line) const;
    bool appendToKnownLine(const AuditRow& row);
    bool prependToKnownLine(const AuditRow& row);
    void prependNewer(std::vector<AuditRow> newer);
    std::set<WriteKey> writesSince(TimePoint time) const;
    void insertLate(const AuditRow& row);
    std::optional<std::size_t> lineOfRequest(const AuditRow& row, std::size_t place) const;
    void addToLine(std::size_t at, const AuditRow& row);

    const Preferences& preferences_;
    std::size_t writeCount_ = 0;
    AuditRow newest_;                ///< of all writes; that of the first line may be older
    std::set<WriteKey> lateWrites_;  ///< those added out of turn: an older page may have them, too
    TimePoint now_{};
};

/// "Move to trash" for "trash", translated; an unknown verb stays as it is.
QString verbText(const QString& verb);
/// All verbs that the audit knows.
std::vector<QString> auditVerbs();
/// "Dead" for "dead"; other words stay as they are.
QString stateText(const QString& state);

}  // namespace restante::gui
