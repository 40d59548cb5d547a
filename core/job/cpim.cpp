#include "core/job/cpim.h"

#include "core/base/text.h"

#include <algorithm>

namespace restante {

namespace {

/// More header lines than any client writes; a body with more is not parsed.
constexpr std::size_t kMostHeaders = 200;

/// Removes the next line from `rest` and returns it without its end; nothing when no complete line
/// is left.
std::optional<std::string_view> takeLine(std::string_view& rest)
{
    const auto end = rest.find('\n');
    if (end == std::string_view::npos) {
        return {};
    }
    auto line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (line.ends_with('\r')) {
        line.remove_suffix(1);
    }
    return line;
}

}  // namespace

bool isPrintableLine(std::string_view text) noexcept
{
    return std::ranges::none_of(text, [](char c) { return isAsciiControl(c) && c != '\t'; });
}

std::optional<CpimMessage> CpimMessage::parse(std::string_view body)
{
    CpimMessage message;
    for (auto* block : {&message.headers_, &message.contentHeaders_}) {
        for (;;) {
            const auto line = takeLine(body);
            if (!line || !isPrintableLine(*line) || block->size() > kMostHeaders) {
                return {};
            }
            if (line->empty()) {
                break;
            }
            // A folded line (RFC 5322 section 2.2.3); the parameters in it are not used.
            const bool isFolded = line->front() == ' ' || line->front() == '\t';
            if (isFolded && block == &message.contentHeaders_ && !block->empty()) {
                continue;
            }
            const auto colon = line->find(':');
            if (colon == std::string_view::npos || colon == 0) {
                return {};
            }
            auto name = line->substr(0, colon);
            const auto dot = name.find('.');
            const auto prefix =
                dot == std::string_view::npos ? std::string_view{} : name.substr(0, dot);
            name.remove_prefix(dot == std::string_view::npos ? 0 : dot + 1);
            block->push_back({prefix, name, trimmed(line->substr(colon + 1))});
        }
    }
    for (const auto& header : message.headers_) {
        const auto open = header.value.find('<');
        const auto close = header.value.rfind('>');
        if (header.prefix.empty() && header.name == "NS" && open < close &&
            close != std::string_view::npos) {
            message.namespaces_.emplace_back(trimmed(header.value.substr(0, open)),
                                             header.value.substr(open + 1, close - open - 1));
        }
    }
    message.content_ = body;
    return message;
}

std::string_view CpimMessage::namespaceOf(const Header& header) const
{
    if (header.prefix.empty()) {
        return {};
    }
    const auto found = std::ranges::find(namespaces_, header.prefix,
                                         &std::pair<std::string_view, std::string_view>::first);
    if (found != namespaces_.end()) {
        return found->second;
    }
    return header.prefix == "imdn" ? kImdnNamespace : header.prefix;
}

std::vector<std::string_view> CpimMessage::headers(std::string_view namespaceUri,
                                                   std::string_view name) const
{
    std::vector<std::string_view> values;
    for (const auto& header : headers_) {
        if (header.name == name && namespaceOf(header) == namespaceUri) {
            values.push_back(header.value);
        }
    }
    return values;
}

std::optional<std::string_view> CpimMessage::header(std::string_view namespaceUri,
                                                    std::string_view name) const
{
    const auto values = headers(namespaceUri, name);
    return values.empty() ? std::nullopt : std::optional{values.front()};
}

std::optional<std::string_view> CpimMessage::contentHeader(std::string_view name) const
{
    for (const auto& header : contentHeaders_) {
        if (header.prefix.empty() && equalIgnoringCase(header.name, name)) {
            return header.value;
        }
    }
    return {};
}

std::string formatCpim(const CpimParts& parts)
{
    std::string text;
    for (const auto* block : {&parts.headers, &parts.contentHeaders}) {
        for (const auto& [name, value] : *block) {
            text += name + ": " + value + "\r\n";
        }
        text += "\r\n";
    }
    return text + parts.content;
}

std::string_view uriOfCpimAddress(std::string_view address)
{
    const auto close = address.rfind('>');
    const auto open = address.rfind('<', close);
    if (close == std::string_view::npos || open == std::string_view::npos) {
        return trimmed(address);
    }
    return address.substr(open + 1, close - open - 1);
}

std::string_view mediaType(std::string_view contentType)
{
    return trimmed(contentType.substr(0, contentType.find(';')));
}

}  // namespace restante
