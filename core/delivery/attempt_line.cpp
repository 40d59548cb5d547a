#include "core/delivery/attempt_line.h"

#include "core/base/text.h"
#include "core/base/timestamp.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace restante::delivery {

namespace {

constexpr std::size_t kLongestRequest = 240;
constexpr std::size_t kLongestVia = 80;
constexpr std::size_t kLongestAnswer = 220;
/// The bytes of a body that are kept: enough for a sentence; more of a page of HTML says nothing.
constexpr std::size_t kLongestExcerpt = 120;

constexpr std::array<std::pair<int, std::string_view>, 26> kPhrases{{
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {500, "Internal Server Error"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
}};

std::string statusText(int status)
{
    const auto* phrase =
        std::ranges::find_if(kPhrases, [status](const auto& one) { return one.first == status; });
    return phrase == kPhrases.end() ? fmt::format("{:03}", status)
                                    : fmt::format("{} {}", status, phrase->second);
}

/// Replaces blanks, which separate the fields of the line.
std::string oneWord(std::string_view text, std::size_t most)
{
    auto word = oneLineExcerpt(text, most);
    std::ranges::replace(word, ' ', '_');
    return word;
}

/// "GET http://..." is two words, of which only the second may be anything.
std::string requestText(std::string_view request)
{
    const auto space = request.find(' ');
    const auto method = request.substr(0, space == std::string_view::npos ? 0 : space);
    const bool isMethod =
        !method.empty() && std::ranges::all_of(method, [](char c) { return c >= 'A' && c <= 'Z'; });
    if (!isMethod) {
        return oneWord(request, kLongestRequest);
    }
    return fmt::format("{} {}", method.substr(0, 16),
                       oneWord(request.substr(space + 1), kLongestRequest));
}

}  // namespace

std::string oneLineExcerpt(std::string_view text, std::size_t most)
{
    const bool isCut = text.size() > most;
    auto end = std::min(text.size(), most);
    while (isCut && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
        --end;
    }
    std::string words(text.substr(0, end));
    const bool isText = isUtf8(words);
    bool isAfterSpace = true;  // also at the beginning
    std::string out;
    for (const char c : words) {
        const auto byte = static_cast<unsigned char>(c);
        const bool isSpace = byte <= 0x20 || byte == 0x7f;
        if (isSpace && isAfterSpace) {
            continue;
        }
        out += isSpace ? ' ' : byte >= 0x80 && !isText ? '?' : c;
        isAfterSpace = isSpace;
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out;
}

std::string withoutQuery(std::string_view url)
{
    const auto query = url.find('?');
    return query == std::string_view::npos ? std::string(url)
                                           : std::string(url.substr(0, query)) + "?...";
}

void setHttpResult(AttemptLine& line, const HttpResult& result, Millis waited)
{
    line.answered = result.has_value();
    line.elapsed = result ? result->elapsed : waited;
    if (!result) {
        line.answer = result.error().message;
        return;
    }
    line.answer = statusText(result->status);
    const bool isSuccess = result->status >= 200 && result->status < 300;
    const auto words = isSuccess ? std::string{} : oneLineExcerpt(result->body, kLongestExcerpt);
    if (!words.empty()) {
        line.answer += ": " + words;
    }
}

std::string toString(const AttemptLine& line)
{
    const auto via = line.via.empty() ? std::string{} : " via " + oneWord(line.via, kLongestVia);
    std::string end;
    if (line.elapsed) {
        end = fmt::format(" ({}{} ms)", line.answered ? "" : "no answer, ", line.elapsed->count());
    }
    return fmt::format("attempt {}: {} {}{} {}{}\n", line.attempt, formatRfc3339(line.sent),
                       requestText(line.request), via, oneLineExcerpt(line.answer, kLongestAnswer),
                       end);
}

}  // namespace restante::delivery
