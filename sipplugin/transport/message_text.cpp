#include "sipplugin/transport/message_text.h"

#include "core/base/text.h"
#include "sipplugin/message/answers.h"
#include "sipplugin/message/aor.h"
#include "sipplugin/message/socket_name.h"

#include <sofia-sip/msg_header.h>
#include <sofia-sip/msg_mclass.h>
#include <sofia-sip/sip_header.h>
#include <sofia-sip/sip_parser.h>
#include <sofia-sip/su_alloc.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <utility>

namespace restante::sip {

namespace {

bool isLineEnd(char c) noexcept
{
    return c == '\r' || c == '\n';
}

bool isBlank(char c) noexcept
{
    return c == ' ' || c == '\t' || isLineEnd(c);
}

/// Line ends count as blanks, because of folded lines.
std::string_view trimmed(std::string_view text)
{
    return restante::trimmed(text, " \t\r\n");
}

/// Removes the next line, with its folded continuations, from `text` and returns it without its
/// line end.
std::string_view takeLine(std::string_view& text)
{
    std::size_t end = 0;
    while (true) {
        end = text.find('\n', end);
        if (end == std::string_view::npos) {
            return std::exchange(text, {});
        }
        const bool folded =
            end + 1 < text.size() && (text[end + 1] == ' ' || text[end + 1] == '\t');
        if (!folded) {
            break;
        }
        ++end;
    }
    const auto line = text.substr(0, end);
    text.remove_prefix(end + 1);
    return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

/// The position of the first of `characters` outside quotes; the size when there is none, npos when
/// a quoted string has no end, because text appended to it would be part of that string.
std::size_t findUnquoted(std::string_view text, std::string_view characters)
{
    if (text.find('"') == std::string_view::npos) {
        const auto found =
            characters.size() == 1 ? text.find(characters.front()) : text.find_first_of(characters);
        return std::min(found, text.size());
    }
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') {
            quoted = !quoted;
        } else if (quoted && text[i] == '\\') {
            ++i;
        } else if (!quoted && characters.find(text[i]) != std::string_view::npos) {
            return i;
        }
    }
    return quoted ? std::string_view::npos : text.size();
}

std::string_view paramName(std::string_view param)
{
    return trimmed(param.substr(0, param.find('=')));
}

std::string_view valueOf(std::string_view param)
{
    const auto equals = param.find('=');
    return equals == std::string_view::npos ? "" : trimmed(param.substr(equals + 1));
}

/// "host", "host:port", "[v6]:port" with blanks around the colon.
bool readSentBy(std::string_view text, Via& via)
{
    const bool v6 = text.starts_with('[');
    const auto end = v6 ? text.find(']') : text.find(':');
    if (v6 && end == std::string_view::npos) {
        return false;
    }
    via.host =
        v6 ? canonicalHost(text.substr(1, end - 1)) : std::string{trimmed(text.substr(0, end))};
    auto rest = end == std::string_view::npos ? "" : trimmed(text.substr(v6 ? end + 1 : end));
    if (via.host.empty() || std::ranges::any_of(via.host, isBlank)) {
        return false;
    }
    if (rest.empty()) {
        return true;
    }
    if (rest.front() != ':') {
        return false;
    }
    return readNumber(trimmed(rest.substr(1)), via.port);
}

/// Sofia's parser for a header of that name; null when sofia keeps it as text.
msg_hclass_t* sofiaParserFor(std::string_view longName)
{
    const std::string name = std::string{longName} + ":";
    isize_t start = 0;
    const auto* entry = msg_find_hclass(sip_default_mclass(), name.c_str(), &start);
    const bool hasParser = entry != nullptr && entry->hr_class != nullptr &&
                           entry->hr_class != sip_unknown_class && entry->hr_offset != 0;
    return hasParser ? entry->hr_class : nullptr;
}

msg_hclass_t* parserOf(const HeaderLine& line)
{
    static const auto kParsers = [] {
        std::array<msg_hclass_t*, kHeaderNameCount> parsers{};
        for (std::size_t i = 1; i < parsers.size(); ++i) {
            parsers[i] = sofiaParserFor(name(static_cast<HeaderName>(i)));
        }
        return parsers;
    }();
    return line.header == HeaderName::Other ? sofiaParserFor(line.name)
                                            : kParsers[static_cast<std::size_t>(line.header)];
}

bool listsTooManyValues(const msg_hclass_t& parser, std::string_view value)
{
    // Privacy is no list by RFC 3323; sofia reads it as one.
    const bool isList = parser.hc_kind != msg_kind_single || &parser == sip_privacy_class;
    return isList && std::ranges::count(value, ',') >= std::ptrdiff_t{kMostListedValues};
}

/// `known`, updated by one more Content-Length with the value `text`.
BodyLength withLength(BodyLength known, std::string_view text)
{
    const auto bytes = wholeNumber<std::uint32_t>(text);
    if (!bytes || known.kind == BodyLength::Kind::Bad ||
        (known.kind == BodyLength::Kind::Known && known.bytes != *bytes)) {
        return {BodyLength::Kind::Bad, 0};
    }
    return {BodyLength::Kind::Known, *bytes};
}

// The "plain" forms are a subset of the grammar of RFC 3261 section 25.1: see isSurelyReadable().

/// A subset of the punctuation of a token.
constexpr std::string_view kPlainPunctuation = "-._";

/// Removes the leading letters, digits and `punctuation` from `text` and returns them.
std::string_view takeRun(std::string_view& text,
                         std::string_view punctuation = kPlainPunctuation) noexcept
{
    const auto end = std::ranges::find_if_not(text, [punctuation](char c) {
        return isAlphanumeric(c) || punctuation.find(c) != std::string_view::npos;
    });
    const auto run = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(run.size());
    return run;
}

/// Removes `prefix` from `text`; false when `text` does not begin with it.
bool takePrefix(std::string_view& text, std::string_view prefix) noexcept
{
    const bool hasPrefix = text.starts_with(prefix);
    text.remove_prefix(hasPrefix ? prefix.size() : 0);
    return hasPrefix;
}

bool isShortNumber(std::string_view text) noexcept
{
    return text.size() <= 9 && isDigits(text);
}

bool isPlainLabel(std::string_view label) noexcept
{
    return !label.empty() && isAlphanumeric(label.front()) && isAlphanumeric(label.back()) &&
           label.find('_') == std::string_view::npos;
}

/// A number from 0 to 255 without leading zero.
bool isPlainByte(std::string_view text) noexcept
{
    const auto byte = wholeNumber<std::uint8_t>(text);
    return byte && isDigits(text) && (text.size() == 1 || text.front() != '0');
}

/// An IPv4 address, or a name whose last label begins with a letter.
bool isPlainHost(std::string_view host) noexcept
{
    std::size_t labels = 0;
    std::size_t bytes = 0;
    std::string_view label;
    do {
        label = host.substr(0, host.find('.'));
        if (!isPlainLabel(label)) {
            return false;
        }
        ++labels;
        bytes += isPlainByte(label) ? 1U : 0U;
        host.remove_prefix(std::min(label.size() + 1, host.size()));
    } while (!host.empty());
    return isDigit(label.front()) ? labels == 4 && bytes == 4 : true;
}

/// Removes "host" or "host:port"; the port has no leading zero and is not 0.
bool takePlainHostPort(std::string_view& text) noexcept
{
    const auto host = takeRun(text);
    if (!isPlainHost(host) || host.ends_with('.')) {
        return false;
    }
    if (!takePrefix(text, ":")) {
        return true;
    }
    const auto port = takeRun(text, "");
    return !port.starts_with('0') && isDigits(port) && wholeNumber<std::uint16_t>(port).has_value();
}

/// Removes all leading ";name" and ";name=value".
bool takePlainParams(std::string_view& text) noexcept
{
    while (takePrefix(text, ";")) {
        if (takeRun(text).empty() || (takePrefix(text, "=") && takeRun(text).empty())) {
            return false;
        }
    }
    return true;
}

bool isPlainCallId(std::string_view text) noexcept
{
    return !takeRun(text).empty() && (!takePrefix(text, "@") || !takeRun(text).empty()) &&
           text.empty();
}

bool isPlainType(std::string_view text) noexcept
{
    if (takeRun(text).empty() || !takePrefix(text, "/") || takeRun(text).empty()) {
        return false;
    }
    return takePlainParams(text) && text.empty();
}

bool isPlainCSeq(std::string_view text) noexcept
{
    const auto number = text.substr(0, text.find(' '));
    text.remove_prefix(number.size());
    return isShortNumber(number) && takePrefix(text, " ") &&
           (text == "MESSAGE" || text == "REGISTER");
}

bool isPlainVia(std::string_view text) noexcept
{
    return takePrefix(text, "SIP/2.0/") && !takeRun(text, "").empty() && takePrefix(text, " ") &&
           takePlainHostPort(text) && takePlainParams(text) && text.empty();
}

/// "<sip:user@host>;tag=1", optionally after a token or a quoted text.
bool isPlainAddress(std::string_view text) noexcept
{
    if (takePrefix(text, "\"")) {
        takeRun(text, "-._ ");
        if (!takePrefix(text, "\" ")) {
            return false;
        }
    } else if (!text.starts_with('<') && (takeRun(text).empty() || !takePrefix(text, " "))) {
        return false;
    }
    return takePrefix(text, "<sip:") && !takeRun(text).empty() && takePrefix(text, "@") &&
           takePlainHostPort(text) && takePlainParams(text) && takePrefix(text, ">") &&
           takePlainParams(text) && text.empty();
}

/// Whether a method or "SIP" can begin with `c`.
bool beginsMessage(char c) noexcept
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view{"-.!%*_+`'~"}.find(c) != std::string_view::npos;
}

