#include "core/sms/template_text.h"

#include "core/base/encoding.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <regex>
#include <utility>

namespace restante::sms {

namespace {

using ValueMember = std::string TemplateValues::*;
constexpr std::array<std::pair<std::string_view, ValueMember>, 8> kPlaceholders{{
    {"to", &TemplateValues::to},
    {"text", &TemplateValues::text},
    {"from", &TemplateValues::from},
    {"id", &TemplateValues::id},
    {"coding", &TemplateValues::coding},
    {"user", &TemplateValues::user},
    {"password", &TemplateValues::password},
    {"report_url", &TemplateValues::reportUrl},
}};

std::optional<ValueMember> memberOf(std::string_view name)
{
    const auto* found =
        std::ranges::find(kPlaceholders, name, &std::pair<std::string_view, ValueMember>::first);
    return found == kPlaceholders.end() ? std::nullopt : std::optional{found->second};
}

/// A piece of a template: literal text, or a value.
struct Piece {
    std::string_view literal;
    std::optional<ValueMember> member;
    bool isInvalid = false;
};

/// Removes the first piece from `text` and returns it.
Piece nextPiece(std::string_view& text)
{
    const auto take = [&](std::size_t size) {
        const auto head = text.substr(0, size);
        text.remove_prefix(head.size());
        return head;
    };
    if (text.starts_with("{{") || text.starts_with("}}")) {
        return {take(2).substr(1), {}};
    }
    if (text.front() == '}') {
        return {take(1), {}, true};
    }
    if (text.front() == '{') {
        const auto end = text.find('}');
        const auto braced = take(end == std::string_view::npos ? end : end + 1);
        const auto member = braced.size() > 2 && braced.back() == '}'
                                ? memberOf(braced.substr(1, braced.size() - 2))
                                : std::nullopt;
        return {braced, member, !member};
    }
    return {take(text.find_first_of("{}")), {}};
}

/// Whether each back reference and repetition of an expression has a number of three digits at the
/// most: std::regex does not check these numbers for overflow.
bool hasShortNumbers(std::string_view text)
{
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '\\' && text[at] != '{') {
            continue;
        }
        const auto number = text.substr(at + 1);
        const auto length = std::min(number.find_first_not_of("0123456789,"), number.size());
        std::size_t digits = 0;
        for (const char c : number.substr(0, length)) {
            digits = c == ',' ? 0 : digits + 1;
            if (digits > 3) {
                return false;
            }
        }
        at += text[at] == '\\' ? std::max<std::size_t>(length, 1) : length;
    }
    return true;
}

}  // namespace

std::optional<std::string> unknownPlaceholder(std::string_view text)
{
    while (!text.empty()) {
        if (const auto piece = nextPiece(text); piece.isInvalid) {
            return std::string(piece.literal);
        }
    }
    return {};
}

std::string fill(std::string_view text, const TemplateValues& values, const Escape& escape)
{
    std::string out;
    while (!text.empty()) {
        const auto piece = nextPiece(text);
        out += piece.member ? escape(values.*(*piece.member)) : std::string(piece.literal);
    }
    return out;
}

Escape escapeFor(std::string_view contentType)
{
    // A media type has no case: RFC 9110 section 8.3.1.
    const auto type = lowered(contentType.substr(0, contentType.find(';')));
    if (type.find("json") != std::string::npos) {
        return jsonEscaped;
    }
    if (type.find("x-www-form-urlencoded") != std::string::npos) {
        return [](std::string_view value) { return percentEncoded(value); };
    }
    if (type.find("xml") != std::string::npos) {
        return xmlEscaped;
    }
    return [](std::string_view value) { return std::string(value); };
}

bool isRegularExpression(std::string_view text)
{
    if (!hasShortNumbers(text)) {
        return false;
    }
    try {
        // libstdc++ looks one past the end behind an open bracket: a string has a byte there.
        (void)std::regex(std::string(text));
        return true;
    } catch (const std::regex_error&) {
        return false;
    }
}

}  // namespace restante::sms
