#include "core/journal/sql_text.h"

#include "core/base/utf8.h"

#include <array>
#include <cstdint>

namespace restante::journal {

namespace {

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

std::string literalOf(std::string_view text)
{
    const bool fine = isUtf8(text);
    std::string out;
    out.reserve(text.size() + 2);
    out += '\'';
    for (const char c : text) {
        const bool foreign = c == '\0' || (!fine && static_cast<unsigned char>(c) >= 0x80);
        out += foreign ? '?' : c;
        if (c == '\'') {
            out += c;
        }
    }
    out += '\'';
    return out;
}

std::string literalList(const std::vector<std::string>& texts, std::size_t begin, std::size_t end)
{
    std::string list = "(";
    for (auto i = begin; i < end; ++i) {
        list += i == begin ? "" : ",";
        list += literalOf(texts[i]);
    }
    return list + ")";
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
