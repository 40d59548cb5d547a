#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace restante::sip {

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
    bool isAmidst() const noexcept { return at_ < held_.size(); }

private:
    std::string_view rest() const noexcept { return std::string_view{held_}.substr(at_); }
    void skipEmptyLines();
    Piece ofHead(std::size_t head);
    Piece ofWhole();
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
