#include "core/base/encoding.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/delivery/sms/delivery_reports.h"
#include "core/http/api/api_reply.h"
#include "core/http/api/v1_api.h"

#include <algorithm>

namespace restante::http {

namespace {

using sms::DeliveryReports;

constexpr std::string_view kPath = "/v1/sms/reports";
/// The network's words that are kept.
constexpr std::size_t kLongestNetworkAnswer = 160;
/// Whoever reaches us may send one: five short fields.
constexpr std::size_t kLargestReport = 8'192;

/// application/x-www-form-urlencoded; what is no escape stays as it is.
std::string formDecoded(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escape = text[i] == '%' && i + 2 < text.size() && hexDigit(text[i + 1]) >= 0 &&
                            hexDigit(text[i + 2]) >= 0;
        if (escape) {
            out += static_cast<char>(hexDigit(text[i + 1]) * 16 + hexDigit(text[i + 2]));
            i += 2;
        } else {
            out += text[i] == '+' ? ' ' : text[i];
        }
    }
    return out;
}

bool hasForm(const Request& request)
{
    const auto type = request.header("Content-Type");
    return type && type->starts_with("application/x-www-form-urlencoded");
}

/// A parameter of the query, else of the form.
std::string field(const Request& request, std::string_view name)
{
    if (const auto value = request.parameter(name)) {
        return std::string(*value);
    }
    const auto form = hasForm(request) ? std::string_view(request.body) : std::string_view{};
    for (const auto pair : split(form, '&')) {
        const auto equals = std::min(pair.find('='), pair.size());
        if (pair.substr(0, equals) == name) {
            return formDecoded(pair.substr(std::min(equals + 1, pair.size())));
        }
    }
    return {};
}

/// Printable ASCII, as it ends in last_error.
std::string wordsOf(std::string text)
{
    text.resize(std::min(text.size(), kLongestNetworkAnswer));
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c > '~'; }, ' ');
    return std::string(trimmedAtEnd(text, " "));
}

json::Parsed<DeliveryReports::Report> reportOf(const Request& request)
{
    DeliveryReports::Report report;
    report.sent.id = TRY(checkedJobId(field(request, "id")).map_error(json::fieldErrorOf));
    const auto attempt = field(request, "attempt");
    report.sent.attempt = wholeNumber<decltype(report.sent.attempt)>(attempt).value_or(0);
    if (report.sent.attempt == 0) {
        return wrong("attempt", "is a whole number from 1");
    }
    const auto status = sms::reportStatusOf(field(request, "status"));
    if (!status) {
        return wrong("status",
                     "is 1, 2, 4, 8 or 16 (Kannel), or a word such as delivered or failed");
    }
    report.status = *status;
    report.token = field(request, "token");
    report.words = wordsOf(field(request, "answer"));
    return report;
}

void handle(DeliveryReports& reports, const HttpCallPtr& call)
{
    auto report = reportOf(call->request());
    if (!report) {
        return call->respond(refused(report.error()));
    }
    reports.handle(std::move(*report), [call](const Result<void>& taken) {
        if (taken) {
            call->respond({.status = 204, .contentType = {}});
        } else if (taken.error().code == ErrorCode::Denied) {
            call->respond(problem(403, "Forbidden", taken.error().message, "token"));
        } else {
            call->respond(problemOf(taken.error()));
        }
    });
}

}  // namespace

void addSmsReports(Router& router, DeliveryReports& reports)
{
    for (const char* method : {"GET", "POST"}) {
        router.add({.method = method,
                    .pattern = std::string(kPath),
                    .scope = Scope::Push,
                    .dialect = Dialect::V1,
                    .handler = [&reports](HttpCallPtr call) { handle(reports, call); },
                    .open = true,
                    .safe = false,
                    .body = kLargestReport});
    }
}

}  // namespace restante::http
