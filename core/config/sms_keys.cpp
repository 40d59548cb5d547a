#include "core/config/key_builder.h"
#include "core/sms/phone_number.h"
#include "core/sms/quiet_hours.h"
#include "core/sms/template_text.h"

namespace restante::builder {

namespace {
using namespace std::chrono_literals;

bool isHttpUrl(std::string_view word)
{
    const auto rest = word.starts_with("http://")    ? word.substr(7)
                      : word.starts_with("https://") ? word.substr(8)
                                                     : std::string_view{};
    return !rest.empty() && rest.front() != '/' && word.find(' ') == std::string_view::npos;
}

bool isHttpUrlOrNothing(std::string_view word)
{
    return word.empty() || isHttpUrl(word);
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
    return equals != std::string_view::npos && sms::isPrefix(word.substr(0, equals)) &&
           sms::isTimeZone(std::string(word.substr(equals + 1)));
}

std::string placeholders()
{
    return "{to}, {text}, {from}, {id}, {coding}, {user}, {password}, {report_url} are filled in";
}

void addGateway(std::vector<ConfigKey>& keys)
{
    keys.push_back(one<Config::SmsGateway>(
        {"sms.gateway", "What sends text messages: Kannel's sendsms, any other gateway with an "
                        "HTTP interface (template),\n"
                        "or nothing (off: jobs of the channel sms are refused). docs/sms.md."},
        codec::choice<Config::SmsGateway>({{"off", Config::SmsGateway::Off},
                                           {"kannel", Config::SmsGateway::Kannel},
                                           {"template", Config::SmsGateway::Template}}),
        [](auto& c) -> auto& { return c.sms.gateway; }));
    keys.push_back(one<std::string>(
        {"sms.url",
         "Where the gateway listens, such as http://127.0.0.1:13013/cgi-bin/sendsms. It is yours, "
         "so any\naddress is allowed. With template,\n" +
             placeholders() + "."},
        codec::text(
            "http://... or https://..., or nothing; " + placeholders(),
            [](auto word) { return isHttpUrlOrNothing(word) && !sms::unknownPlaceholder(word); }),
        [](auto& c) -> auto& { return c.sms.url; }));
    keys.push_back(one<std::string>(
        {"sms.user", "The name with which we enter at the gateway."},
        codec::text("a name, or nothing"), [](auto& c) -> auto& { return c.sms.user; }));
    keys.push_back(one<std::filesystem::path>(
        {"sms.password_file", "A file whose first line is the gateway's password."}, codec::path(),
        [](auto& c) -> auto& { return c.sms.passwordFile; }));
    keys.push_back(one<std::string>(
        {"sms.from", "The sender that people see when a job names none."},
        codec::text("a phone number or up to 11 letters and digits, or nothing",
                    [](auto word) { return word.empty() || sms::isSender(word); }),
        [](auto& c) -> auto& { return c.sms.from; }));
}

void addTemplate(std::vector<ConfigKey>& keys)
{
    const auto isTemplate = [](auto word) { return !sms::unknownPlaceholder(word); };
    keys.push_back(one<std::string>(
        {"sms.method", "How the template gateway is called."},
        codec::text("GET, POST or PUT",
                    [](auto word) { return word == "GET" || word == "POST" || word == "PUT"; }),
        [](auto& c) -> auto& { return c.sms.method; }));
    keys.push_back(one<std::string>(
        {"sms.body", "The body for the template gateway; what is filled in is escaped as "
                     "sms.content_type needs it."},
        codec::text(placeholders() + "; {{ and }} are braces", isTemplate),
        [](auto& c) -> auto& { return c.sms.body; }));
    keys.push_back(one<std::string>(
        {"sms.content_type", "What sms.body is."},
        codec::text("a media type, such as application/json",
                    [](auto word) { return word.find('/') != std::string_view::npos; }),
        [](auto& c) -> auto& { return c.sms.contentType; }));
    keys.push_back(many<std::string>(
        {"sms.headers",
         "Headers for the template gateway, such as \"Authorization: Bearer {password}\"."},
        codec::text("\"Name: value\"; " + placeholders(), isHeaderTemplate),
        [](auto& c) -> auto& { return c.sms.headers; }));
    keys.push_back(one<std::string>(
        {"sms.success", "What the answer of the template gateway contains when it took the message "
                        "(a regular expression).\n"
                        "Empty: any 2xx answer will do."},
        codec::text("a regular expression (ECMAScript), or nothing", sms::isExpression),
        [](auto& c) -> auto& { return c.sms.success; }));
}

void addPace(std::vector<ConfigKey>& keys)
{
    constexpr std::uint64_t kFastest = 10'000;
    keys.push_back(one<std::uint32_t>(
        {"sms.rate", "Messages a second that this daemon gives to the gateway. 0 = no limit."},
        codec::number<std::uint32_t>(0, kFastest), [](auto& c) -> auto& { return c.sms.rate; }));
    keys.push_back(one<std::uint32_t>(
        {"sms.concurrency", "Requests to the gateway at one time."},
        codec::number<std::uint32_t>(1, 1'000),
        [](auto& c) -> auto& { return c.sms.concurrency; }));
    keys.push_back(one<Millis>(
        {"sms.timeout", "How long the gateway has to answer."}, codec::duration(100ms, 10min),
        [](auto& c) -> auto& { return c.sms.timeout; }));
    keys.push_back(one<std::uint32_t>(
        {"sms.max_parts", "A text that needs more parts than this is refused at its push."},
        codec::number<std::uint32_t>(1, 255), [](auto& c) -> auto& { return c.sms.maxParts; }));
    keys.push_back(one<std::string>(
        {"sms.quiet_hours", "When nobody is to be woken, in the recipient's time zone; messages "
                            "wait for the end. Empty: never."},
        codec::text("two times of day, such as 21:00-08:00, or nothing",
                    [](auto word) { return word.empty() || sms::QuietHours::parse(word); }),
        [](auto& c) -> auto& { return c.sms.quietHours; }));
    keys.push_back(one<std::string>(
        {"sms.time_zone", "The time zone of recipients of whom no better is known (a job's header "
                          "Time-Zone, sms.zones)."},
        codec::text("a time zone, such as Europe/Berlin",
                    [](auto word) { return sms::isTimeZone(std::string(word)); }),
        [](auto& c) -> auto& { return c.sms.timeZone; }));
    keys.push_back(many<std::string>(
        {"sms.zones", "Time zones by the beginning of a number, the longest that fits wins, such "
                      "as \"+49=Europe/Berlin\"."},
        codec::text("+DIGITS=ZONE, such as +49=Europe/Berlin", isZoneOfPrefix),
        [](auto& c) -> auto& { return c.sms.zones; }));
}

void addReports(std::vector<ConfigKey>& keys)
{
    keys.push_back(one<Config::SmsReports>(
        {"sms.delivery_reports",
         "What counts as delivered: the gateway has taken the message (off), it has reported that "
         "the\n"
         "network has it (network), or that the phone has it (phone)."},
        codec::choice<Config::SmsReports>({{"off", Config::SmsReports::Off},
                                           {"network", Config::SmsReports::Network},
                                           {"phone", Config::SmsReports::Phone}}),
        [](auto& c) -> auto& { return c.sms.deliveryReports; }));
    keys.push_back(one<std::string>(
        {"sms.report_url", "How the gateway reaches our HTTP interface, such as "
                           "http://192.0.2.7:9277. Empty: http.listen."},
        codec::text("http://... or https://..., or nothing", isHttpUrlOrNothing),
        [](auto& c) -> auto& { return c.sms.reportUrl; }));
    keys.push_back(one<Millis>(
        {"sms.report_timeout", "How long a delivery report is awaited."}, codec::duration(1s, 240h),
        [](auto& c) -> auto& { return c.sms.reportTimeout; }));
    keys.push_back(one<Config::SmsUnreported>(
        {"sms.unreported",
         "What becomes of a message without a report: dead (somebody decides), done, or retry (it "
         "may\narrive twice)."},
        codec::choice<Config::SmsUnreported>({{"dead", Config::SmsUnreported::Dead},
                                              {"done", Config::SmsUnreported::Done},
                                              {"retry", Config::SmsUnreported::Retry}}),
        [](auto& c) -> auto& { return c.sms.unreported; }));
}
}  // namespace

void addSms(std::vector<ConfigKey>& keys)
{
    addGateway(keys);
    addTemplate(keys);
    addPace(keys);
    addReports(keys);
}

}  // namespace restante::builder
