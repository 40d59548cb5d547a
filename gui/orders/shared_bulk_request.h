#pragma once

#include "gui/session/job_writer.h"

#include <memory>

namespace restante::gui {

/// Shared: it may name 200,000 jobs, and a task, the step that takes it back and what repeats it
/// mean the same ones.
using SharedBulkRequest = std::shared_ptr<const BulkRequest>;

}  // namespace restante::gui
