#pragma once

namespace restante::metrics {

/// Sets the gauges of the process itself (version, start, memory, open files) to what is so now.
/// Any thread.
void measureProcess();

}  // namespace restante::metrics
