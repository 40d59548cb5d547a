#include "core/base/encoding.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>

namespace restante {

namespace {

constexpr std::string_view kBase64Alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> kBase64Values = [] {
    std::array<std::int8_t, 256> values{};
    values.fill(-1);
    for (std::size_t i = 0; i < kBase64Alphabet.size(); ++i) {
        values[static_cast<unsigned char>(kBase64Alphabet[i])] = static_cast<std::int8_t>(i);
    }
    return values;
}();

/// The decoded prefix of a text in base64.
struct Base64Prefix {
    std::string bytes;
    std::size_t digits = 0;
    std::uint32_t leftOver = 0;  ///< the bits that fill no byte
};

Base64Prefix decodePrefix(std::string_view text)
{
    Base64Prefix prefix;
    prefix.bytes.reserve(text.size() / 4 * 3);
    std::uint32_t group = 0;
    unsigned bits = 0;
    for (const char c : text) {
        const auto value = kBase64Values[static_cast<unsigned char>(c)];
        if (value < 0) {
            break;
        }
        ++prefix.digits;
        group = group << 6U | static_cast<std::uint32_t>(value);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            prefix.bytes += static_cast<char>(group >> bits & 0xffU);
        }
    }
    prefix.leftOver = group & ((1U << bits) - 1U);
    return prefix;
}

}  // namespace

bool isHex(std::string_view text) noexcept
{
    return std::ranges::all_of(text, [](char c) { return hexDigitValue(c) >= 0; });
}

std::string toHex(std::string_view bytes)
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        text += kDigits[byte >> 4U];
        text += kDigits[byte & 0xfU];
    }
    return text;
}

std::string toBase64(std::string_view bytes)
{
    std::string text((bytes.size() + 2) / 3 * 4, '=');
    auto* out = text.data();
    const auto put = [&](std::uint32_t group, unsigned digits) {
        for (unsigned n = 0; n < digits; ++n) {
            out[n] = kBase64Alphabet[group >> (18U - 6U * n) & 63U];
        }
        out += 4;
    };
    const auto byte = [&](std::size_t at) {
        return std::uint32_t{static_cast<unsigned char>(bytes[at])};
    };
    std::size_t i = 0;
    for (; i + 3 <= bytes.size(); i += 3) {
        put(byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2), 4);
    }
    if (bytes.size() - i == 2) {
        put(byte(i) << 16U | byte(i + 1) << 8U, 3);
    } else if (bytes.size() - i == 1) {
        put(byte(i) << 16U, 2);
    }
    return text;
}

std::optional<std::string> fromBase64(std::string_view text)
{
    auto prefix = decodePrefix(text);
    const auto padding = text.substr(prefix.digits);
    // Only one text is accepted for the same bytes: padding and the unused bits are as toBase64()
    // writes them.
    const bool canonical = text.size() % 4 == 0 && padding.size() <= 2 &&
                           padding.find_first_not_of('=') == std::string_view::npos &&
                           prefix.leftOver == 0;
    return canonical ? std::optional(std::move(prefix.bytes)) : std::nullopt;
}

std::string fromBase64Prefix(std::string_view text)
{
    return decodePrefix(text).bytes;
}

std::string percentEncoded(std::string_view text, std::string_view unescaped)
{
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string encoded;
    for (const char c : text) {
        if (isAlphanumeric(c) || unescaped.find(c) != std::string_view::npos) {
            encoded += c;
        } else {
            const auto byte = static_cast<unsigned char>(c);
            encoded.append({'%', kDigits[byte >> 4U], kDigits[byte & 0xfU]});
        }
    }
    return encoded;
}

std::optional<std::string> percentDecoded(std::string_view text, Nul nul)
{
    std::string decoded;
    decoded.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            decoded += text[i];
            continue;
        }
        const int high = i + 2 < text.size() ? hexDigitValue(text[i + 1]) : -1;
        const int low = high < 0 ? -1 : hexDigitValue(text[i + 2]);
        if (low < 0 || (nul == Nul::Refused && high == 0 && low == 0)) {
            return {};
        }
        decoded += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return decoded;
}

std::string jsonEscaped(std::string_view text)
{
    const bool wellFormed = isUtf8(text);
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || (byte >= 0x80 && !wellFormed)) {
            out += fmt::format("\\u{:04x}", byte);
            continue;
        }
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += c;
    }
    return out;
}

std::string xmlEscaped(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        case '\'': out += "&apos;"; break;
        default: out += c;
        }
    }
    return out;
}

}  // namespace restante
