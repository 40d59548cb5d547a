#pragma once

#include "sipplugin/message/aor.h"
#include "sipplugin/message/header_name.h"
#include "sipplugin/message/transport_address.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

namespace restante::sip {

/// One header line as it was written, unfolded and trimmed; `name` is the long form.
struct HeaderLine {
    HeaderLine(std::string_view longName, std::string_view text)
        : header(headerNamed(longName)),
          name(longName),
          value(text)
    {
    }

    HeaderName header;
    std::string_view name;
    std::string_view value;
};

/// The header lines of a message, in the order of arrival. *Value* that borrows.
struct MessageHeaders {
    std::vector<HeaderLine> headers;

    /// The first header of that (long) name, compared without case; nothing when there is none.
    std::optional<std::string_view> header(std::string_view name) const&;
    /// The same for a known name; Other finds nothing.
    std::optional<std::string_view> header(HeaderName wanted) const&;
    std::vector<std::string_view> all(std::string_view name) const&;
    /// The comma-separated elements of all headers of that name.
    std::vector<std::string_view> elements(std::string_view name) const&;
    /// How many lines have that name.
    std::size_t count(std::string_view name) const;

    // A value may lie in the message itself, as the unfolded ones of a MessageText do.
    std::optional<std::string_view> header(std::string_view name) const&& = delete;
    std::optional<std::string_view> header(HeaderName wanted) const&& = delete;
    std::vector<std::string_view> all(std::string_view name) const&& = delete;
    std::vector<std::string_view> elements(std::string_view name) const&& = delete;
};

/// Whether a header appears twice that may appear only once (RFC 3261 section 7.3.1), and whose
/// second one a phone's parser refuses: such a message could not be delivered.
bool repeatsSingleHeader(const MessageHeaders& message) noexcept;

/// A request as text. *Value* that borrows: valid while the message lives.
struct ReceivedRequest : MessageHeaders {
    std::string_view method;
    std::string_view requestUri;
    std::string_view version = "SIP/2.0";
    std::string_view body;  ///< NUL-safe
    Transport transport = Transport::Udp;
    std::string sourceHost;  ///< address literal of the peer, IPv6 without brackets
    std::uint16_t sourcePort = 0;
    /// Identifies how to reach the peer again, for RequestSender::Route: the connection, or our UDP
    /// socket and, when that is bound to a wildcard, the local address that the peer sends to.
    std::string flow;
    /// Over TLS: the names, in lower case, in the peer's verified certificate.
    std::vector<std::string> certificateNames;
    std::string authenticatedAor;  ///< proved by a digest; empty = the source is trusted

    /// requestUri, From and To, each parsed at the first call; later changes have no effect.
    const Result<SipUri>& target() const;
    const Result<NameAddr>& from() const;
    const Result<NameAddr>& to() const;

private:
    mutable std::optional<Result<SipUri>> target_;
    mutable std::optional<Result<NameAddr>> from_;
    mutable std::optional<Result<NameAddr>> to_;
};

/// The number and method of a CSeq header.
struct CSeq {
    std::uint32_t number = 0;
    std::string_view method;
};
std::optional<CSeq> parseCSeq(std::string_view text);

/// How long to keep the connection by which a user has registered. *Value.*
struct ConnectionLifetime {
    std::string user;                   ///< AoR
    std::chrono::seconds remaining{0};  ///< 0 = no longer

    friend bool operator==(const ConnectionLifetime&, const ConnectionLifetime&) = default;
};

/// Our answer to a request. The agent adds the To-tag, Via and the other copied headers.
struct SipAnswer {
    int status = 500;
    std::string phrase;  ///< empty = the standard one
    std::vector<std::pair<std::string, std::string>> headers;
    /// How long the agent keeps a silent connection for that user; nothing = as before.
    std::optional<ConnectionLifetime> keepConnection = std::nullopt;
};

/// The "address:port" that a request came from, IPv6 in brackets.
std::string sourceOf(const ReceivedRequest& request);

/// Whether it came without a proxy, so that its flow leads to the device itself.
bool isDirect(const ReceivedRequest& request);

/// Whether the Via names another address than the request came from (RFC 3581). If it names the
/// same, the device knows its own address, and its contact can be trusted even when that names
/// another host.
bool isBehindNat(const ReceivedRequest& request);

}  // namespace restante::sip
