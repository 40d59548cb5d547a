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

/// Parses one request after the other (RFC 9112), strictly: what two servers could read differently
/// is refused, because it allows request smuggling. Uses no sockets. *One loop.*
class RequestReader {
public:
    struct Limits {
        std::size_t header = 16'384;  ///< bytes of request line and headers; 431 beyond
        std::size_t body = 0;         ///< bytes; 413 beyond
    };
    /// Why a request is refused. Its connection has to be closed after the answer.
    struct Refusal {
        int status = 400;
        std::string detail;
    };
    enum class Progress {
        Header,     ///< more bytes must come
        HeaderEnd,  ///< request() is there but for its body; reported once
        Body,       ///< more bytes must come
        Complete,   ///< request() is complete; begin() before the next
        Refused,    ///< refusal() says why
    };

    explicit RequestReader(Limits limits);
    ~RequestReader();

    /// Prepares for the next request.
    void begin();
    /// Removes from the front of `bytes` what it has read, for one step at most.
    Progress read(std::string_view& bytes) { return inBody_ ? readBody(bytes) : readHeader(bytes); }

    /// From HeaderEnd on. The path is as it came; the query is decoded.
    Request& request() noexcept { return request_; }
    const Refusal& refusal() const noexcept { return refusal_; }
    /// At HeaderEnd: limits the body to so many bytes. False, and refusal() says why, when the
    /// header already announces more.
    bool limitBody(std::size_t bytes);
    bool keepAlive() const noexcept;
    bool hasBody() const noexcept;
    bool expectsContinue() const noexcept;
    bool isHttp10() const noexcept;
    /// The authority of the request: the Host header, or that of an absolute request target.
    const std::string& authority() const noexcept { return authority_; }

private:
    struct Parsing;
    Progress readHeader(std::string_view& bytes);
    Progress readBody(std::string_view& bytes);
    Progress takeHeader();
    Progress takeTarget(std::string_view target);
    Progress refuse(Refusal refusal);

    std::unique_ptr<Parsing> parsing_;
    Limits limits_;
    std::size_t bodyLimit_ = 0;  ///< of the current request
    Request request_;
    Refusal refusal_;
    std::string authority_;
    bool inBody_ = false;
    bool bodyBegun_ = false;  ///< the parser has been given some of the body
};

/// "a=1&b=two+words" as pairs, decoded (application/x-www-form-urlencoded). None when an escape is
/// broken.
std::optional<std::vector<std::pair<std::string, std::string>>> parseQuery(std::string_view text);

}  // namespace restante::http
