#include "sipplugin/inbound/delivery_time.h"

#include "core/base/duration.h"
#include "core/base/text.h"
#include "core/base/timestamp.h"
#include "sipplugin/message/sip_date.h"

#include <fmt/format.h>

namespace restante::sip {

namespace {

constexpr std::string_view kAllowed =
    "write an RFC 3339 time with its zone, such as 2026-12-31T09:00:00Z, or seconds from now";

/// parseTimestamp() takes a time without a zone for ours, which is hardly the sender's.
bool namesAZone(std::string_view text)
{
    if (text.ends_with('Z') || text.ends_with('z')) {
        return true;
    }
    constexpr std::size_t kOffset = 6;  // "+01:00"
    const auto sign = text.size() > kOffset ? text[text.size() - kOffset] : ' ';
    return (sign == '+' || sign == '-') && text.find_first_of("Tt ") < text.size() - kOffset;
}

}  // namespace

Result<std::optional<TimePoint>>
wantedDelivery(const ReceivedRequest& request, TimePoint now, const ScheduleSettings& settings)
{
    const auto text = settings.header.empty() ? std::nullopt : request.header(settings.header);
    if (!text) {
        return std::optional<TimePoint>{};
    }
    const auto refused = [&](std::string_view why) {
        return failure(ErrorCode::Invalid, fmt::format("{} {}", settings.header, why));
    };
    if (request.count(settings.header) > 1) {
        return refused("is there twice");
    }
    const auto tooFar = refused(fmt::format("is further ahead than {} (sip.schedule_horizon)",
                                            printDuration(settings.horizon)));
    TimePoint due{};
    if (isDigits(*text)) {
        const auto seconds = wholeSeconds(*text);  // none: beyond every horizon
        if (!seconds) {
            return tooFar;
        }
        due = now + *seconds;
    } else {
        const auto at = parseTimestamp(*text);
        if (!at || !namesAZone(*text)) {
            return refused(fmt::format("cannot be read; {}", kAllowed));
        }
        due = *at;
    }
    if (due - now > settings.horizon) {
        return tooFar;
    }
    return due > now ? std::optional{due} : std::nullopt;
}

}  // namespace restante::sip
