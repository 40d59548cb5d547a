#pragma once

#include "sipplugin/message/aor.h"
#include "sipplugin/message/header_name.h"
#include "sipplugin/message/listen_address.h"

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
    std::optional<std::string_view> header(std::string_view name) const;
    /// The same of a name that is known; Other finds nothing.
    std::optional<std::string_view> header(HeaderName wanted) const;
    std::vector<std::string_view> all(std::string_view name) const;
    /// The elements of headers of that name, each of which may list several.
    std::vector<std::string_view> listed(std::string_view name) const;
    /// How many lines have that name.
    std::size_t count(std::string_view name) const;
};

/// Whether a header stands twice of which a message has one (RFC 3261 section 7.3.1) and a phone's
/// parser refuses a second. Who takes such a message cannot deliver it.
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
    /// By which the peer is reached again: a connection, which ends once, or one of our UDP
    /// sockets, with the address that the peer sends to when it listens on all.
    /// RequestSender::Route takes it.
    std::string flow;
    /// Of TLS: the names, in lower case, of the peer's certificate that we believe.
    std::vector<std::string> certifiedNames;
    std::string authenticatedAor;  ///< proved by a digest; empty = the source is trusted

    /// What requestUri, From and To say, each taken apart when it is first asked for; what is
    /// written into them later is not seen.
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

/// How long a user's binding is to be reached by the connection that the REGISTER came by. *Value.*
struct ConnectionKeep {
    std::string user;              ///< AoR
    std::chrono::seconds left{0};  ///< 0 = no longer

    friend bool operator==(const ConnectionKeep&, const ConnectionKeep&) = default;
};

/// What we answer a request. To-tag, Via and the other copied headers are added by the agent.
struct SipAnswer {
    int status = 500;
    std::string phrase;  ///< empty = the standard one
    std::vector<std::pair<std::string, std::string>> headers;
    /// How long the agent keeps a silent connection for that user; nothing = as before.
    std::optional<ConnectionKeep> keepConnection = std::nullopt;
};

/// "address:port" that a request came from, IPv6 in brackets.
std::string sourceOf(const ReceivedRequest& request);

/// No proxy has brought it: its flow is the device's own.
bool isDirect(const ReceivedRequest& request);

/// A device that knows its own address says in its Via where its request came from (RFC 3581): its
/// contact can be believed, also when it names somebody else. Any other is behind a NAT.
bool isBehindNat(const ReceivedRequest& request);

}  // namespace restante::sip
