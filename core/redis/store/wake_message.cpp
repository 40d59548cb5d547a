#include "core/redis/store/wake_message.h"

#include "core/base/text.h"
#include "core/redis/store/store_answers.h"

#include <algorithm>
#include <array>
#include <utility>

namespace restante::redis {

namespace {

constexpr std::array<std::pair<DueSource::Kind, std::string_view>, 4> kKinds{{
    {DueSource::Kind::Lanes, "lanes"},
    {DueSource::Kind::Mailboxes, "mailboxes"},
    {DueSource::Kind::Leases, "leases"},
    {DueSource::Kind::Expiry, "expiry"},
}};

}  // namespace

std::string_view name(DueSource::Kind kind) noexcept
{
    return kKinds[static_cast<std::size_t>(kind)].second;
}

std::optional<std::string_view> parseSlots(std::string_view message)
{
    constexpr std::string_view kKind = "slots ";
    return message.starts_with(kKind) ? std::optional{message.substr(kKind.size())} : std::nullopt;
}

std::optional<Wake> parseWake(std::string_view message)
{
    const auto kind = takeWord(message);
    const auto due = takeWord(message);
    const auto* found = std::find_if(kKinds.begin(), kKinds.end(),
                                     [&](const auto& known) { return known.second == kind; });
    const auto ms = wholeNumber<std::int64_t>(due);
    if (found == kKinds.end() || !ms) {
        return std::nullopt;
    }
    Wake wake;
    wake.kind = found->first;
    wake.due = fromEpochMs(*ms);
    if (wake.kind == DueSource::Kind::Lanes) {
        const auto channel = channelNamed(takeWord(message));
        if (!channel) {
            return std::nullopt;
        }
        wake.channel = *channel;
        wake.topic = message;
    }
    return wake;
}

}  // namespace restante::redis
