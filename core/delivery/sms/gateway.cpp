#include "core/delivery/sms/gateway.h"

#include "core/base/encoding.h"
#include "core/base/secret_file.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/job/web_url.h"
#include "core/sms/template_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <regex>
#include <utility>

namespace restante::sms {

namespace {

using delivery::HttpAnswer;
using delivery::HttpRequest;
using delivery::Outcome;

// Longer waits are taken for a mistake; the retry schedule continues in any case.
constexpr Millis kLongestRetryAfter{std::chrono::hours{24}};
/// The bytes of an answer that are matched: std::regex recurses for each character, and the
/// relevant text comes first.
constexpr std::size_t kMostSearchedBytes = 4'096;

/// Retry-After in seconds; a date is not read, as gateways do not send one.
Millis retryAfter(const HttpAnswer& answer)
{
    const auto seconds = wholeNumber<std::uint32_t>(answer.header("Retry-After"));
    return std::min<Millis>(std::chrono::seconds{seconds.value_or(0)}, kLongestRetryAfter);
}

std::string_view adviceFor(int status)
{
    switch (status) {
    case 401:
    case 403: return "; check sms.user, sms.password_file and what the gateway allows them";
    case 404: return "; check sms.url";
    case 402: return "; is the account empty?";
    default: return "";
    }
}

/// The beginning of the body on one line: without control characters, everything but ASCII as ?.
std::string excerptOf(const HttpAnswer& answer)
{
    constexpr std::size_t kMostBytes = 160;
    std::string excerpt = answer.body.substr(0, kMostBytes);
    for (char& c : excerpt) {
        const auto byte = static_cast<unsigned char>(c);
        // Truncated or invalid UTF-8 could not be written to JSON.
        c = byte >= 0x80 ? '?' : byte < 0x20 || byte == 0x7f ? ' ' : c;
    }
    return std::string(trimmedAtEnd(excerpt, " "));
}

/// The common part of all gateways: the configuration and the password.
class ConfiguredGateway : public Gateway {
public:
    ConfiguredGateway(const Config::Sms& config, std::string password)
        : config_(config),
          password_(std::move(password))
    {
    }

    std::string name() const override
    {
        std::string_view rest = config_.url;
        const auto scheme = rest.find("://");
        rest.remove_prefix(scheme == std::string_view::npos ? 0 : scheme + 3);
        rest = rest.substr(0, rest.find_first_of("/?#"));
        return std::string(rest.substr(rest.find('@') + 1));
    }

protected:
    /// The outcome for an answer that does not take the message. A message that the gateway can
    /// never take (400, 410, 413, 414, 422) is dead; anything else may be mended (a wrong password,
    /// an empty account, a gateway that is down) and is tried again, not before its Retry-After.
    /// The reason contains the beginning of the body.
    Outcome refusalOf(const HttpAnswer& answer) const
    {
        constexpr std::array kPermanentStatuses{400, 410, 413, 414, 422};
        const bool isPermanent =
            std::ranges::find(kPermanentStatuses, answer.status) != kPermanentStatuses.end();
        const auto excerpt = excerptOf(answer);
        return {isPermanent ? Outcome::Kind::Dead : Outcome::Kind::Retry,
                fmt::format("{} from {}{}{}{}", answer.status, name(), excerpt.empty() ? "" : ": ",
                            excerpt, adviceFor(answer.status)),
                retryAfter(answer)};
    }

    static std::string_view codingOf(const Message& message)
    {
        return message.coding == Coding::Gsm7 ? "0" : "2";
    }

    const Config::Sms config_;
    const std::string password_;
};

/// Kannel's sendsms interface: everything in the query, "0: Accepted for delivery" or "3: Queued
/// for later delivery" with 202 when it has taken the message.
class KannelGateway final : public ConfiguredGateway {
public:
    using ConfiguredGateway::ConfiguredGateway;

    HttpRequest requestFor(const Message& message) const override
    {
        std::string url = config_.url;
        const auto add = [&url](std::string_view name, std::string_view value) {
            url += url.find('?') == std::string::npos ? '?' : '&';
            url += fmt::format("{}={}", name, percentEncoded(value));
        };
        add("username", config_.user);
        add("password", password_);
        if (!message.from.empty()) {
            add("from", message.from);
        }
        add("to", message.to);
        add("coding", codingOf(message));
        add("charset", "UTF-8");
        add("text", message.text);
        if (!message.reportUrl.empty()) {
            // The reports that we ask for: 1 the phone has it, 2 the phone does not get it, 8 the
            // network has it, 16 the network has refused it. 4, "waits at the network", ends
            // nothing.
            add("dlr-mask", config_.deliveryReports == Config::SmsReports::Network ? "26" : "19");
            add("dlr-url", withPercentDoubled(message.reportUrl) + "&status=%d&answer=%A");
        }
        return {.method = "GET", .url = std::move(url)};
    }

