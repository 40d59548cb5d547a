#pragma once

#include "core/client/queue.h"

#include <string>

namespace restante::journal {

/// For Queue::Settings::coldJobs: reads the jobs that are in the journal at `url` alone (as
/// `journal.url`: sqlite:///path, mysql://..., postgresql://...); empty = where the configuration
/// says. Connecting fails as Unavailable if it cannot be read, as Conflict if it is another
/// store's, as Invalid if the address cannot be read.
ColdJobsOpener coldJobsIn(std::string url = {});

}  // namespace restante::journal
