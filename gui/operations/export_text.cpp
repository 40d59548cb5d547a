#include "gui/operations/export_text.h"

#include "core/base/encoding.h"
#include "core/base/text.h"
#include "core/base/timestamp.h"
#include "core/json/document.h"
#include "core/json/export_json.h"
#include "core/json/job_json.h"
#include "core/queue/job_history.h"

#include <array>
#include <nlohmann/json.hpp>

namespace restante::gui {

namespace {

constexpr std::array kColumnNames{"id",         "state",   "channel",      "topic",    "recipient",
                                  "sender",     "biz_key", "content_type", "priority", "attempt",
                                  "due",        "created", "expires",      "retry",    "size",
                                  "last_error", "body"};
static_assert(kColumnNames.size() == static_cast<std::size_t>(ExportColumn::Count_));

std::string redactedText(const Job& job)
{
    return "[" + std::to_string(job.body.size()) + " bytes]";
}

std::string timeText(TimePoint at)
{
    // A job that waits for a registration has no due time.
    return at == TimePoint::max() || at == TimePoint{} ? std::string{} : formatRfc3339(at);
}

std::string bodyCell(const Job& job, const ExportOptions& options)
{
    if (options.payload == ExportOptions::Payload::Redacted) {
        return redactedText(job);
    }
    const bool isText = isUtf8(job.body) && job.body.find('\0') == std::string::npos;
    return isText ? job.body : "base64:" + toBase64(job.body);
}

std::string cellOf(const JobView& view, ExportColumn column, const ExportOptions& options)
{
    const auto& job = view.job;
    switch (column) {
    case ExportColumn::Id: return job.id;
    case ExportColumn::State: return std::string(name(view.state));
    case ExportColumn::Channel: return std::string(name(job.channel));
    case ExportColumn::Topic: return job.topic;
    case ExportColumn::Recipient: return job.recipient;
    case ExportColumn::Sender: return job.sender;
    case ExportColumn::BizKey: return job.bizKey;
    case ExportColumn::ContentType: return job.contentType;
    case ExportColumn::Priority: return std::to_string(job.priority);
    case ExportColumn::Attempt: return std::to_string(view.countedAttempts());
    case ExportColumn::Due: return timeText(view.due);
    case ExportColumn::Created: return timeText(job.created);
    case ExportColumn::Expires: return job.expires ? timeText(*job.expires) : std::string{};
    case ExportColumn::Retry: return job.retry.toString();
    case ExportColumn::Size: return std::to_string(job.body.size());
    case ExportColumn::LastError: return view.lastError;
    case ExportColumn::Body: return bodyCell(job, options);
    case ExportColumn::Count_: break;
    }
    return {};
}

std::string csvLine(const JobView& view, const ExportOptions& options)
{
    std::string line;
    for (const auto column : options.columns) {
        line += line.empty() && column == options.columns.front() ? "" : ",";
        line += csvCell(cellOf(view, column, options), options.formulas);
    }
    return line + "\r\n";
}

std::string
jsonLine(const JobView& view, const std::vector<HistoryRow>& history, const ExportOptions& options)
{
    auto object = json::exportOf(view);
    if (options.payload == ExportOptions::Payload::Redacted) {
        object.erase("body");
        object.erase("body_base64");
        object["body_redacted"] = redactedText(view.job);
    }
    if (options.history == ExportOptions::History::With) {
        auto rows = nlohmann::json::array();
        for (const auto& row : history) {
            rows.push_back(json::jsonOf(row));
        }
        object["history"] = std::move(rows);
    }
    return json::toString(object) + "\n";
}

/// Removes line breaks, so that the text of a sender cannot begin another header.
std::string onOneLine(const std::string& value)
{
    std::string line = value;
    for (auto& character : line) {
        if (character == '\r' || character == '\n') {
            character = ' ';
        }
    }
    return line;
}

std::string sipMessage(const Job& job, const ExportOptions& options)
{
    const bool whole = options.payload == ExportOptions::Payload::Whole;
    const std::string body = whole ? job.body : std::string{};
    std::string text = "MESSAGE " + onOneLine(job.recipient) + " SIP/2.0\r\n";
    text += "To: <" + onOneLine(job.recipient) + ">\r\n";
    if (!job.sender.empty()) {
        text += "From: <" + onOneLine(job.sender) + ">\r\n";
    }
    if (!job.bizKey.empty()) {
        text += "Call-ID: " + onOneLine(job.bizKey) + "\r\n";
    }
    for (const auto& [name, value] : job.headers) {
        text += onOneLine(name) + ": " + onOneLine(value) + "\r\n";
    }
    if (!job.contentType.empty()) {
        text += "Content-Type: " + onOneLine(job.contentType) + "\r\n";
    }
    return text + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body + "\r\n\r\n";
}

}  // namespace

std::string columnName(ExportColumn column)
{
    return kColumnNames[static_cast<std::size_t>(column)];
}

std::vector<ExportColumn> allColumns()
{
    std::vector<ExportColumn> columns;
    for (int at = 0; at < static_cast<int>(ExportColumn::Count_); ++at) {
        columns.push_back(static_cast<ExportColumn>(at));
    }
    return columns;
}

std::string exportHeader(const ExportOptions& options)
{
    if (options.format != ExportFormat::Csv) {
        return {};
    }
    std::string line;
    for (const auto column : options.columns) {
        line += (line.empty() ? "" : ",") + columnName(column);
    }
    return line + "\r\n";
}

std::optional<std::string> exportLine(const JobView& view,
                                      const std::vector<HistoryRow>& history,
                                      const ExportOptions& options)
{
    switch (options.format) {
    case ExportFormat::Csv: return csvLine(view, options);
    case ExportFormat::JsonLines: return jsonLine(view, history, options);
    case ExportFormat::Sip:
        return view.job.channel == Channel::Sip ? std::optional(sipMessage(view.job, options))
                                                : std::nullopt;
    }
    return std::nullopt;
}

}  // namespace restante::gui
