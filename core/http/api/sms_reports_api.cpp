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
/// The bytes of the network's answer that are kept.
constexpr std::size_t kLongestNetworkAnswer = 160;
/// Anybody who reaches us may send a report, so it is small: five short fields.
constexpr std::size_t kLargestReport = 8'192;

/// application/x-www-form-urlencoded; what is no escape stays as it is.
std::string formDecoded(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escape = text[i] == '%' && i + 2 < text.size() &&
                            hexDigitValue(text[i + 1]) >= 0 && hexDigitValue(text[i + 2]) >= 0;
        if (escape) {
            out += static_cast<char>(hexDigitValue(text[i + 1]) * 16 + hexDigitValue(text[i + 2]));
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
    return type && startsWithIgnoringCase(*type, "application/x-www-form-urlencoded");
}

/// A parameter of the query, else of the form.
std::string parameterOf(const Request& request, std::string_view name)
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

/// In printable ASCII, because it becomes last_error.
std::string printableAnswer(std::string text)
{
    text.resize(std::min(text.size(), kLongestNetworkAnswer));
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c > '~'; }, ' ');
    return std::string(trimmedAtEnd(text, " "));
}

json::Parsed<DeliveryReports::Report> reportOf(const Request& request)
{
    DeliveryReports::Report report;
    report.sent.id = TRY(checkedJobId(parameterOf(request, "id")).map_error(json::fieldErrorOf));
    const auto attempt = parameterOf(request, "attempt");
    report.sent.attempt = wholeNumber<decltype(report.sent.attempt)>(attempt).value_or(0);
    if (report.sent.attempt == 0) {
        return fieldError("attempt", "is a whole number from 1");
    }
    const auto status = sms::reportStatusOf(parameterOf(request, "status"));
    if (!status) {
        return fieldError("status",
                          "is 1, 2, 4, 8 or 16 (Kannel), or a word such as delivered or failed");
    }
    report.status = *status;
    report.token = parameterOf(request, "token");
    report.networkText = printableAnswer(parameterOf(request, "answer"));
    return report;
}

void handleReport(DeliveryReports& reports, const HttpCallPtr& call)
{
    auto report = reportOf(call->request());
    if (!report) {
        return call->respond(errorResponse(report.error()));
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

void addSmsReportRoutes(Router& router, DeliveryReports& reports)
{
    for (const char* method : {"GET", "POST"}) {
        router.add({.method = method,
                    .pattern = std::string(kPath),
                    .scope = Scope::Push,
                    .dialect = Dialect::V1,
                    .handler = [&reports](HttpCallPtr call) { handleReport(reports, call); },
                    .open = true,
                    .safe = false,
                    .bodyLimit = kLargestReport});
    }
}

}  // namespace restante::http
