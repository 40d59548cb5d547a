#pragma once

#include "sipplugin/message/received_request.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

namespace restante::sip {

/// The length of start line and headers with the empty line, or npos.
std::size_t endOfHead(std::string_view bytes, std::size_t from = 0);

/// What the Content-Length headers of a head say.
struct BodyLength {
    enum class Kind { Absent, Known, Bad };
    Kind kind = Kind::Absent;  ///< Bad: no number, more than fits, or two that differ
    std::size_t bytes = 0;
};
BodyLength bodyLengthOf(std::string_view head);
/// Of a message that is taken apart already.
BodyLength bodyLengthOf(const MessageHeaders& message);

/// Whether the message begins as a response does: with the version, not with a method.
bool isResponse(std::string_view message) noexcept;

/// A message as text. *Value* that borrows from the bytes, which must not move.
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

    std::deque<std::string> unfolded_;  ///< what values point to
};

/// The names in a line "METHOD uri version".
struct RequestLine {
    std::string_view method;
    std::string_view uri;
    std::string_view version;
    std::string malformed;  ///< why it is none, "" when it is one
};
RequestLine requestLineOf(std::string_view startLine);

/// What a line "version status phrase" says. *Value.*
struct StatusLine {
    int status = 0;      ///< 0 = none
    std::string phrase;  ///< as reasonPhrase() makes it
};
StatusLine statusLineOf(std::string_view startLine);

/// The topmost element of a Via header (RFC 3261 section 20.42). *Value.*
struct Via {
    std::string transport;   ///< as written
    std::string host;        ///< as canonicalHost() writes it
    std::uint16_t port = 0;  ///< 0 = none given
    std::string branch;
    bool asksForPort = false;  ///< has `rport` (RFC 3581)

    std::string_view sentBy;  ///< the element without its parameters
    std::vector<std::string_view> params;
    std::string_view rest;  ///< the elements below it, with the comma
};
/// Borrows from `value`. Nothing when it is no Via.
std::optional<Via> parseVia(std::string_view value);

/// With `received`, when it asks for it or names another host, and `rport`.
std::string withReceived(const Via& via, const std::string& sourceHost, std::uint16_t sourcePort);

/// The values that one header line may list: a Via for each hop that Max-Forwards can allow. The
/// time that sofia needs grows with the square of their number: 0.1 ms for these, seconds for what
/// a datagram holds.
inline constexpr std::size_t kMostListed = 256;
/// Whether it lists more. Text, which may have commas, is no list.
bool listsTooMuch(const HeaderLine& line);

/// Whether it is of a form so plain that sofia's parser reads it without being asked: what nearly
/// every line of a MESSAGE is. True says that isReadable() is; false says nothing.
bool isPlain(const HeaderLine& line) noexcept;
/// What sofia's parser says, in bounded time: what lists too much is not read.
bool parserReads(const HeaderLine& line);

/// Whether sofia's parser reads it.
inline bool isReadable(const HeaderLine& line)
{
    return isPlain(line) || parserReads(line);
}

/// Cuts what comes over a connection into messages (RFC 3261 section 18.3). It never holds more
/// than one message of the largest size and what was added last, whatever a length says. *Value.*
class StreamFramer {
public:
    struct Piece {
        enum class Kind {
            More,     ///< the rest has not come yet
            Message,  ///< a whole one
            Ping,     ///< a keep-alive that wants an empty line back (RFC 5626 section 4.4.1)
            Refused,  ///< where the next one begins is not known: answer `status` and close
            Junk      ///< no SIP: close
        };
        Kind kind = Kind::More;
        std::string bytes;  ///< of Refused the head, or as much of it as came
        int status = 0;
    };

    explicit StreamFramer(std::size_t largest) : largest_(largest) {}

    void add(std::string_view bytes);
    /// Nothing follows Refused or Junk.
    Piece next();
    /// A message has begun and not ended.
    bool isMidMessage() const noexcept { return at_ < held_.size(); }

private:
    std::string_view rest() const noexcept { return std::string_view{held_}.substr(at_); }
    void skipEmptyLines();
    Piece headPiece(std::size_t head);
    Piece wholePiece();
    void take(std::size_t bytes);

    std::size_t largest_;
    std::string held_;
    std::size_t at_ = 0;        ///< where what is not taken yet begins
    std::size_t searched_ = 0;  ///< of rest(), where no head has ended
    std::size_t whole_ = 0;     ///< of rest(), the message once its length is known
    bool namesSip_ = false;     ///< its first line does
    std::size_t emptyLines_ = 0;
};

}  // namespace restante::sip
