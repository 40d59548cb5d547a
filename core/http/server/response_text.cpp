#include "core/http/server/response_text.h"

#include <algorithm>
#include <array>
#include <boost/beast/http/status.hpp>
#include <ctime>
#include <fmt/format.h>
#include <iterator>

namespace restante::http {

namespace {

/// RFC 9110 section 6.6.1, in the fixed form of section 5.6.7. Made once a second.
std::string_view date()
{
    thread_local std::time_t made = 0;
    thread_local std::array<char, 40> text{};
    thread_local std::size_t size = 0;
    if (const auto now = std::time(nullptr); now != made) {
        std::tm fields{};
        gmtime_r(&now, &fields);
        // No locale has been set, so the names are English.
        size = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &fields);
        made = now;
    }
    return {text.data(), size};
}

/// A value from elsewhere must not become a header of its own.
void appendHeader(std::string& out, std::string_view name, std::string_view value)
{
    out.append(name).append(": ");
    std::transform(value.begin(), value.end(), std::back_inserter(out),
                   [](char c) { return c == '\r' || c == '\n' || c == '\0' ? ' ' : c; });
    out.append("\r\n");
}

bool mayHaveBody(int status)
{
    return status >= 200 && status != 204 && status != 304;
}

}  // namespace

void appendAnswer(std::string& out, const Response& response, AnswerFrame frame)
{
    const auto reason = boost::beast::http::obsolete_reason(
        boost::beast::http::int_to_status(static_cast<unsigned>(response.status)));
    fmt::format_to(std::back_inserter(out), "HTTP/1.1 {} {}\r\nDate: {}\r\n", response.status,
                   std::string_view(reason.data(), reason.size()), date());
    for (const auto& header : response.headers) {
        appendHeader(out, header.name, header.value);
    }
    if (!frame.keepAlive) {
        out.append("Connection: close\r\n");
    }
    if (!mayHaveBody(response.status)) {
        out.append("\r\n");
        return;
    }
    if (!response.contentType.empty()) {
        appendHeader(out, "Content-Type", response.contentType);
    }
    if (frame.framing == Framing::Length) {
        fmt::format_to(std::back_inserter(out), "Content-Length: {}\r\n", response.body.size());
    } else if (frame.framing == Framing::Chunked) {
        out.append("Transfer-Encoding: chunked\r\n");
    }
    out.append("\r\n");
    if (!frame.bodyless) {
        out.append(response.body);
    }
}

void appendChunk(std::string& out, std::string_view piece)
{
    if (!piece.empty()) {
        fmt::format_to(std::back_inserter(out), "{:x}\r\n", piece.size());
        out.append(piece).append("\r\n");
    }
}

void appendLastChunk(std::string& out)
{
    out.append("0\r\n\r\n");
}

}  // namespace restante::http
