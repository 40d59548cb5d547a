#include "core/delivery/sms/time_zones.h"

#include "core/base/text.h"

#include <algorithm>

namespace restante::sms {

std::optional<std::string> zoneHeaderOf(const Job& job)
{
    for (const auto& [name, value] : job.headers) {
        if (equalIgnoringCase(name, "Time-Zone")) {
            return value;
        }
    }
    return {};
}

Result<TimeZones> TimeZones::load(const Config::Sms& config)
{
    auto otherwise = TimeZone::load(config.timeZone);
    if (!otherwise) {
        return tl::unexpected(std::move(otherwise.error()));
    }
    TimeZones zones;
    zones.otherwise_ = std::move(*otherwise);
    for (const auto& word : config.zones) {
        const auto equals = word.find('=');
        auto zone = TimeZone::load(word.substr(equals + 1));
        if (!zone) {
            return tl::unexpected(std::move(zone.error()));
        }
        zones.byPrefix_.emplace_back(word.substr(0, equals), std::move(*zone));
    }
    std::stable_sort(zones.byPrefix_.begin(), zones.byPrefix_.end(),
                     [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
    return zones;
}

TimeZone TimeZones::of(const Job& job, std::string_view number) const
{
    if (const auto name = zoneHeaderOf(job)) {
        if (auto zone = TimeZone::load(*name)) {
            return std::move(*zone);
        }
    }
    const auto fits = [&](const auto& entry) { return number.starts_with(entry.first); };
    const auto found = std::find_if(byPrefix_.begin(), byPrefix_.end(), fits);
    return found == byPrefix_.end() ? otherwise_ : found->second;
}

}  // namespace restante::sms
