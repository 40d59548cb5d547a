#pragma once

#include "core/base/error.h"
#include "core/base/interface.h"
#include "core/base/result.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante::http {

/// The rights of a bearer token. Values combine: see Tokens::Token::scopes.
enum class Scope : unsigned {
    Push = 1,   ///< push jobs and reminders, look at single jobs
    Pop = 2,    ///< pop, finish, retry, touch, bury with an attempt
    Admin = 4,  ///< everything: list, operator verbs, pause, events
};

/// How errors that the server itself answers (401, 404, 405, 413 ...) look on a route: problem
/// details, the classic {"code":1,"message":...,"data":null}, or a line of plain text.
enum class Dialect { V1, Classic, Plain };

/// The bounds of a token without the scope admin, as patterns (matchesPattern). *Value.*
struct TokenGrant {
    std::vector<std::string> topics;   ///< patterns; empty = every topic
    std::vector<std::string> senders;  ///< patterns; empty = whatever sender a push names

    /// Whether jobs of the topic may be pushed, taken, seen and changed.
    bool coversTopic(std::string_view topic) const noexcept;
    /// Whether a push may name that sender.
    bool coversSender(std::string_view sender) const noexcept;

    friend bool operator==(const TokenGrant&, const TokenGrant&) = default;
};

struct Header {
    std::string name;
    std::string value;
};

/// One request, complete, with its framing undone. *Value.*
struct Request {
    std::string method;  ///< "GET", in capitals
    std::string path;    ///< as it came, percent-encoded, without the query; begins with "/"
    std::vector<std::pair<std::string, std::string>> query;  ///< decoded, in order
    std::vector<Header> headers;
    std::string body;
    std::string actor;  ///< for the audit: the token's name, else the peer's address
    bool admin = true;  ///< the caller may do everything, not only what the route needs
    std::shared_ptr<const TokenGrant> grant;  ///< the token's bounds; null = none

    /// The first of that name, case-insensitive; none when it is absent.
    std::optional<std::string_view> header(std::string_view name) const;
    /// The first query parameter of that name.
    std::optional<std::string_view> parameter(std::string_view name) const;
};

struct Response {
    int status = 200;
    std::string contentType = "application/json";
    std::string body = {};
    std::vector<Header> headers = {};
};

/// A request that waits for its answer. Handlers share it until they answer; one that is dropped
/// unanswered is answered 500. *One loop.*
class HttpCall : public Interface {
public:
    virtual const Request& request() const noexcept = 0;
    /// A value that the router has taken from the path, decoded: "{id}" -> "id". Empty when there
    /// is none.
    virtual std::string_view pathValue(std::string_view name) const noexcept = 0;

    /// Answers; exactly one of respond() and beginStream() is called. When the client has gone
    /// before the bytes were handed to the system, `onUndelivered` is called in a later turn, so
    /// that what was claimed for the client can be given back.
    virtual void respond(Response response, std::function<void()> onUndelivered = {}) = 0;

    /// Begins a streamed answer (server-sent events). False when no piece can be sent: the client
    /// has gone, or asked by HEAD.
    virtual bool beginStream(std::string contentType) = 0;
    /// Sends a piece of it; `backlog()` bytes wait in front of it.
    virtual void send(std::string piece) = 0;
    virtual std::size_t backlog() const noexcept = 0;
    virtual void endStream() = 0;

    /// Called once, later, when the client goes before it has been answered completely, or when the
    /// server stops in the middle of a stream, which is then to be ended.
    virtual void onClosed(std::function<void()> handler) = 0;
    virtual bool closed() const noexcept = 0;
};

using HttpCallPtr = std::shared_ptr<HttpCall>;
using Handler = std::function<void(HttpCallPtr)>;

/// RFC 9457: {"type","title","status","detail"} and, when one is to blame, "field".
Response
problem(int status, std::string_view title, std::string_view detail, std::string_view field = {});
/// The store's error as an answer: Invalid 400, NotFound 404, Conflict and Stale 409, MailboxFull
/// 429, temporary ones and Denied 503 with Retry-After, Internal 500.
Response problemOf(const Error& error);
/// {"code":1,"message":...,"data":null}
Response classicFailure(int status, std::string_view message);
Response refusal(Dialect dialect, int status, std::string_view title, std::string_view detail);

}  // namespace restante::http
