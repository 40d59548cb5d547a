#include "core/job/message_text.h"

#include "core/base/encoding.h"
#include "core/base/text.h"
#include "core/job/cpim.h"

#include <algorithm>
#include <optional>

namespace restante {

namespace {

using Part = MessageText::Part;

/// Nobody nests deeper; a body of boundaries must not cost more than its length.
constexpr int kDeepest = 4;
constexpr std::size_t kMostParts = 32;
/// Header lines of a part.
constexpr int kMostHeaderLines = 50;

/// A piece of a body on its way to becoming parts.
struct Piece {
    std::string_view type{};  ///< Content-Type, whole
    std::string_view encoding{};
    std::string_view disposition{};
    std::string_view bytes{};
    bool complete = true;
};

/// The next line without its end, taken away with it; the last one may have no end.
std::string_view nextLine(std::string_view& rest)
{
    const auto end = rest.find('\n');
    auto line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.ends_with('\r')) {
        line.remove_suffix(1);
    }
    return line;
}

std::string quotedPrintable(std::string_view text)
{
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '=') {
            out += text[at];
            continue;
        }
        const auto rest = text.substr(at + 1);
        if (rest.starts_with("\r\n") || rest.starts_with('\n')) {  // a soft line break
            at += rest.front() == '\n' ? 1 : 2;
        } else if (rest.size() >= 2 && hexDigit(rest[0]) >= 0 && hexDigit(rest[1]) >= 0) {
            out += static_cast<char>(hexDigit(rest[0]) * 16 + hexDigit(rest[1]));
            at += 2;
        } else {
            out += '=';
        }
    }
    return out;
}

std::string decoded(std::string_view bytes, std::string_view encoding)
{
    if (equalIgnoringCase(encoding, "quoted-printable")) {
        return quotedPrintable(bytes);
    }
    if (equalIgnoringCase(encoding, "base64")) {
        std::string packed(bytes);
        std::erase_if(packed, [](char c) { return c == '\r' || c == '\n' || c == ' '; });
        packed.resize(packed.size() / 4 * 4);  // as far as it was there to be read
        return fromBase64Prefix(packed);
    }
    return std::string(bytes);
}

/// The header lines of a part, and what is behind the empty line.
Piece pieceOf(std::string_view text, bool complete)
{
    Piece piece{.type = "text/plain", .complete = complete};
    for (int lines = 0; !text.empty() && lines < kMostHeaderLines; ++lines) {
        const auto line = nextLine(text);
        if (line.empty()) {
            break;
        }
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) {
            continue;  // folded: its parameters are asked for by none
        }
        const auto name = trimmed(line.substr(0, colon));
        const auto value = trimmed(line.substr(colon + 1));
        if (equalIgnoringCase(name, "Content-Type")) {
            piece.type = value;
        } else if (equalIgnoringCase(name, "Content-Transfer-Encoding")) {
            piece.encoding = value;
        } else if (equalIgnoringCase(name, "Content-Disposition")) {
            piece.disposition = value;
        }
    }
    piece.bytes = text;
    return piece;
}

/// Where the line that begins with `delimiter` starts, at or behind `from`; npos = there is none.
std::size_t delimiterFrom(std::string_view text, std::string_view delimiter, std::size_t from)
{
    for (auto at = text.find(delimiter, from); at != std::string_view::npos;
         at = text.find(delimiter, at + 1)) {
        if (at == 0 || text[at - 1] == '\n') {
            return at;
        }
    }
    return std::string_view::npos;
}

/// What stands between the delimiters (RFC 2046 section 5.1.1).
std::vector<Piece> piecesOf(std::string_view text, const std::string& boundary, bool complete)
{
    std::vector<Piece> pieces;
    const auto delimiter = "--" + boundary;
    auto at = delimiterFrom(text, delimiter, 0);
    while (at != std::string_view::npos && pieces.size() < kMostParts) {
        auto rest = text.substr(at + delimiter.size());
        if (rest.starts_with("--")) {
            break;
        }
        nextLine(rest);
        const auto begins = text.size() - rest.size();
        at = delimiterFrom(text, delimiter, begins);
        auto part = text.substr(begins, at == std::string_view::npos ? at : at - begins);
        if (at != std::string_view::npos) {
            part.remove_suffix(part.ends_with("\r\n") ? 2 : part.ends_with('\n') ? 1 : 0);
        }
        pieces.push_back(pieceOf(part, complete || at != std::string_view::npos));
    }
    return pieces;
}

