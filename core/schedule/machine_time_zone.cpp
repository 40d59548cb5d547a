#include "core/schedule/machine_time_zone.h"

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/time_zone.h"
#include "core/schedule/zoned_clock.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <system_error>
#include <vector>

namespace restante {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUtc = "UTC";
constexpr const char* kZoneFiles = "/usr/share/zoneinfo";

bool isKnownZone(std::string_view name)
{
    return ZonedClock::find(name).has_value();
}

/// The zone whose file the path leads to; empty = it leads elsewhere, or nowhere.
std::string zoneBehind(const fs::path& path)
{
    std::error_code error;
    const auto target = fs::canonical(path, error);
    const auto directory = error ? fs::path() : fs::weakly_canonical(kZoneFiles, error);
    auto name = error ? std::string() : target.lexically_relative(directory).string();
    return isKnownZone(name) ? name : std::string();
}

/// Whether both tell the same times in the two years from now on. Files of one zone differ from
/// one version of tzdata to the next, and so by more than their names.
bool tellSameTimes(const TimeZone& one, const TimeZone& other)
{
    constexpr std::chrono::hours kSpan{24 * 366 * 2};
    const auto begin = SystemClock{}.now();
    for (std::chrono::hours ahead{0}; ahead < kSpan; ++ahead) {
        if (one.offsetAt(begin + ahead) != other.offsetAt(begin + ahead)) {
            return false;
        }
    }
    return true;
}

/// Names of zones, those first by which people call theirs: of the zones that have told the same
/// times since 1970, zone1970.tab has the one of the largest place.
std::vector<std::string> zoneNames()
{
    std::vector<std::string> names{std::string(kUtc)};
    const auto table = readFile(fs::path(kZoneFiles) / "zone1970.tab").value_or("");
    for (const auto line : split(table, '\n')) {
        const auto columns = split(line, '\t');  // countries, coordinates, name, comments
        if (columns.size() > 2 && !line.starts_with('#')) {
            names.emplace_back(columns[2]);
        }
    }
    const auto others = static_cast<std::ptrdiff_t>(names.size());
    std::error_code error;
    std::error_code ignored;
    fs::recursive_directory_iterator file(kZoneFiles, error);
    for (; !error && file != fs::recursive_directory_iterator(); file.increment(error)) {
        auto name = file->path().lexically_relative(kZoneFiles).string();
        // These are further copies, the last one of /etc/localtime itself.
        const bool isCopy =
            name.starts_with("posix") || name.starts_with("right/") || name == "localtime";
        if (!isCopy && file->is_regular_file(ignored)) {
            names.push_back(std::move(name));
        }
    }
    std::sort(names.begin() + others, names.end());
    return names;
}

/// The zone of a copied file, by its content; empty = none is like it.
std::string zoneLike(const std::string& content, std::string_view probableName)
{
    const auto zone = TimeZone::parse(content);
    if (!zone) {
        return {};
    }
    const auto isLike = [&zone](const std::string& name) {
        const auto other = TimeZone::load(name);
        return other && tellSameTimes(*zone, *other);
    };
    if (auto name = std::string(probableName); isKnownZone(name) && isLike(name)) {
        return name;
    }
    const auto names = zoneNames();
    const auto same = std::ranges::find_if(names, [&content](const std::string& name) {
        return isKnownZone(name) && readFile(fs::path(kZoneFiles) / name) == content;
    });
    const auto found = same != names.end() ? same : std::ranges::find_if(names, isLike);
    return found == names.end() ? std::string() : *found;
}

/// The zone of a copied file. What was found last is kept, as all zones are read for it and each
/// reminder may ask.
std::string zoneOfCopy(const std::string& content, std::string_view probableName)
{
    static std::mutex mutex;
    static std::string lastContent;
    static std::string lastProbableName;
    static std::string lastZone;
    const std::lock_guard lock(mutex);
    if (content != lastContent || probableName != lastProbableName) {
        lastZone = zoneLike(content, probableName);
        lastContent = content;
        lastProbableName = probableName;
    }
    return lastZone;
}

/// Of a file, or a link to one, by its name or else by its content; empty = there is no file, or it
/// is of no zone that has a name.
std::string zoneOfFile(const fs::path& path, std::string_view probableName)
{
    if (auto name = zoneBehind(path); !name.empty()) {
        return name;
    }
    const auto content = readFile(path);
    return content ? zoneOfCopy(*content, probableName) : std::string();
}

/// Empty = it is none that has a name.
std::string zoneOfVariable(std::string_view variable)
{
    variable.remove_prefix(variable.starts_with(':') ? 1 : 0);
    if (variable.empty()) {
        return std::string(kUtc);
    }
    if (isKnownZone(variable)) {
        return std::string(variable);
    }
    return variable.starts_with('/') ? zoneOfFile(variable, "") : std::string();
}

/// Empty = there is no file, or it is of no zone that has a name.
std::string zoneOfLocalTime(const TimeZoneSettings& settings)
{
    const auto name = readFile(settings.name).value_or("");
    return zoneOfFile(settings.localTime, trimmed(name, " \t\r\n"));
}

}  // namespace

std::string timeZoneOf(const TimeZoneSettings& settings)
{
    auto zone = settings.variable ? zoneOfVariable(*settings.variable) : std::string();
    if (zone.empty()) {
        zone = zoneOfLocalTime(settings);
    }
    return zone.empty() ? std::string(kUtc) : zone;
}

std::string namelessTimeZoneOf(const TimeZoneSettings& settings)
{
    if (settings.variable) {
        return zoneOfVariable(*settings.variable).empty() ? "TZ" : "";
    }
    std::error_code ignored;
    const auto kind = fs::symlink_status(settings.localTime, ignored).type();
    // Without the file the machine is in UTC.
    const bool isThere = kind != fs::file_type::not_found && kind != fs::file_type::none;
    return isThere && zoneOfLocalTime(settings).empty() ? settings.localTime.string() : "";
}

TimeZoneSettings machineTimeZoneSettings()
{
    const char* variable = std::getenv("TZ");
    TimeZoneSettings settings;
    if (variable != nullptr) {
        settings.variable = variable;
    }
    return settings;
}

std::string machineTimeZone()
{
    return timeZoneOf(machineTimeZoneSettings());
}

}  // namespace restante
