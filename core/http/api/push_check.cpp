#include "core/http/api/push_check.h"

#include "core/job/web_url.h"
#include "core/queue/topic.h"
#include "core/sms/phone_number.h"

#include <algorithm>
#include <array>

namespace restante::http {

namespace {

constexpr std::array<std::string_view, 18> kFixed{
    "id",      "topic",      "channel",    "body",    "body_base64", "content_type",
    "headers", "recipient",  "sender",     "biz_key", "priority",    "ttr",
    "expires", "expires_ms", "expires_in", "retry",   "replace",     "recurrence"};

json::FieldError recipientProblem(const Error& error)
{
    auto problem = json::fieldErrorOf(error);
    return {"recipient", problem.detail.empty() ? error.message : std::move(problem.detail)};
}

}  // namespace

json::Parsed<PushOrder> checkedPush(const V1Services& services, PushOrder order)
{
    auto& job = order.job;
    if (const auto free = checkNotReserved(job.topic); !free) {
        return tl::unexpected(json::fieldErrorOf(free.error()));
    }
    if (job.recipient.empty()) {
        return order;  // refused by the queue, except on channel pull
    }
    Result<void> sound;
    switch (job.channel) {
    case Channel::Pull: break;
    case Channel::Sip: {
        auto address = services.addressOfRecord(job.recipient);
        if (!address) {
            return tl::unexpected(recipientProblem(address.error()));
        }
        job.recipient = std::move(*address);
        break;
    }
    case Channel::Sms: sound = sms::phoneNumber(job.recipient).map([](const auto&) {}); break;
    case Channel::Webhook: sound = parseWebUrl(job.recipient).map([](const auto&) {}); break;
    }
    if (!sound) {
        return tl::unexpected(recipientProblem(sound.error()));
    }
    return order;
}

bool isFixedAtPush(std::string_view field) noexcept
{
    return std::find(kFixed.begin(), kFixed.end(), field) != kFixed.end();
}

}  // namespace restante::http
