#include "core/delivery/sms/sms_message.h"

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/sms/phone_number.h"

#include <algorithm>

namespace restante::sms {

namespace {

std::string normalizedType(std::string_view text)
{
    auto out = lowered(text);
    std::erase(out, ' ');
    std::erase(out, '"');
    return out;
}

Result<void> checkType(const Job& job)
{
    const auto type = normalizedType(job.contentType);
    const auto at = type.find(";charset=");
    const auto charset = at == std::string::npos
                             ? std::string("utf-8")
                             : type.substr(at + 9, type.find(';', at + 1) - at - 9);
    if ((!type.empty() && !type.starts_with("text/")) ||
        (charset != "utf-8" && charset != "us-ascii")) {
        return invalidField("content_type", "a text message is text/plain in UTF-8");
    }
    return {};
}

Result<SmsSize> measureWithinLimit(const Job& job, const Config::Sms& config)
{
    auto size = measure(job.body);
    if (size && size->parts > config.maxParts) {
        return invalidField("body",
                            "takes {} text messages ({} characters of {}); at most {} are allowed "
                            "(sms.max_parts)",
                            size->parts, size->units,
                            size->coding == Coding::Gsm7 ? "GSM-7" : "UCS-2", config.maxParts);
    }
    return size;
}

}  // namespace

Result<Message> messageOf(const Job& job, const Config::Sms& config)
{
    auto number = TRY(phoneNumber(job.recipient));
    if (!job.sender.empty() && !isSender(job.sender)) {
        return invalidField("sender", "of a text message is a phone number or up to 11 letters, "
                                      "digits, spaces and - . & + _");
    }
    TRY(checkType(job));
    const auto size = TRY(measureWithinLimit(job, config));
    return Message{.to = std::move(number),
                   .from = senderOf(job.sender.empty() ? config.from : job.sender),
                   .text = job.body,
                   .coding = size.coding,
                   .id = job.id,
                   .reportUrl = {}};
}

Result<void> checkSmsJob(const Job& job, const Config::Sms& config)
{
    if (const auto zone = zoneHeaderOf(job); zone && !TimeZone::load(*zone)) {
        return invalidField("headers",
                            "Time-Zone \"{}\" is no time zone; write one such as Europe/Berlin",
                            zone->substr(0, 64));
    }
    return messageOf(job, config).map([](const Message&) {});
}

Result<void> checkPush(const Job& job, const Config::Sms& config)
{
    if (job.channel != Channel::Sms) {
        return {};
    }
    if (config.gateway == Config::SmsGateway::Off) {
        return invalidField("channel",
                            "text messages are not set up here; set sms.gateway (docs/sms.md)");
    }
    return checkSmsJob(job, config);
}

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
    TimeZones zones;
    zones.defaultZone_ = TRY(TimeZone::load(config.timeZone));
    for (const auto& word : config.zones) {
        const auto equals = word.find('=');
        auto zone = TRY(TimeZone::load(word.substr(equals + 1)));
        zones.byPrefix_.emplace_back(word.substr(0, equals), std::move(zone));
    }
    std::ranges::stable_sort(zones.byPrefix_, [](const auto& a, const auto& b) {
        return a.first.size() > b.first.size();
    });
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
    const auto found = std::ranges::find_if(byPrefix_, fits);
    return found == byPrefix_.end() ? defaultZone_ : found->second;
}

}  // namespace restante::sms
