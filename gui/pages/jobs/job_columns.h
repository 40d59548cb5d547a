#pragma once

#include "gui/session/jobs_view.h"

#include <QString>

#include <vector>

namespace restante::gui {

class TimeText;

/// The columns of a table of jobs, in the order they come in. The numbers are kept in the user's
/// layout: new ones go to the end.
enum class JobColumn {
    CheckBox,  ///< the check box
    State,
    Kind,
    Topic,
    From,
    To,
    Tries,
    Due,
    Error,
    Key,
    Id,
    Priority,
    Size,
    Type,
    Created,
    Expires,
    Count_
};

inline constexpr int kJobColumns = static_cast<int>(JobColumn::Count_);

/// How a column is called, shown and searched for. *Pure functions.*
QString titleOf(JobColumn column);
/// What the title's tool tip adds.
QString tipOf(JobColumn column);
/// Shown without the user's asking for it.
bool shownAtFirst(JobColumn column);
bool alignedRight(JobColumn column);
/// In widths of the letter "0".
int widthOf(JobColumn column);
/// The text of a cell; of strangers' texts no more than a line, without control characters.
QString textOf(const JobRow& row, JobColumn column, const TimeText& times, TimePoint now);
/// All of it, for tool tip and clipboard; times to the millisecond.
QString wholeTextOf(const JobRow& row, JobColumn column, const TimeText& times);
/// A term that finds the jobs that have the same in that column, `to:"sip:bob@example.org"`;
/// empty where there is none.
QString termFor(const JobRow& row, JobColumn column);

/// Rows for the clipboard: a head line and a line a job, separated by tabs; tabs and line ends
/// within texts are spaces.
QString asTable(const std::vector<JobRow>& rows,
                const std::vector<JobColumn>& columns,
                const TimeText& times);
/// The same as JSON: an object for one job, an array for several; times are RFC 3339 in UTC.
QString asJson(const std::vector<JobRow>& rows);
/// Their ids, one a line.
QString asIds(const std::vector<JobRow>& rows);

}  // namespace restante::gui
