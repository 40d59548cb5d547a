#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace restante {

/// Bytes as text and back. *Pure functions.*

/// The value of a hexadecimal digit in either case; -1 when it is none.
constexpr int hexDigit(char c) noexcept
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// Whether each character is a hexadecimal digit; also of an empty text.
bool isHex(std::string_view text) noexcept;
/// Two lower-case digits a byte.
std::string toHex(std::string_view bytes);

/// RFC 4648 section 4, with padding.
std::string toBase64(std::string_view bytes);
/// None when it is not exactly what toBase64() writes.
std::optional<std::string> fromBase64(std::string_view text);
/// Decodes the text up to the first character that is not in base64's alphabet: for a column that
/// holds what toBase64() wrote, so that a damaged end is visible.
std::string fromBase64Prefix(std::string_view text);

/// As in RFC 3986 section 2.1: letters, digits and `unescaped` stay, any other byte becomes %XX.
std::string percentEncoded(std::string_view text, std::string_view unescaped = "-._~");

/// The text as the content of a JSON string. Bytes above 0x7f of a text that is not UTF-8 would
/// make the document unreadable, so they are written as if they were Latin-1.
std::string jsonEscaped(std::string_view text);
/// The text as the content of an XML element or attribute.
std::string xmlEscaped(std::string_view text);

enum class Nul { Refused, Allowed };
/// Undoes %XX. None when an escape is broken, or stands for a NUL that is refused.
std::optional<std::string> percentDecoded(std::string_view text, Nul nul = Nul::Refused);

}  // namespace restante