bool mentionsSip(std::string_view line)
{
    constexpr std::string_view kSip = "sip/";
    const auto same = [](char c, char sip) { return toLower(c) == sip; };
    return std::search(line.begin(), line.end(), kSip.begin(), kSip.end(), same) != line.end();
}

bool hasContentType(std::string_view head)
{
    const MessageText message{head};
    return !message.header(HeaderName::ContentType).value_or("").empty();
}

}  // namespace

std::size_t endOfHead(std::string_view bytes, std::size_t from)
{
    for (auto at = bytes.find('\n', from); at != std::string_view::npos;
         at = bytes.find('\n', at + 1)) {
        const auto next = bytes.substr(at + 1, 2);
        if (next.starts_with('\n')) {
            return at + 2;
        }
        if (next == "\r\n") {
            return at + 3;
        }
    }
    return std::string_view::npos;
}

BodyLength bodyLengthOf(std::string_view head)
{
    BodyLength length;
    takeLine(head);
    while (!head.empty()) {
        const auto line = takeLine(head);
        const auto colon = line.find(':');
        const auto name = trimmed(line.substr(0, colon));
        if (colon == std::string_view::npos ||
            (!equalIgnoringCase(name, "Content-Length") && !equalIgnoringCase(name, "l"))) {
            continue;
        }
        length = withLength(length, trimmed(line.substr(colon + 1)));
    }
    return length;
}

