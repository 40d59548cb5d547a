#include "core/base/encoding.h"
#include "core/delivery/sms/gateway_answer.h"
#include "core/delivery/sms/gateways.h"
#include "core/sms/template_text.h"

#include <fmt/format.h>
#include <utility>

namespace restante::sms {

namespace {

using delivery::HttpAnswer;
using delivery::HttpRequest;
using delivery::Outcome;

/// The reports that we ask for (dlr-mask): 1 the phone has it, 2 the phone does not get it, 8 the
/// network has it, 16 the network has refused it. 4, "waits at the network", ends nothing.
std::string_view maskFor(Config::SmsReports reports)
{
    return reports == Config::SmsReports::Network ? "26" : "19";
}

/// Kannel takes % in a dlr-url for the beginning of an escape of its own, and %% for a %.
std::string withoutEscapes(std::string_view url)
{
    std::string out;
    for (const char c : url) {
        out.append(c == '%' ? 2 : 1, c);
    }
    return out;
}

class KannelGateway final : public Gateway {
public:
    KannelGateway(const Config::Sms& config, std::string password)
        : url_(config.url),
          user_(config.user),
          password_(std::move(password)),
          reports_(config.deliveryReports)
    {
    }

    HttpRequest requestFor(const Message& message) const override
    {
        std::string url = url_;
        const auto add = [&url](std::string_view name, std::string_view value) {
            url += url.find('?') == std::string::npos ? '?' : '&';
            url += fmt::format("{}={}", name, percentEncoded(value));
        };
        add("username", user_);
        add("password", password_);
        if (!message.from.empty()) {
            add("from", message.from);
        }
        add("to", message.to);
        add("coding", message.coding == Coding::Gsm7 ? "0" : "2");
        add("charset", "UTF-8");
        add("text", message.text);
        if (!message.reportUrl.empty()) {
            add("dlr-mask", maskFor(reports_));
            add("dlr-url", withoutEscapes(message.reportUrl) + "&status=%d&answer=%A");
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
        return taken ? Outcome{} : refusalOf(name(), answer);
    }

    std::string name() const override { return hostOf(url_); }

private:
    std::string url_;
    std::string user_;
    std::string password_;
    Config::SmsReports reports_;
};

}  // namespace

std::unique_ptr<Gateway> kannelGateway(const Config::Sms& config, std::string password)
{
    return std::make_unique<KannelGateway>(config, std::move(password));
}

}  // namespace restante::sms
