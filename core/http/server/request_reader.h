#pragma once

#include "core/http/server/http_call.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante::http {

/// Undoes the framing of one request after the other (RFC 9112), strictly: what two servers could
/// read differently is refused, because such requests are how others' requests are smuggled.
/// Knows no sockets. *One loop.*
class RequestReader {
public:
    struct Limits {
        std::size_t header = 16'384;  ///< bytes of request line and headers; 431 beyond
        std::size_t body = 0;         ///< bytes; 413 beyond
    };
    /// Why a request cannot be read on. Its connection has to be closed after the answer.
    struct Refused {
        int status = 400;
        std::string detail;
    };
    enum class Progress {
        Header,     ///< more bytes must come
        HeaderEnd,  ///< request() is there but for its body; reported once
        Body,       ///< more bytes must come
        Complete,   ///< request() is complete; begin() before the next
        Refused,    ///< refused() says why
    };

    explicit RequestReader(Limits limits);
    ~RequestReader();

    /// Forgets the request before.
    void begin();
    /// Takes what it can use from the front of `bytes`, and no more than one step's worth.
    Progress read(std::string_view& bytes) { return inBody_ ? readBody(bytes) : readHeader(bytes); }

    /// From HeaderEnd on. The path is as it came; the query is decoded.
    Request& request() noexcept { return request_; }
    const Refused& refused() const noexcept { return refused_; }
    /// At HeaderEnd: this body may have so many bytes and no more. False, and refused() says why,
    /// when it is known already that it has.
    bool limitBody(std::size_t bytes);
    bool keepAlive() const noexcept;
    bool hasBody() const noexcept;
    bool expectsContinue() const noexcept;
    bool isHttp10() const noexcept;
    /// What the request is addressed to: of the Host header, or of an absolute request target.
    const std::string& authority() const noexcept { return authority_; }

private:
    struct Parsing;
    Progress readHeader(std::string_view& bytes);
    Progress readBody(std::string_view& bytes);
    Progress takeHeader();
    Progress takeTarget(std::string_view target);
    Progress refuse(Refused why);

    std::unique_ptr<Parsing> parsing_;
    Limits limits_;
    std::size_t bodyLimit_ = 0;  ///< of this request
    Request request_;
    Refused refused_;
    std::string authority_;
    bool inBody_ = false;
    bool inChunks_ = false;  ///< the parser has seen the beginning of a chunked body
};

/// "a=1&b=two+words" as pairs, decoded (application/x-www-form-urlencoded). None when an escape is
/// broken.
std::optional<std::vector<std::pair<std::string, std::string>>> parseQuery(std::string_view text);

}  // namespace restante::http