BodyLength bodyLengthOf(const MessageHeaders& message)
{
    BodyLength length;
    for (const auto& line : message.headers) {
        if (line.header == HeaderName::ContentLength) {
            length = withLength(length, line.value);
        }
    }
    return length;
}

bool isResponse(std::string_view message) noexcept
{
    return startsWithIgnoringCase(message, "SIP/");
}

MessageText::MessageText(std::string_view bytes)
{
    const auto end = std::min(endOfHead(bytes), bytes.size());
    body = bytes.substr(end);
    auto head = bytes.substr(0, end);
    startLine = trimmed(takeLine(head));
    headers.reserve(16);
    while (!head.empty()) {
        addLine(takeLine(head));
    }
}

void MessageText::addLine(std::string_view line)
{
    const auto colon = line.find(':');
    if (colon != std::string_view::npos) {
        headers.push_back({longHeaderName(trimmed(line.substr(0, colon))),
                           unfolded(trimmed(line.substr(colon + 1)))});
    }
}

std::string_view MessageText::unfolded(std::string_view value)
{
    if (std::ranges::none_of(value, isLineEnd)) {
        return value;
    }
    auto& line = unfolded_.emplace_back();
    while (!value.empty()) {
        const auto* end = std::ranges::find_if(value, isLineEnd);
        const auto part = value.substr(0, static_cast<std::size_t>(end - value.begin()));
        line += trimmed(part);
        value.remove_prefix(part.size());
        while (!value.empty() && isBlank(value.front())) {
            value.remove_prefix(1);
        }
        line += value.empty() ? "" : " ";
    }
    return line;
}

