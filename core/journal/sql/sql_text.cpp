#include "core/journal/sql/sql_text.h"

#include "core/base/text.h"

#include <algorithm>

namespace restante::journal {

namespace {

constexpr unsigned char kFirstForeign = 0x80;  // behind ASCII

}  // namespace

std::string storable(std::string_view text)
{
    const bool fine = isUtf8(text);
    std::string out(text);
    if (fine && text.find('\0') == std::string_view::npos) {
        return out;
    }
    std::replace_if(
        out.begin(), out.end(),
        [fine](char c) {
            return c == '\0' || (!fine && static_cast<unsigned char>(c) >= kFirstForeign);
        },
        '?');
    return out;
}

std::string storableAscii(std::string_view text)
{
    std::string out(text);
    std::replace_if(
        out.begin(), out.end(),
        [](char c) { return c == '\0' || static_cast<unsigned char>(c) >= kFirstForeign; }, '?');
    return out;
}

}  // namespace restante::journal
