#include "core/base/encoding.h"
#include "core/delivery/sms/gateway_answer.h"
#include "core/delivery/sms/gateways.h"
#include "core/sms/template_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <regex>
#include <utility>

namespace restante::sms {

namespace {

using delivery::HttpAnswer;
using delivery::HttpRequest;
using delivery::Outcome;

/// How much of an answer the expression sees: std::regex descends once a character, and what a
/// gateway has to say comes first.
constexpr std::size_t kMostSearched = 4'096;

std::string escapedInUrl(std::string_view value)
{
    return percentEncoded(value);
}

class TemplateGateway final : public Gateway {
public:
    TemplateGateway(const Config::Sms& config, std::string password)
        : config_(config),
          password_(std::move(password)),
          escape_(escapeFor(config.contentType)),
          success_(config.success)
    {
    }

    HttpRequest requestFor(const Message& message) const override
    {
        const TemplateValues values{.to = message.to,
                                    .text = message.text,
                                    .from = message.from,
                                    .id = message.id,
                                    .coding = message.coding == Coding::Gsm7 ? "0" : "2",
                                    .user = config_.user,
                                    .password = password_,
                                    .reportUrl = message.reportUrl};
        HttpRequest request{.method = config_.method,
                            .url = fill(config_.url, values, escapedInUrl)};
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
            return refusalOf(name(), answer);
        }
        if (!config_.success.empty() &&
            !std::regex_search(answer.body.substr(0, kMostSearched), success_)) {
            return {Outcome::Kind::Retry, fmt::format("{} from {}, which is not sms.success: {}",
                                                      answer.status, name(), wordsOf(answer))};
        }
        return {};
    }

    std::string name() const override { return hostOf(config_.url); }

private:
    static std::pair<std::string, std::string> headerOf(const std::string& header,
                                                        const TemplateValues& values)
    {
        // A line break in a value would begin a header of its own.
        const auto oneLine = [](std::string_view value) {
            std::string line(value);
            std::replace_if(
                line.begin(), line.end(), [](unsigned char c) { return c < 0x20; }, ' ');
            return line;
        };
        const auto colon = header.find(':');
        const auto begin = header.find_first_not_of(' ', colon + 1);
        return {header.substr(0, colon),
                begin == std::string::npos ? "" : fill(header.substr(begin), values, oneLine)};
    }

    Config::Sms config_;
    std::string password_;
    Escape escape_;
    std::regex success_;
};

}  // namespace

std::unique_ptr<Gateway> templateGateway(const Config::Sms& config, std::string password)
{
    return std::make_unique<TemplateGateway>(config, std::move(password));
}

}  // namespace restante::sms