RequestLine requestLineOf(std::string_view line)
{
    RequestLine parsed;
    const auto* end = std::ranges::find_if(line, isBlank);
    parsed.method = line.substr(0, static_cast<std::size_t>(end - line.begin()));
    const auto rest = line.substr(parsed.method.size());
    if (rest.empty()) {
        parsed.malformed = "the request line has no Request-URI";
        return parsed;
    }
    const auto beforeVersion = std::ranges::find_if(rest.rbegin(), rest.rend(), isBlank);
    const auto versionLength = static_cast<std::size_t>(beforeVersion - rest.rbegin());
    parsed.version = rest.substr(rest.size() - versionLength);
    parsed.uri = trimmed(rest.substr(0, rest.size() - versionLength));
    if (std::ranges::any_of(parsed.uri, isBlank)) {
        parsed.malformed = "the Request-URI contains a space";
    }
    return parsed;
}

StatusLine statusLineOf(std::string_view line)
{
    StatusLine parsed;
    const auto space = line.find(' ');
    if (space != std::string_view::npos) {
        parsed.status = leadingNumber<decltype(parsed.status)>(line.substr(space + 1));
        parsed.phrase = reasonPhrase(line.substr(std::min(line.size(), space + 5)));
    }
    return parsed;
}

std::optional<Via> parseVia(std::string_view value)
{
    Via via;
    if (findUnquoted(value, "") == std::string_view::npos) {
        return std::nullopt;
    }
    const auto end = findUnquoted(value, ",");
    via.otherElements = value.substr(end);
    auto element = trimmed(value.substr(0, end));
    const auto first = findUnquoted(element, ";");
    via.protocolAndSentBy = trimmed(element.substr(0, first));
    element.remove_prefix(first);
    while (!element.empty()) {
        element.remove_prefix(1);
        const auto next = findUnquoted(element, ";");
        via.params.push_back(trimmed(element.substr(0, next)));
        element.remove_prefix(next);
    }
    // protocol-name / protocol-version / transport, blanks around the slashes, then sent-by.
    auto rest = via.protocolAndSentBy;
    for (int slash = 0; slash < 2; ++slash) {
        const auto at = rest.find('/');
        if (at == std::string_view::npos || !isToken(trimmed(rest.substr(0, at)))) {
            return std::nullopt;
        }
        rest = trimmed(rest.substr(at + 1));
    }
    const auto* blank = std::ranges::find_if(rest, isBlank);
    via.transport = rest.substr(0, static_cast<std::size_t>(blank - rest.begin()));
    if (!isToken(via.transport) || !readSentBy(trimmed(rest.substr(via.transport.size())), via)) {
        return std::nullopt;
    }
    for (const auto param : via.params) {
        if (equalIgnoringCase(paramName(param), "branch")) {
            via.branch = valueOf(param);
        }
        via.asksForPort = via.asksForPort || equalIgnoringCase(paramName(param), "rport");
    }
    return via;
}

std::string withReceived(const Via& via, const std::string& sourceHost, std::uint16_t sourcePort)
{
    std::string text{via.protocolAndSentBy};
    for (const auto param : via.params) {
        if (equalIgnoringCase(paramName(param), "rport")) {
            text += fmt::format(";rport={}", sourcePort);
        } else if (!equalIgnoringCase(paramName(param), "received")) {
            text.append(";").append(param);
        }
    }
    if (via.asksForPort || via.host != sourceHost) {
        text.append(";received=").append(sourceHost);
    }
    return text.append(via.otherElements);
}

bool listsTooManyValues(const HeaderLine& line)
{
    const auto* parser = parserOf(line);
    return parser != nullptr && listsTooManyValues(*parser, line.value);
}

bool isSurelyReadable(const HeaderLine& line) noexcept
{
    switch (line.header) {
    case HeaderName::ContentLength:
    case HeaderName::Expires:
    case HeaderName::MaxForwards: return isShortNumber(line.value);
    case HeaderName::CallId: return isPlainCallId(line.value);
    case HeaderName::ContentType: return isPlainType(line.value);
    case HeaderName::CSeq: return isPlainCSeq(line.value);
    case HeaderName::From:
    case HeaderName::To: return isPlainAddress(line.value);
    case HeaderName::Via: return isPlainVia(line.value);
    default: return false;
    }
}

