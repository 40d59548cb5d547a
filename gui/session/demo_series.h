#pragma once

#include "core/reminder/reminder_request.h"

#include <vector>

namespace restante::gui {

/// A recurring reminder of the demonstration. *Value.*
struct DemoSeries {
    reminder::ReminderRequest request;
    enum class Ending { Delivered, Refused };
    Ending last = Ending::Delivered;  ///< of its last occurrence
    bool paused = false;
};

/// The recurring reminders, created three weeks before `present`.
std::vector<DemoSeries> demoSeries(TimePoint present);

}  // namespace restante::gui
