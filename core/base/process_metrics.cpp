#include "core/base/metrics.h"
#include "core/base/version.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

namespace restante::metrics {

namespace {

/// Initialised while the program is loaded, so it is the start time.
const std::chrono::duration<double> kStartTime =
    std::chrono::system_clock::now().time_since_epoch();

/// proc(5): the second number of statm is the resident pages.
double residentBytes()
{
    std::ifstream statm("/proc/self/statm");
    double total = 0;
    double resident = 0;
    statm >> total >> resident;
    return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

double openDescriptors()
{
    std::error_code error;
    const std::filesystem::directory_iterator open("/proc/self/fd", error);
    return error ? 0.0 : static_cast<double>(std::distance(begin(open), end(open)));
}

}  // namespace

void measureProcess()
{
    gauge("restante_build_info", {std::string(version())}).set(1);
    gauge("restante_start_time_seconds").set(kStartTime.count());
    gauge("restante_resident_memory_bytes").set(residentBytes());
    gauge("restante_open_file_descriptors").set(openDescriptors());
}

}  // namespace restante::metrics
