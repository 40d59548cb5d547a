#include "core/job/message_text.h"

#include "core/base/encoding.h"
#include "core/base/text.h"
#include "core/job/cpim.h"

#include <algorithm>
#include <optional>

namespace restante {

namespace {

using Part = MessageText::Part;

/// Real messages nest no deeper; bounded, so that the work stays proportional to the length of a
/// body.
constexpr int kDeepest = 4;
constexpr std::size_t kMostParts = 32;
/// Header lines that are read of a part.
constexpr int kMostHeaderLines = 50;

/// A piece of a body that is still to be split or decoded into parts.
struct Piece {
    std::string_view type{};  ///< Content-Type, whole
    std::string_view encoding{};
    std::string_view disposition{};
    std::string_view bytes{};
    bool complete = true;
};

/// Removes the next line from `rest` and returns it without its end; the last line may have no end.
std::string_view takeNextLine(std::string_view& rest)
{
    const auto end = rest.find('\n');
    auto line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.ends_with('\r')) {
        line.remove_suffix(1);
    }
    return line;
}

std::string decodeQuotedPrintable(std::string_view text)
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
        } else if (rest.size() >= 2 && hexDigitValue(rest[0]) >= 0 && hexDigitValue(rest[1]) >= 0) {
            out += static_cast<char>(hexDigitValue(rest[0]) * 16 + hexDigitValue(rest[1]));
            at += 2;
        } else {
            out += '=';
        }
    }
    return out;
}

std::string decodeTransfer(std::string_view bytes, std::string_view encoding)
{
    if (equalIgnoringCase(encoding, "quoted-printable")) {
        return decodeQuotedPrintable(bytes);
    }
    if (equalIgnoringCase(encoding, "base64")) {
        std::string packed(bytes);
        std::erase_if(packed, [](char c) { return c == '\r' || c == '\n' || c == ' '; });
        packed.resize(packed.size() / 4 * 4);  // what a cut body has of the last group is dropped
        return fromBase64Prefix(packed);
    }
    return std::string(bytes);
}

/// Splits a part into its header lines and its content.
Piece parsePiece(std::string_view text, bool complete)
{
    Piece piece{.type = "text/plain", .complete = complete};
    for (int lines = 0; !text.empty() && lines < kMostHeaderLines; ++lines) {
        const auto line = takeNextLine(text);
        if (line.empty()) {
            break;
        }
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) {
            continue;  // a folded line, whose parameters are not used
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

/// Whether `rest`, which follows a boundary at the beginning of a line, may follow it: "--" of the
/// last delimiter, blanks, the end of the line. In an inner multipart, whose boundary often begins
/// as the outer one does, there is more.
bool mayFollowBoundary(std::string_view rest)
{
    auto line = takeNextLine(rest);
    line.remove_prefix(line.starts_with("--") ? 2 : 0);
    return trimmed(line).empty();
}

/// The position of the first line at or after `from` that is `delimiter`; npos = none.
std::size_t delimiterFrom(std::string_view text, std::string_view delimiter, std::size_t from)
{
    for (auto at = text.find(delimiter, from); at != std::string_view::npos;
         at = text.find(delimiter, at + 1)) {
        if ((at == 0 || text[at - 1] == '\n') &&
            mayFollowBoundary(text.substr(at + delimiter.size()))) {
            return at;
        }
    }
    return std::string_view::npos;
}

/// Splits a multipart body at its delimiters (RFC 2046 section 5.1.1).
std::vector<Piece> splitPieces(std::string_view text, const std::string& boundary, bool complete)
{
    std::vector<Piece> pieces;
    const auto delimiter = "--" + boundary;
    auto at = delimiterFrom(text, delimiter, 0);
    while (at != std::string_view::npos && pieces.size() < kMostParts) {
        auto rest = text.substr(at + delimiter.size());
        if (rest.starts_with("--")) {
            break;
        }
        takeNextLine(rest);
        const auto contentStart = text.size() - rest.size();
        at = delimiterFrom(text, delimiter, contentStart);
        auto part =
            text.substr(contentStart, at == std::string_view::npos ? at : at - contentStart);
        if (at != std::string_view::npos) {
            part.remove_suffix(part.ends_with("\r\n") ? 2 : part.ends_with('\n') ? 1 : 0);
        }
        pieces.push_back(parsePiece(part, complete || at != std::string_view::npos));
    }
    return pieces;
}

void readPiece(MessageText& message, const Piece& piece, int depth)
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
            return readPiece(message,
                             {inner->contentHeader("Content-Type").value_or("text/plain"),
                              inner->contentHeader("Content-Transfer-Encoding").value_or(""),
                              inner->contentHeader("Content-Disposition").value_or(""),
                              inner->content(), piece.complete},
                             depth + 1);
        }
    }
    const auto boundary =
        type.starts_with("multipart/") ? parameterOf(piece.type, "boundary") : std::string();
    if (depth < kDeepest && !boundary.empty()) {
        const auto pieces = splitPieces(piece.bytes, boundary, piece.complete);
        for (const auto& inner : pieces) {
            readPiece(message, inner, depth + 1);
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
    part.bytes = decodeTransfer(piece.bytes, piece.encoding);
    part.complete = piece.complete;
    message.parts.push_back(std::move(part));
}

/// Whether the bytes are text in UTF-8; the last character may be cut off.
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

MessageText readMessage(std::string_view contentType, std::string_view begin, std::uint64_t size)
{
    MessageText message;
    if (size > 0) {
        readPiece(message, {.type = contentType, .bytes = begin, .complete = begin.size() >= size},
                  0);
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
