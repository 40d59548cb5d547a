#pragma once

#include "gui/session/jobs_view.h"

#include <QString>

#include <array>
#include <vector>

namespace restante::gui {

class TimeText;

/// The columns of a table of jobs. The numbers are kept in the user's layout: new ones go to the
/// end; firstOrder() has the order they come in.
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
    Text,  ///< what the body says
    Count_
};

inline constexpr int kJobColumns = static_cast<int>(JobColumn::Count_);

/// From left to right, unless the user wants it otherwise.
const std::array<JobColumn, kJobColumns>& firstOrder() noexcept;

/// How a column is called, shown and searched for. *Pure functions.*
QString titleOf(JobColumn column);
/// What the moment of a job is under a tab of one state: "Died", "Lease ends"; else as titleOf().
QString titleIn(const JobsView& view, JobColumn column);
/// What the title's tool tip adds.
QString tipOf(JobColumn column);
/// Shown without the user's asking for it.
bool shownAtFirst(JobColumn column);
/// The view itself says it of all its jobs: the state under a tab of one state, the topic of a
/// topic.
bool saidByView(JobColumn column, const JobsView& view);
/// There is nothing of it to be seen in that row.
bool isEmptyIn(const JobRow& row, JobColumn column);
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
