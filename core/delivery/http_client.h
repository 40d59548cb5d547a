#pragma once

#include "core/base/address_policy.h"
#include "core/base/event_loop.h"

#include <tl/expected.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante::delivery {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

/// A gateway may want a whole text message in its URL, of which percent-encoding makes nine times
/// as much; what may be pushed is bounded elsewhere.
inline constexpr std::size_t kLongestUrl = 65'536;

/// *Value.*
struct HttpRequest {
    std::string method = "POST";
    std::string url;  ///< http or https; as parseWebUrl() accepts it (core/job/web_url.h), but up
                      ///< to kLongestUrl
    HttpHeaders headers{};             ///< Host, Content-Length and framing are ours
    std::string body{};                ///< sent with POST, PUT and PATCH, even when it is empty
    Millis connectTimeout{5'000};      ///< name, TCP and TLS together
    Millis timeout{15'000};            ///< from send() to the last byte of the answer
    std::size_t answerLimit = 65'536;  ///< bytes of the answer's body that are kept
};

/// *Value.*
struct HttpAnswer {
    int status = 0;
    HttpHeaders headers{};  ///< of the last answer (not of a 100), in its order and spelling
    std::string body{};
    bool truncated = false;  ///< the body was longer than `answerLimit`; the rest was not read
    Millis elapsed{0};       ///< from send() to the last byte

    /// The first header of that name (case ignored), trimmed; empty when there is none.
    std::string_view header(std::string_view name) const noexcept;
};

/// Why there is no answer. *Value.* The message is a sentence for last_error: "cannot resolve
/// hooks.example.org". It holds neither the URL's path nor its query, which may be secret.
struct HttpError {
    enum class Kind {
        Invalid,  ///< the request is wrong; repeating it cannot help
        Refused,  ///< the address policy forbids every address of that host
        Resolve,  ///< the name has no address (now)
        Connect,  ///< nobody listens there
        Tls,      ///< no handshake, or a certificate that is not believed
        Timeout,  ///< no connection or no whole answer in time
        Broken,   ///< the peer hung up, or what it answered is not HTTP
    };
    Kind kind = Kind::Broken;
    std::string message;
};

using HttpResult = tl::expected<HttpAnswer, HttpError>;

/// Sends HTTP requests (libcurl) on a given event loop; connections are kept for the next request
/// to the same host. It follows no redirect, asks no proxy and no .netrc, keeps no cookies, speaks
/// nothing but HTTP/1.1 over TCP or TLS, and opens no connection that its AddressPolicy refuses.
/// Destroying it ends every transfer; their callbacks are not called. *One loop.*
class HttpClient {
public:
    struct Settings {
        AddressPolicy policy{};
        std::string userAgent = {};  ///< empty = "restante/<version>"
        /// Connections to one host at a time, 0 = no limit. A request that waits for one uses up
        /// its time-out; a caller that does not want this sends less at once.
        std::size_t maxConnectionsPerHost = 0;
        std::size_t maxIdleConnections = 64;
        std::filesystem::path caFile = {};  ///< certificates to believe; empty = the system's
    };
    /// Called exactly once and never from inside send(). It may send, and destroy the client.
    using Handler = std::function<void(HttpResult)>;
    using RequestId = std::uint64_t;

    HttpClient(EventLoop& loop, Settings settings);
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;
    ~HttpClient();

    RequestId send(HttpRequest request, Handler handler);
    std::size_t inFlight() const noexcept;

private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace restante::delivery
