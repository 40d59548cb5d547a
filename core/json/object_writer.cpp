#include "core/json/object_writer.h"

#include "core/base/text.h"
#include "core/json/document.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace restante::json {

namespace {

bool needsEscape(char c) noexcept
{
    return (c >= '\0' && c < ' ') || c == '"' || c == '\\';
}

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
    if (!isUtf8(text)) {
        out += print(nlohmann::json(text));
        return;
    }
    out += '"';
    for (auto from = text.begin(); from != text.end();) {
        const auto end = std::find_if(from, text.end(), needsEscape);
        out.append(from, end);
        from = end;
        if (from != text.end()) {
            appendEscaped(out, *from++);
        }
    }
    out += '"';
}

void ObjectWriter::number(std::string_view name, std::int64_t value)
{
    begin(name);
    const fmt::format_int digits(value);
    out_.append(digits.data(), digits.size());
}

void ObjectWriter::begin(std::string_view name)
{
    if (!std::exchange(isFirst_, false)) {
        out_ += ',';
    }
    out_.append(1, '"').append(name).append("\":");
}

}  // namespace restante::json
