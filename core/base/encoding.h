#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace restante {

/// Bytes as text and back. *Pure functions.*

/// The value of a hexadecimal digit in either case; -1 for any other character.
constexpr int hexDigitValue(char c) noexcept
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// Whether each character is a hexadecimal digit; true of an empty text.
bool isHex(std::string_view text) noexcept;
/// Two lower-case digits for each byte.
std::string toHex(std::string_view bytes);

/// RFC 4648 section 4, with padding.
std::string toBase64(std::string_view bytes);
/// None when it is not exactly what toBase64() writes.
std::optional<std::string> fromBase64(std::string_view text);
/// Decodes the text up to the first character that is not in base64's alphabet. For database
/// columns whose text may have been cut short or damaged: the intact beginning is still decoded.
std::string fromBase64Prefix(std::string_view text);

/// As in RFC 3986 section 2.1: letters, digits and `unescaped` stay, any other byte becomes %XX.
std::string percentEncoded(std::string_view text, std::string_view unescaped = "-._~");

/// The text as the content of a JSON string. In a text that is not UTF-8 the bytes above 0x7f are
/// taken for Latin-1, because a JSON document must be UTF-8.
std::string jsonEscaped(std::string_view text);
/// The text as the content of an XML element or attribute.
std::string xmlEscaped(std::string_view text);

enum class Nul { Refused, Allowed };
/// Undoes %XX. None when an escape is broken, or stands for a NUL that is refused.
std::optional<std::string> percentDecoded(std::string_view text, Nul nul = Nul::Refused);

}  // namespace restante
