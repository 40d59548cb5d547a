#pragma once

#include "gui/session/jobs_view.h"

#include <QString>

#include <array>
#include <vector>

namespace restante::gui {

class TimeText;

/// The columns of a table of jobs. The numbers are kept in the user's layout: new ones go to the
/// end; defaultOrder() has the order they come in.
enum class JobColumn {
    CheckBox,  ///< the check box
    State,
    Channel,
    Topic,
    From,
    To,
    Attempts,
    Due,
    Error,
    Key,
    Id,
    Priority,
    Size,
    Type,
    Created,
    Expires,
    Text,  ///< of the body
    Count_
};

inline constexpr int kJobColumns = static_cast<int>(JobColumn::Count_);

/// From left to right, before the user moves any.
const std::array<JobColumn, kJobColumns>& defaultOrder() noexcept;

/// Title, text and filter term of columns. *Pure functions.*
QString titleOf(JobColumn column);
/// As titleOf(), but the title of `Due` depends on the view's state: "Died", "Lease ends".
QString titleIn(const JobsView& view, JobColumn column);
/// The tool tip of the column's title.
QString tipOf(JobColumn column);
/// Whether it is shown before the user chooses columns.
bool shownByDefault(JobColumn column);
/// Whether all jobs of the view have the same value: its state, channel or topic is fixed.
bool impliedByView(JobColumn column, const JobsView& view);
/// Whether that cell of the row is empty.
bool isEmptyIn(const JobRow& row, JobColumn column);
bool isRightAligned(JobColumn column);
/// In widths of the letter "0".
int widthOf(JobColumn column);
/// The text of a cell; untrusted texts are cut to a line, without control characters.
QString textOf(const JobRow& row, JobColumn column, const TimeText& times, TimePoint now);
/// The whole text, for tool tip and clipboard; times to the millisecond.
QString fullTextOf(const JobRow& row, JobColumn column, const TimeText& times);
/// A term that finds the jobs that have the same in that column, `to:"sip:bob@example.org"`, of a
/// time those of the same day; empty where there is none.
QString termFor(const JobRow& row, JobColumn column);

/// Rows for the clipboard: a header line and one line for each job, separated by tabs; tabs and
/// line ends within texts become spaces.
QString asTable(const std::vector<JobRow>& rows,
                const std::vector<JobColumn>& columns,
                const TimeText& times);
/// The same as JSON: an object for one job, an array for several; times are RFC 3339 in UTC.
QString asJson(const std::vector<JobRow>& rows);
/// Their ids, one on each line.
QString asIds(const std::vector<JobRow>& rows);

}  // namespace restante::gui
