#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "sipplugin/message/received_request.h"
#include "sipplugin/settings/sip_settings.h"

#include <optional>

namespace restante::sip {

/// When a MESSAGE wants to be delivered, by the header that `settings` names: an RFC 3339 time with
/// its zone, or whole seconds from `now`. Nothing = at once: there is no such header (or no name
/// for one), or its time has come. Invalid, for a 400, when it is there twice, cannot be read, or
/// is beyond the horizon. *Pure function.*
Result<std::optional<TimePoint>>
wantedDelivery(const ReceivedRequest& request, TimePoint now, const ScheduleSettings& settings);

}  // namespace restante::sip
