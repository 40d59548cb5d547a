#include "core/journal/sql/sql_text.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace restante::journal {

namespace {

constexpr unsigned char kFirstForeign = 0x80;  // behind ASCII

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> kValues = [] {
    std::array<std::int8_t, 256> values{};
    values.fill(-1);
    for (std::size_t i = 0; i < kDigits.size(); ++i) {
        values[static_cast<unsigned char>(kDigits[i])] = static_cast<std::int8_t>(i);
    }
    return values;
}();

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

std::string toBase64(std::string_view bytes)
{
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t n = 0; n < 3; ++n) {
            group = group << 8U |
                    (i + n < bytes.size() ? static_cast<unsigned char>(bytes[i + n]) : 0U);
        }
        for (std::size_t n = 0; n < 4; ++n) {
            text += i + n <= bytes.size() ? kDigits[group >> (18U - 6U * n) & 63U] : '=';
        }
    }
    return text;
}

std::string fromBase64(std::string_view text)
{
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3);
    std::uint32_t group = 0;
    unsigned bits = 0;
    for (const char c : text) {
        const auto value = kValues[static_cast<unsigned char>(c)];
        if (value < 0) {
            break;
        }
        group = group << 6U | static_cast<std::uint32_t>(value);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            bytes += static_cast<char>(group >> bits & 255U);
        }
    }
    return bytes;
}

}  // namespace restante::journal
