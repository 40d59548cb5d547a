#include "tests/support/sip_text.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <random>

namespace restante::test {

namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHeadEnd = "\r\n\r\n";

std::string_view longName(std::string_view name)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kCompact{
        {{"v", "Via"},
         {"f", "From"},
         {"t", "To"},
         {"i", "Call-ID"},
         {"m", "Contact"},
         {"c", "Content-Type"},
         {"l", "Content-Length"}}};
    for (const auto& [compact, full] : kCompact) {
        if (equalIgnoringCase(name, compact)) {
            return full;
        }
    }
    return name;
}

std::size_t contentLength(std::string_view value)
{
    std::size_t length = 0;
    std::from_chars(value.data(), value.data() + value.size(), length);
    return length;
}

std::string word(const std::string& line, std::size_t index)
{
    std::size_t begin = 0;
    for (; index > 0; --index) {
        begin = line.find(' ', begin);
        if (begin == std::string::npos) {
            return {};
        }
        ++begin;
    }
    return line.substr(begin, line.find(' ', begin) - begin);
}

std::optional<SipText> parseHead(std::string_view head)
{
    SipText message;
    auto end = head.find(kLineEnd);
    message.startLine = head.substr(0, end);
    while (end != std::string_view::npos) {
        head.remove_prefix(end + kLineEnd.size());
        end = head.find(kLineEnd);
        const auto line = head.substr(0, end);
        if (!line.empty() && (line.front() == ' ' || line.front() == '\t')) {
            if (message.headers.empty()) {
                return std::nullopt;
            }
            auto& value = message.headers.back().second;
            if (const auto more = trimmed(line, kSpace); !more.empty()) {
                value.append(value.empty() ? "" : " ").append(more);
            }
            continue;
        }
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) {
            return std::nullopt;
        }
        message.headers.emplace_back(longName(trimmed(line.substr(0, colon), kSpace)),
                                     trimmed(line.substr(colon + 1), kSpace));
    }
    return message;
}

}  // namespace

std::optional<SipText> SipText::parse(std::string_view text)
{
    const auto headEnd = text.find(kHeadEnd);
    if (headEnd == std::string_view::npos) {
        return std::nullopt;
    }
    auto message = parseHead(text.substr(0, headEnd));
    if (!message || message->startLine.find("SIP/2.0") == std::string::npos) {
        return std::nullopt;
    }
    message->body = text.substr(headEnd + kHeadEnd.size());
    if (message->has("Content-Length")) {
        const auto length = contentLength(message->header("Content-Length"));
        if (length > message->body.size()) {
            return std::nullopt;
        }
        message->body.resize(length);
    }
    return message;
}

std::string SipText::toString() const
{
    std::string text = startLine + "\r\n";
    for (const auto& [name, value] : headers) {
        if (!equalIgnoringCase(name, "Content-Length")) {
            text.append(name).append(": ").append(value).append(kLineEnd);
        }
    }
    text.append("Content-Length: ").append(std::to_string(body.size())).append(kHeadEnd);
    return text.append(body);
}

int SipText::status() const
{
    return startLine.starts_with("SIP/2.0 ") ? static_cast<int>(contentLength(word(startLine, 1)))
                                             : 0;
}

std::string SipText::method() const
{
    return status() != 0 ? std::string{} : word(startLine, 0);
}

std::string SipText::requestUri() const
{
    return word(startLine, 1);
}

std::string SipText::header(std::string_view name) const
{
    for (const auto& [each, value] : headers) {
        if (equalIgnoringCase(each, name)) {
            return value;
        }
    }
    return {};
}

std::vector<std::string> SipText::all(std::string_view name) const
{
    std::vector<std::string> values;
    for (const auto& [each, value] : headers) {
        if (equalIgnoringCase(each, name)) {
            values.push_back(value);
        }
    }
    return values;
}

bool SipText::has(std::string_view name) const
{
    return !all(name).empty();
}

SipText& SipText::set(std::string_view name, std::string value)
{
    for (auto& [each, old] : headers) {
        if (equalIgnoringCase(each, name)) {
            old = std::move(value);
            return *this;
        }
    }
    headers.emplace_back(name, std::move(value));
    return *this;
}

SipText& SipText::remove(std::string_view name)
{
    std::erase_if(headers, [&](const auto& each) { return equalIgnoringCase(each.first, name); });
    return *this;
}

std::string SipText::branch() const
{
    const auto via = header("Via");
    constexpr std::string_view kBranch = ";branch=";
    const auto found = via.find(kBranch);
    if (found == std::string::npos) {
        return {};
    }
    const auto begin = found + kBranch.size();
    return via.substr(begin, via.find_first_of(";, ", begin) - begin);
}

SipText SipText::answer(int status, std::string_view phrase) const
{
    SipText response;
    response.startLine = "SIP/2.0 " + std::to_string(status) + " " + std::string(phrase);
    for (const auto& via : all("Via")) {
        response.headers.emplace_back("Via", via);
    }
    response.set("From", header("From"));
    const auto to = header("To");
    response.set("To", to.find(";tag=") == std::string::npos ? to + ";tag=" + uniqueToken() : to);
    response.set("Call-ID", header("Call-ID"));
    response.set("CSeq", header("CSeq"));
    return response;
}

std::optional<std::size_t> messageLength(std::string_view stream)
{
    const auto headEnd = stream.find(kHeadEnd);
    if (headEnd == std::string_view::npos) {
        return std::nullopt;
    }
    const auto head = parseHead(stream.substr(0, headEnd));
    const auto body = head ? contentLength(head->header("Content-Length")) : 0;
    const auto length = headEnd + kHeadEnd.size() + body;
    return length <= stream.size() ? std::optional(length) : std::nullopt;
}

std::string uniqueToken()
{
    static const auto process = std::to_string(std::random_device{}());
    static std::atomic<unsigned> count{0};
    return process + "x" + std::to_string(++count);
}

}  // namespace restante::test
