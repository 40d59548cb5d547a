#pragma once

#include "core/job/job_filter.h"

#include <QString>

namespace restante::gui {

/// Why a filter is slow, for people: which of its terms no index leads to, among which jobs they
/// are compared one by one, and which field would be quick. Empty for a filter that does not scan.
/// *Pure.*
QString scanReason(const JobFilter& filter);

}  // namespace restante::gui