    Outcome outcomeOf(const HttpAnswer& answer) const override
    {
        // Older versions answered 200; the number in front of the text says what they mean.
        const bool taken = answer.status == 202 ||
                           (answer.status == 200 &&
                            (answer.body.starts_with("0:") || answer.body.starts_with("3:") ||
                             answer.body.starts_with("Sent")));
        return taken ? Outcome{} : refusalOf(answer);
    }

private:
    /// Kannel takes % in a dlr-url for the beginning of an escape of its own, and %% for a %.
    static std::string withPercentDoubled(std::string_view url)
    {
        std::string out;
        for (const char c : url) {
            out.append(c == '%' ? 2 : 1, c);
        }
        return out;
    }
};

/// Any gateway with an HTTP interface: URL, headers and body are templates; 2xx, and what
/// `sms.success` asks of the body, says that it has taken the message.
class TemplateGateway final : public ConfiguredGateway {
public:
    TemplateGateway(const Config::Sms& config, std::string password)
        : ConfiguredGateway(config, std::move(password)),
          escape_(escapeFor(config.contentType)),
          successPattern_(config.success)
    {
    }

    HttpRequest requestFor(const Message& message) const override
    {
        const TemplateValues values{.to = message.to,
                                    .text = message.text,
                                    .from = message.from,
                                    .id = message.id,
                                    .coding = std::string(codingOf(message)),
                                    .user = config_.user,
                                    .password = password_,
                                    .reportUrl = message.reportUrl};
        const auto escapeForUrl = [](std::string_view value) { return percentEncoded(value); };
        HttpRequest request{.method = config_.method,
                            .url = fill(config_.url, values, escapeForUrl)};
        for (const auto& header : config_.headers) {
            request.headers.push_back(headerOf(header, values));
        }
        if (config_.method != "GET") {
            request.headers.emplace_back("Content-Type", config_.contentType);
            request.body = fill(config_.body, values, escape_);
        }
        return request;
    }

    Outcome outcomeOf(const HttpAnswer& answer) const override
    {
        if (answer.status < 200 || answer.status > 299) {
            return refusalOf(answer);
        }
        if (!config_.success.empty() &&
            !std::regex_search(answer.body.substr(0, kMostSearchedBytes), successPattern_)) {
            return {Outcome::Kind::Retry, fmt::format("{} from {}, which is not sms.success: {}",
                                                      answer.status, name(), excerptOf(answer))};
        }
        return {};
    }

private:
    static std::pair<std::string, std::string> headerOf(const std::string& header,
                                                        const TemplateValues& values)
    {
        // A line break in a value would begin a header of its own.
        const auto oneLine = [](std::string_view value) {
            std::string line(value);
            std::ranges::replace_if(
                line, [](unsigned char c) { return c < 0x20; }, ' ');
            return line;
        };
        const auto colon = header.find(':');
        const auto begin = header.find_first_not_of(' ', colon + 1);
        return {header.substr(0, colon),
                begin == std::string::npos ? "" : fill(header.substr(begin), values, oneLine)};
    }

    Escape escape_;
    std::regex successPattern_;
};

HttpRequest sampleRequestOf(const Gateway& gateway, std::string reportUrl)
{
    return gateway.requestFor({.to = "+4917012345678",
                               .from = "12345",
                               .text = "Hello",
                               .coding = Coding::Gsm7,
                               .id = "sample",
                               .reportUrl = std::move(reportUrl)});
}

/// Whether what the gateway is asked says where to bring the delivery report.
bool tellsReportUrl(const Gateway& gateway)
{
    const auto without = sampleRequestOf(gateway, "");
    const auto with = sampleRequestOf(gateway, "http://192.0.2.7:9277");
    return with.url != without.url || with.headers != without.headers || with.body != without.body;
}

/// By a sample, so that a mistake is found before a message needs the gateway.
Result<void> checkRequests(const Gateway& gateway, const Config::Sms& config)
{
    const auto sample = sampleRequestOf(gateway, "");
    if (const auto url = parseWebUrl(sample.url, delivery::kLongestUrl); !url) {
        return invalid("sms.url: {}", url.error().message);
    }
    if (config.deliveryReports != Config::SmsReports::Off && !tellsReportUrl(gateway)) {
        return invalid("sms.delivery_reports: the gateway is not told where to bring them; write "
                       "{report_url} into sms.url, sms.headers or, if sms.method is not GET, "
                       "sms.body");
    }
    return {};
}

}  // namespace

Result<std::unique_ptr<Gateway>> gatewayOf(const Config::Sms& config)
{
    if (config.gateway == Config::SmsGateway::Off) {
        return nullptr;
    }
    auto password =
        TRY(config.passwordFile.empty() ? Result<std::string>{}
                                        : readSecret("sms.password_file", config.passwordFile));
    const bool isKannel = config.gateway == Config::SmsGateway::Kannel;
    if (isKannel && config.url.find_first_of("{}") != std::string::npos) {
        return invalid("sms.url: has no placeholders when sms.gateway is kannel; write "
                       "http://HOST:PORT/cgi-bin/sendsms");
    }
    std::unique_ptr<Gateway> gateway;
    if (isKannel) {
        gateway = std::make_unique<KannelGateway>(config, std::move(password));
    } else {
        gateway = std::make_unique<TemplateGateway>(config, std::move(password));
    }
    TRY(checkRequests(*gateway, config));
    return gateway;
}

}  // namespace restante::sms