void read(MessageText& message, const Piece& piece, int depth)
{
    const auto type = lowered(mediaType(piece.type));
    if (depth < kDeepest && type == kCpimType) {
        if (const auto inner = CpimMessage::parse(piece.bytes)) {
            for (const auto* name : {"From", "To", "DateTime", "Subject"}) {
                const auto value = inner->header({}, name);
                if (value && depth == 0) {
                    message.headers.emplace_back(name, *value);
                }
            }
            return read(message,
                        {inner->contentHeader("Content-Type").value_or("text/plain"),
                         inner->contentHeader("Content-Transfer-Encoding").value_or(""),
                         inner->contentHeader("Content-Disposition").value_or(""), inner->content(),
                         piece.complete},
                        depth + 1);
        }
    }
    const auto boundary =
        type.starts_with("multipart/") ? parameterOf(piece.type, "boundary") : std::string();
    if (depth < kDeepest && !boundary.empty()) {
        const auto pieces = piecesOf(piece.bytes, boundary, piece.complete);
        for (const auto& inner : pieces) {
            read(message, inner, depth + 1);
        }
        if (!pieces.empty()) {
            return;
        }
    }
    if (message.parts.size() >= kMostParts) {
        return;
    }
    Part part;
    part.type = type;
    part.charset = parameterOf(piece.type, "charset");
    part.charset = part.charset.empty() ? "UTF-8" : part.charset;
    part.fileName = parameterOf(piece.disposition, "filename");
    part.fileName = part.fileName.empty() ? parameterOf(piece.type, "name") : part.fileName;
    part.bytes = decoded(piece.bytes, piece.encoding);
    part.complete = piece.complete;
    message.parts.push_back(std::move(part));
}

/// Whether it is text in UTF-8, but for a last character that has been cut off.
bool looksLikeText(std::string_view bytes)
{
    constexpr int kLongestCharacter = 4;
    if (bytes.find('\0') != std::string_view::npos) {
        return false;
    }
    for (int cut = 0; cut < kLongestCharacter && !bytes.empty(); ++cut) {
        if (isUtf8(bytes)) {
            return true;
        }
        bytes.remove_suffix(1);
    }
    return bytes.empty();
}

}  // namespace

bool MessageText::Part::isText() const
{
    if (type.empty()) {
        return looksLikeText(bytes);
    }
    return type.starts_with("text/") || isJson() || type.ends_with("/xml") ||
           type.ends_with("+xml") || type == "application/x-www-form-urlencoded";
}

bool MessageText::Part::isJson() const
{
    const auto front = trimmed(bytes).substr(0, 1);
    return type == "application/json" || type.ends_with("+json") ||
           (type.empty() && (front == "{" || front == "["));
}

MessageText readMessage(std::string_view contentType, std::string_view begin, std::uint64_t whole)
{
    MessageText message;
    if (whole > 0) {
        read(message, {.type = contentType, .bytes = begin, .complete = begin.size() >= whole}, 0);
    }
    return message;
}

const MessageText::Part* mainPartOf(const MessageText& message)
{
    const auto text = std::ranges::find_if(message.parts, &Part::isText);
    return text != message.parts.end() ? &*text
           : message.parts.empty()     ? nullptr
                                       : &message.parts.front();
}

std::string parameterOf(std::string_view header, std::string_view name)
{
    auto semicolon = header.find(';');
    while (semicolon != std::string_view::npos) {
        header.remove_prefix(semicolon + 1);
        const auto equals = header.find('=');
        const auto word = trimmed(header.substr(0, equals));
        semicolon = header.find(';');
        if (equals == std::string_view::npos || equals > semicolon) {
            continue;
        }
        auto value = trimmed(header.substr(
            equals + 1, semicolon == std::string_view::npos ? semicolon : semicolon - equals - 1));
        if (header.substr(equals + 1).starts_with('"')) {
            const auto close = header.find('"', equals + 2);
            value = header.substr(equals + 2,
                                  close == std::string_view::npos ? close : close - equals - 2);
            semicolon = close == std::string_view::npos ? close : header.find(';', close);
        }
        if (equalIgnoringCase(word, name)) {
            return std::string(value);
        }
    }
    return {};
}

}  // namespace restante
