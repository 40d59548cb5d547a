#pragma once

#include "core/base/result.h"
#include "core/redis/client/reply.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace restante::redis {

/// Cuts the bytes of a connection into replies, with hiredis' parser; its types stay in the .cpp.
/// Only the parser is used, because its socket half blocks on names, may free itself during a call,
/// and differs between 0.14 and 1.x. *One thread.*
class ReplyReader {
public:
    ReplyReader();
    ~ReplyReader();

    void feed(const char* bytes, std::size_t size);
    /// The next whole reply; an error reply, also one inside an array, as an Error (see
    /// Connection). None when more bytes are needed, or for good once the bytes are not RESP2: then
    /// protocolError() is not empty.
    std::optional<Result<Reply>> next();
    /// Whether bytes have been fed of a reply that is not whole yet; right once next() has given
    /// none.
    bool isWithinReply() const noexcept { return isWithinReply_; }
    /// Why the bytes are not RESP2; empty while they are.
    const std::string& protocolError() const noexcept { return protocolError_; }

private:
    class Parser;
    std::unique_ptr<Parser> parser_;
    std::string protocolError_;
    bool isWithinReply_ = false;
};

}  // namespace restante::redis
