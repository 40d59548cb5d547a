#include "core/base/text.h"
#include "core/config/key_builder.h"
#include "core/sms/phone_number.h"
#include "core/sms/quiet_hours.h"
#include "core/sms/template_text.h"

#include <fmt/format.h>

namespace restante::builder {

namespace {
using namespace std::chrono_literals;

bool isHttpUrlOrNothing(std::string_view word)
{
    const auto afterScheme = word.starts_with("http://")    ? word.substr(7)
                             : word.starts_with("https://") ? word.substr(8)
                                                            : std::string_view{};
    return word.empty() || (!afterScheme.empty() && afterScheme.front() != '/' &&
                            word.find(' ') == std::string_view::npos);
}

bool isHeaderTemplate(std::string_view word)
{
    const auto colon = word.find(':');
    return colon != std::string_view::npos && codec::isToken(word.substr(0, colon)) &&
           !sms::unknownPlaceholder(word);
}

bool isZoneOfPrefix(std::string_view word)
{
    const auto equals = word.find('=');
    return equals != std::string_view::npos && sms::isNumberPrefix(word.substr(0, equals)) &&
           sms::isTimeZone(std::string(word.substr(equals + 1)));
}

std::string placeholders()
{
    return "{to}, {text}, {from}, {id}, {coding}, {user}, {password}, {report_url} are filled in";
}

/// Of a template that is refused only an unknown placeholder is repeated: the rest may hold the key
/// to somebody's account.
codec::Codec<std::string> templateText(std::string allowed,
                                       std::function<bool(std::string_view)> accepts)
{
    auto codec = codec::text(std::move(allowed), std::move(accepts));
    codec.why = [allowed = codec.allowed](std::string_view word) {
        const auto unknown = sms::unknownPlaceholder(word).value_or("");
        const bool isName =
            unknown.size() > 2 && unknown.starts_with('{') && unknown.ends_with('}') &&
            consistsOf(std::string_view(unknown).substr(1, unknown.size() - 2), "_");
        return fmt::format("{}; write {}",
                           isName ? unknown + " is no placeholder"
                                  : "it is not allowed as it stands in the configuration",
                           allowed);
    };
    return codec;
}
}  // namespace

void addSms(std::vector<ConfigKey>& keys)
{
    using Sms = Config::Sms;
    Section sms(keys, "sms.", &Config::sms);
    sms.key("gateway",
            "What sends text messages: Kannel's sendsms, any other gateway with an HTTP "
            "interface (template),\n"
            "or nothing (off: jobs of the channel sms are refused). docs/sms.md.",
            codec::choice<Config::SmsGateway>({{"off", Config::SmsGateway::Off},
                                               {"kannel", Config::SmsGateway::Kannel},
                                               {"template", Config::SmsGateway::Template}}),
            &Sms::gateway);
    sms.key(
        "url",
        "Where the gateway listens, such as http://127.0.0.1:13013/cgi-bin/sendsms. It is yours, "
        "so any\naddress is allowed. With template,\n" +
            placeholders() + ".",
        templateText(
            "http://... or https://..., or nothing; " + placeholders(),
            [](auto word) { return isHttpUrlOrNothing(word) && !sms::unknownPlaceholder(word); }),
        &Sms::url);
    sms.key("user", "The name with which we enter at the gateway.",
            codec::text("a name, or nothing"), &Sms::user);
    sms.key("password_file", "A file whose first line is the gateway's password.", codec::path(),
            &Sms::passwordFile);
    sms.key(
        "from", "The sender that people see when a job names none.",
        codec::text("a phone number or up to 11 letters, digits, spaces and - . & + _, or nothing",
                    [](auto word) { return word.empty() || sms::isSender(word); }),
        &Sms::from);
    sms.key("method", "How the template gateway is called.",
            codec::text("GET, POST or PUT",
                        [](auto word) { return word == "GET" || word == "POST" || word == "PUT"; }),
            &Sms::method);
    sms.key("body",
            "The body for the template gateway; what is filled in is escaped as sms.content_type "
            "needs it.",
            templateText(placeholders() + "; {{ and }} are braces",
                         [](auto word) { return !sms::unknownPlaceholder(word); }),
            &Sms::body);
    sms.key("content_type", "What sms.body is.",
            codec::text("a media type, such as application/json",
                        [](auto word) { return word.find('/') != std::string_view::npos; }),
            &Sms::contentType);
    sms.key("headers",
            "Headers for the template gateway, such as \"Authorization: Bearer {password}\".",
            templateText("\"Name: value\"; " + placeholders(), isHeaderTemplate), &Sms::headers);
    sms.key("success",
            "What the answer of the template gateway contains when it took the message (a regular "
            "expression).\n"
            "Empty: any 2xx answer will do.",
            codec::text("a regular expression (ECMAScript, repetitions up to 999), or nothing",
                        sms::isRegularExpression),
            &Sms::success);
    sms.number("rate", "Messages a second that this daemon gives to the gateway. 0 = no limit.", 0,
               10'000, &Sms::rate);
    sms.number("concurrency", "Requests to the gateway at one time.", 1, 1'000, &Sms::concurrency);
    sms.key("timeout", "How long the gateway has to answer.", codec::duration(100ms, 10min),
            &Sms::timeout);
    sms.number("max_parts", "A text that needs more parts than this is refused at its push.", 1,
               255, &Sms::maxParts);
    sms.key("quiet_hours",
            "When nobody is to be woken, in the recipient's time zone; messages wait for the end. "
            "Empty: never.",
            codec::text("two times of day, such as 21:00-08:00, or nothing",
                        [](auto word) { return word.empty() || sms::QuietHours::parse(word); }),
            &Sms::quietHours);
    sms.key("time_zone",
            "The time zone of recipients of whom no better is known (a job's header Time-Zone, "
            "sms.zones).",
            codec::text("a time zone, such as Europe/Berlin",
                        [](auto word) { return sms::isTimeZone(std::string(word)); }),
            &Sms::timeZone);
    sms.key("zones",
            "Time zones by the beginning of a number, the longest that fits wins, such as "
            "\"+49=Europe/Berlin\".",
            codec::text("+DIGITS=ZONE, such as +49=Europe/Berlin", isZoneOfPrefix), &Sms::zones);
    sms.key("delivery_reports",
            "What counts as delivered: the gateway has taken the message (off), it has reported "
            "that the\n"
            "network has it (network), or that the phone has it (phone).",
            codec::choice<Config::SmsReports>({{"off", Config::SmsReports::Off},
                                               {"network", Config::SmsReports::Network},
                                               {"phone", Config::SmsReports::Phone}}),
            &Sms::deliveryReports);
    sms.key("report_url",
            "How the gateway reaches our HTTP interface, such as http://192.0.2.7:9277. Empty: "
            "http.listen, unless that has a certificate.",
            codec::text("http://... or https://..., or nothing", isHttpUrlOrNothing),
            &Sms::reportUrl);
    sms.key("report_timeout", "How long a delivery report is awaited.", codec::duration(1s, 240h),
            &Sms::reportTimeout);
    sms.key("unreported",
            "What becomes of a message without a report: dead (somebody decides), done, or "
            "retry (it may\n"
            "arrive twice).",
            codec::choice<Config::SmsUnreported>({{"dead", Config::SmsUnreported::Dead},
                                                  {"done", Config::SmsUnreported::Done},
                                                  {"retry", Config::SmsUnreported::Retry}}),
            &Sms::unreported);
}

}  // namespace restante::builder
