#include "core/job/job.h"

#include "core/base/duration.h"
#include "core/base/text.h"
#include "core/job/job_id.h"
#include "core/job/web_url.h"

#include <algorithm>
#include <array>

namespace restante {

namespace {

/// In the order of the enumeration.
constexpr std::array<std::string_view, kChannels.size()> kChannelNames{"pull", "sip", "sms",
                                                                       "webhook"};

constexpr int kLowestPriority = 9;
/// Longer work extends its lease by touch(); the record keeps 32 bits of milliseconds.
constexpr Millis kLongestTtr{std::chrono::hours{24 * 30}};
/// If a lease ended before the claim's answer arrived (under load), the attempt would count without
/// being made, and the job would be dead without having been sent.
constexpr Millis kShortestCourierTtr{1'000};

using Check = Result<void>;

Check checkTopic(std::string_view topic, std::size_t longest)
{
    const auto isAllowed = [](char c) { return c > ' ' && c < '\x7f' && c != ','; };
    if (topic.empty() || topic.size() > longest || !std::ranges::all_of(topic, isAllowed)) {
        return invalidField(
            "topic",
            "is 1-{} printable ASCII characters without space, comma or control characters",
            longest);
    }
    return {};
}

Check checkHeaders(const Job& job, std::size_t most)
{
    std::size_t total = 0;
    for (const auto& [name, value] : job.headers) {
        total += name.size() + value.size();
        const auto isForbidden = [](char c) { return isAsciiControl(c) && c != '\t'; };
        if (!isHttpToken(name) || std::ranges::any_of(value, isForbidden)) {
            return invalidField("headers",
                                "a name is a token (letters, digits and !#$%&'*+-.^_`|~), a value "
                                "has no control characters but tab");
        }
    }
    if (total > most) {
        return invalidField("headers", "are at most {} bytes in all", most);
    }
    return {};
}

Check checkNumbers(const Job& job, const JobLimits& limits)
{
    if (job.priority < 0 || job.priority > kLowestPriority) {
        return invalidField("priority", "is 0 (first) to 9");
    }
    const bool hasCourier = job.channel == Channel::Sms || job.channel == Channel::Webhook;
    const auto shortest = hasCourier ? kShortestCourierTtr : Millis{1};
    if (job.ttr < shortest || job.ttr > kLongestTtr) {
        return invalidField("ttr", "is {} to {}{}", formatDuration(shortest),
                            formatDuration(kLongestTtr),
                            hasCourier ? " on channels sms and webhook" : "");
    }
    if (!job.expires) {
        return {};
    }
    if (*job.expires <= job.created) {
        return invalidField("expires", "has passed; it is later than the moment of the push");
    }
    if (*job.expires - job.created > limits.horizon) {
        return invalidField("expires", "is at most {} ahead", formatDuration(limits.horizon));
    }
    return {};
}

Check checkRecipient(const Job& job, const JobLimits& limits)
{
    if (job.channel != Channel::Pull && job.recipient.empty()) {
        return invalidField("recipient", "is required on channel {}: an address of that kind",
                            name(job.channel));
    }
    return checkText("recipient", job.recipient, limits.recipient);
}

/// With the compact forms of From, Identity and Identity-Info.
constexpr auto kSenderHeaders = std::to_array<std::string_view>(
    {"From", "f", "Identity", "y", "Identity-Info", "n", "P-Asserted-Identity",
     "P-Asserted-Service", "P-Preferred-Identity", "P-Preferred-Service", "Remote-Party-ID"});

/// Headers that HTTP (RFC 9110 section 7.6.1) or Restante sets, among them the signature, which a
/// job must not be able to set itself.
bool isReservedHeader(std::string_view header)
{
    constexpr std::array<std::string_view, 14> kReservedHeaders{
        "connection", "content-length",     "content-type",        "expect",    "host",
        "keep-alive", "proxy-authenticate", "proxy-authorization", "te",        "trailer",
        "upgrade",    "proxy-connection",   "transfer-encoding",   "user-agent"};
    const auto lower = lowered(header);
    return lower.starts_with("restante-") || lower.starts_with("webhook-") ||
           std::ranges::find(kReservedHeaders, lower) != kReservedHeaders.end();
}

Check checkWebhook(const Job& job)
{
    if (job.channel != Channel::Webhook) {
        return {};
    }
    if (const auto url = parseWebUrl(job.recipient); !url) {
        return invalidField("recipient", url.error().message);
    }
    for (const auto& [name, value] : job.headers) {
        if (isReservedHeader(name)) {
            return invalidField("headers",
                                "{} cannot be given to a webhook: it belongs to the connection or "
                                "to Restante (content_type has a field)",
                                name);
        }
    }
    return {};
}

}  // namespace

Result<void> checkText(std::string_view field, std::string_view text, std::size_t longest)
{
    if (text.size() > longest || std::ranges::any_of(text, isAsciiControl)) {
        return invalidField(field, "is at most {} bytes without control characters", longest);
    }
    return {};
}

std::string_view name(Channel channel) noexcept
{
    return kChannelNames[static_cast<std::size_t>(channel)];
}

std::optional<Channel> channelNamed(std::string_view word) noexcept
{
    const auto* found = std::ranges::find(kChannelNames, word);
    return found == kChannelNames.end()
               ? std::nullopt
               : std::optional{kChannels[static_cast<std::size_t>(found - kChannelNames.begin())]};
}

Result<void> validate(const Job& job, const JobLimits& limits)
{
    if (auto id = checkedJobId(job.id); !id) {
        return tl::unexpected(std::move(id.error()));
    }
    if (job.body.size() > limits.body) {
        return invalidField("body", "is at most {} bytes (limits.body)", limits.body);
    }
    return checkTopic(job.topic, limits.topic)
        .and_then([&] { return checkRecipient(job, limits); })
        .and_then([&] { return checkText("sender", job.sender, limits.recipient); })
        .and_then([&] { return checkText("biz_key", job.bizKey, limits.recipient); })
        .and_then([&] { return checkText("content_type", job.contentType, limits.recipient); })
        .and_then([&] { return checkText("recurrence", job.recurrence, limits.recipient); })
        .and_then([&] { return checkHeaders(job, limits.headers); })
        .and_then([&] { return checkWebhook(job); })
        .and_then([&] { return checkNumbers(job, limits); });
}

bool isSenderHeader(std::string_view header) noexcept
{
    return std::ranges::any_of(
        kSenderHeaders, [header](std::string_view one) { return equalIgnoringCase(one, header); });
}

std::string laneOf(const Job& job)
{
    std::string lane{name(job.channel)};
    return lane.append(":").append(std::to_string(job.priority)).append(":").append(job.topic);
}

bool isOrigin(std::string_view text)
{
    // More than an origin has: an entry of four words, and those of earlier states if the job had
    // ended already.
    constexpr std::size_t kMostEntries = 4;
    if (text.empty()) {
        return true;
    }
    const auto words = split(text, ' ');
    const auto isMoment = [](std::string_view word) {
        return word == "inf" || word == "+inf" ||
               (!word.empty() && word.size() <= 24 && isDigit(word.front()) &&
                word.find_first_not_of("0123456789.") == std::string_view::npos &&
                std::ranges::count(word, '.') <= 1);
    };
    if (words.size() % 4 != 0 || words.size() > 4 * kMostEntries) {
        return false;
    }
    for (std::size_t i = 0; i < words.size(); i += 4) {
        const auto state = words[i];
        const bool isOriginState =
            state == "scheduled" || state == "held" || state == "dead" || state == "done";
        const bool isNumber = words[i + 2].size() <= 16 && isDigits(words[i + 2]);
        if (!isOriginState || !isMoment(words[i + 1]) || (words[i + 2] != "-" && !isNumber) ||
            (words[i + 3] != "-" && !isMoment(words[i + 3]))) {
            return false;
        }
    }
    return true;
}

}  // namespace restante
