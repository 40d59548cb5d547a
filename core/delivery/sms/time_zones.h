#pragma once

#include "core/base/result.h"
#include "core/base/time_zone.h"
#include "core/config/config.h"
#include "core/job/job.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante::sms {

/// The job's header Time-Zone.
std::optional<std::string> zoneHeaderOf(const Job& job);

/// Which time zone a recipient lives in, as far as anybody can know. *Value.*
class TimeZones {
public:
    /// Reads `sms.time_zone` and `sms.zones`.
    static Result<TimeZones> load(const Config::Sms& config);

    /// By the job's header, else by the longest prefix of `number` in the table, else the default.
    TimeZone of(const Job& job, std::string_view number) const;

private:
    TimeZone otherwise_;
    std::vector<std::pair<std::string, TimeZone>> byPrefix_;  ///< the longest prefixes first
};

}  // namespace restante::sms
