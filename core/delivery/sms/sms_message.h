#pragma once

#include "core/base/result.h"
#include "core/base/time_zone.h"
#include "core/config/config.h"
#include "core/delivery/sms/gateway.h"
#include "core/job/job.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante::sms {

/// The text message that a job asks for: number, sender (its own, else `sms.from`), text and
/// alphabet. Invalid names the field of the job that cannot be sent and what is allowed.
Result<Message> messageOf(const Job& job, const Config::Sms& config);

/// Whether an sms job can be sent by any gateway: messageOf(), and its header Time-Zone.
Result<void> checkSmsJob(const Job& job, const Config::Sms& config);

/// Checks a push: checkSmsJob() for an sms job, and that `sms.gateway` is not off, as nobody would
/// deliver it. Accepts other channels.
Result<void> checkPush(const Job& job, const Config::Sms& config);

/// The job's header Time-Zone.
std::optional<std::string> zoneHeaderOf(const Job& job);

/// Finds the probable time zone of a recipient. *Value.*
class TimeZones {
public:
    /// Reads `sms.time_zone` and `sms.zones`.
    static Result<TimeZones> load(const Config::Sms& config);

    /// By the job's header, else by the longest prefix of `number` in the table, else the default.
    TimeZone of(const Job& job, std::string_view number) const;

private:
    TimeZone defaultZone_;
    std::vector<std::pair<std::string, TimeZone>> byPrefix_;  ///< the longest prefixes first
};

}  // namespace restante::sms
