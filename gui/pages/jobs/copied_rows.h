#pragma once

#include "gui/pages/jobs/job_columns.h"

#include <QString>

#include <vector>

namespace restante::gui {

/// Rows for the clipboard. *Pure functions.*

/// A head line and a line a job, separated by tabs; tabs and line ends within texts are spaces.
QString asTable(const std::vector<JobRow>& rows,
                const std::vector<JobColumn>& columns,
                const TimeText& times);
/// An object for one job, an array for several; times are RFC 3339 in UTC.
QString asJson(const std::vector<JobRow>& rows);
/// One a line.
QString asIds(const std::vector<JobRow>& rows);

}  // namespace restante::gui
