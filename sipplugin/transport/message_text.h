#pragma once

#include "sipplugin/message/received_request.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

namespace restante::sip {

/// The length of start line, headers and empty line; npos when the empty line is missing.
std::size_t endOfHead(std::string_view bytes, std::size_t from = 0);

/// The combined value of all Content-Length headers.
struct BodyLength {
    enum class Kind { Absent, Known, Bad };
    Kind kind = Kind::Absent;  ///< Bad: no number, too large, or two that differ
    std::size_t bytes = 0;
};
BodyLength bodyLengthOf(std::string_view head);
/// The same of a parsed message.
BodyLength bodyLengthOf(const MessageHeaders& message);

/// Whether the message begins like a response: with the version, not with a method.
bool isResponse(std::string_view message) noexcept;

/// A message as text. Borrows from the bytes, which must not move; is not copied. *One thread.*
class MessageText : public MessageHeaders {
public:
    /// `bytes` are one message: its head, and its body behind it.
    explicit MessageText(std::string_view bytes);
    MessageText(const MessageText&) = delete;
    MessageText& operator=(const MessageText&) = delete;

    bool isResponse() const noexcept { return sip::isResponse(startLine); }

    std::string_view startLine;
    std::string_view body;

private:
    void addLine(std::string_view line);
    std::string_view unfolded(std::string_view value);

    std::deque<std::string> unfolded_;  ///< storage for unfolded values
};

/// A parsed line "METHOD uri version".
struct RequestLine {
    std::string_view method;
    std::string_view uri;
    std::string_view version;
    std::string malformed;  ///< what is wrong with it, or ""
};
RequestLine requestLineOf(std::string_view startLine);

/// A parsed line "version status phrase". *Value.*
struct StatusLine {
    int status = 0;      ///< 0 = none
    std::string phrase;  ///< made by reasonPhrase()
};
StatusLine statusLineOf(std::string_view startLine);

/// The topmost element of a Via header (RFC 3261 section 20.42). *Value.*
struct Via {
    std::string transport;   ///< as written
    std::string host;        ///< an IPv6 address as canonicalHost() writes it, else as written
    std::uint16_t port = 0;  ///< 0 = none given
    std::string branch;
    bool asksForPort = false;  ///< has `rport` (RFC 3581)

    std::string_view protocolAndSentBy;  ///< the element without its parameters
    std::vector<std::string_view> params;
    std::string_view otherElements;  ///< the elements below it, with the comma
};
/// Borrows from `value`. Nothing when it is no Via.
std::optional<Via> parseVia(std::string_view value);

/// The Via with the value of `rport`, if it has that; and with `received`, if it has `rport` or
/// names another host.
std::string withReceived(const Via& via, const std::string& sourceHost, std::uint16_t sourcePort);

/// The most values of one header line: a Via for each hop that Max-Forwards can allow. Sofia's time
/// grows with the square of their number: 0.1 ms for these, seconds for a full datagram.
inline constexpr std::size_t kMostListedValues = 256;
/// Whether the line lists more than kMostListedValues. Free text with commas is no list.
bool listsTooManyValues(const HeaderLine& line);

/// Whether the line has such a plain form that sofia's parser certainly accepts it, as nearly every
/// line of a MESSAGE has. True implies isReadable(); false implies nothing.
bool isSurelyReadable(const HeaderLine& line) noexcept;
/// Whether sofia's parser accepts the line; false for one that lists too many values, which bounds
/// the time.
bool isReadByParser(const HeaderLine& line);

/// The same, but faster for most lines.
inline bool isReadable(const HeaderLine& line)
{
    return isSurelyReadable(line) || isReadByParser(line);
}

/// Cuts the bytes of a connection into messages (RFC 3261 section 18.3). It never holds more than
/// one message of the largest size and the last added bytes, whatever a length says. *Value.*
class StreamFramer {
public:
    struct Piece {
        enum class Kind {
            Incomplete,  ///< more bytes are needed
            Message,     ///< a whole one
            Ping,        ///< a keep-alive that wants an empty line back (RFC 5626 section 4.4.1)
            Refused,     ///< the next message's start is unknown: answer `status` and close
            Junk         ///< no SIP: close
        };
        Kind kind = Kind::Incomplete;
        std::string bytes;  ///< the message; for Refused its head, maybe incomplete
        int status = 0;
    };

    explicit StreamFramer(std::size_t largest) : largest_(largest) {}

    void add(std::string_view bytes);
    /// The next piece. Nothing follows Refused or Junk.
    Piece next();
    /// Whether a message has begun and not ended.
    bool isMidMessage() const noexcept { return readPosition_ < buffer_.size(); }

private:
    std::string_view unread() const noexcept
    {
        return std::string_view{buffer_}.substr(readPosition_);
    }
    void skipEmptyLines();
    Piece readHead(std::size_t headBytes);
    Piece takeMessage();
    void consume(std::size_t bytes);

    std::size_t largest_;
    std::string buffer_;
    std::size_t readPosition_ = 0;   ///< in buffer_: where unread() begins
    std::size_t searchedBytes_ = 0;  ///< of unread(): contain no end of a head
    std::size_t messageBytes_ = 0;   ///< of unread(): the message once its length is known
    bool mentionsSip_ = false;       ///< the first line contains "SIP/"
    std::size_t emptyLines_ = 0;     ///< in a row, since the last message or ping
};

}  // namespace restante::sip
