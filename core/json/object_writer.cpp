#include "core/json/object_writer.h"

#include "core/base/text.h"
#include "core/json/document.h"
#include "core/json/plain_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace restante::json {

namespace {

void appendEscaped(std::string& out, char c)
{
    switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    }
}

}  // namespace

void appendString(std::string& out, std::string_view text)
{
    const auto plainLength = plainPrefix(text);
    auto rest = text.substr(plainLength);
    if (!rest.empty() && !isUtf8(rest)) {
        out += toString(nlohmann::json(text));
        return;
    }
    out.append(1, '"').append(text.substr(0, plainLength));
    while (!rest.empty()) {
        const auto* const special = std::find_if(rest.begin(), rest.end(),
                                                 [](char c) { return !isPlain(c) && isAscii(c); });
        out.append(rest.begin(), special);
        if (special != rest.end()) {
            appendEscaped(out, *special);
        }
        const auto taken = static_cast<std::size_t>(special - rest.begin()) + 1;
        rest.remove_prefix(std::min(taken, rest.size()));
    }
    out += '"';
}

void ObjectWriter::number(std::string_view name, std::int64_t value)
{
    begin(name);
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    out_.append(digits.data(), end);
}

void ObjectWriter::begin(std::string_view name)
{
    if (!std::exchange(isFirst_, false)) {
        out_ += ',';
    }
    out_.append(1, '"').append(name).append("\":");
}

}  // namespace restante::json