bool isReadByParser(const HeaderLine& line)
{
    auto* parser = parserOf(line);
    if (parser == nullptr) {
        return true;
    }
    if (line.value.find('\0') != std::string_view::npos ||
        listsTooManyValues(*parser, line.value)) {
        return false;
    }
    su_home_t home[1] = {SU_HOME_INIT(home)};
    const bool readable = msg_header_make(home, parser, std::string{line.value}.c_str()) != nullptr;
    su_home_deinit(home);
    return readable;
}

void StreamFramer::add(std::string_view bytes)
{
    if (readPosition_ > 0) {
        buffer_.erase(0, std::exchange(readPosition_, 0));
    }
    buffer_.append(bytes);
}

void StreamFramer::skipEmptyLines()
{
    while (readPosition_ < buffer_.size() &&
           (buffer_[readPosition_] == '\r' || buffer_[readPosition_] == '\n')) {
        emptyLines_ += buffer_[readPosition_] == '\n' ? 1U : 0U;
        ++readPosition_;
    }
}

void StreamFramer::consume(std::size_t bytes)
{
    readPosition_ += bytes;
    searchedBytes_ = 0;
    messageBytes_ = 0;
    mentionsSip_ = false;
    if (readPosition_ == buffer_.size()) {
        // An idle connection holds nothing.
        std::string{}.swap(buffer_);
        readPosition_ = 0;
    }
}

StreamFramer::Piece StreamFramer::next()
{
    if (searchedBytes_ == 0) {
        skipEmptyLines();
    }
    if (!isMidMessage()) {
        consume(0);
        const bool ping = emptyLines_ > 1;
        emptyLines_ = ping ? 0 : emptyLines_;
        return {ping ? Piece::Kind::Ping : Piece::Kind::Incomplete, {}, 0};
    }
    emptyLines_ = 0;
    const auto unreadBytes = unread();
    // Results for the current message are kept, so that each byte is read only once.
    if (messageBytes_ > 0) {
        return takeMessage();
    }
    if (!mentionsSip_) {
        const auto lineEnd = unreadBytes.find('\n', searchedBytes_);
        mentionsSip_ =
            lineEnd != std::string_view::npos && mentionsSip(unreadBytes.substr(0, lineEnd));
        if (!beginsMessage(unreadBytes.front()) ||
            (lineEnd != std::string_view::npos && !mentionsSip_)) {
            return {Piece::Kind::Junk, {}, 0};
        }
    }
    const auto headBytes = endOfHead(unreadBytes, searchedBytes_);
    if (headBytes != std::string_view::npos) {
        return readHead(headBytes);
    }
    if (unreadBytes.size() > largest_) {
        return {Piece::Kind::Refused, std::string{unreadBytes}, 413};
    }
    // The end of a head may have begun with the last three bytes.
    searchedBytes_ = std::max<std::size_t>(unreadBytes.size(), 4) - 3;
    return {};
}

StreamFramer::Piece StreamFramer::readHead(std::size_t headBytes)
{
    const auto unreadBytes = unread();
    // RFC 3261 section 20.14; and with a Content-Type the length must not be missing.
    const auto head = unreadBytes.substr(0, headBytes);
    const auto length = bodyLengthOf(head);
    if (length.kind == BodyLength::Kind::Bad ||
        (length.kind == BodyLength::Kind::Absent && hasContentType(head))) {
        return {Piece::Kind::Refused, std::string{head}, 400};
    }
    if (headBytes > largest_ || length.bytes > largest_ - headBytes) {
        return {Piece::Kind::Refused, std::string{head}, 413};
    }
    messageBytes_ = headBytes + length.bytes;
    return takeMessage();
}

StreamFramer::Piece StreamFramer::takeMessage()
{
    const auto unreadBytes = unread();
    if (unreadBytes.size() < messageBytes_) {
        return {};
    }
    Piece piece{Piece::Kind::Message, std::string{unreadBytes.substr(0, messageBytes_)}, 0};
    consume(messageBytes_);
    return piece;
}

}  // namespace restante::sip
