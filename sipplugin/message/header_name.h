#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace restante::sip {

/// The header fields that every message is searched for, or that are kept with it. The name is
/// looked up once, when a line is parsed, so that later searches compare numbers.
enum class HeaderName : std::uint8_t {
    Other,  ///< any that is not in this list: known by its text alone
    AcceptLanguage,
    AlertInfo,
    Authorization,
    AutoSubmitted,
    CallId,
    CallInfo,
    Contact,
    ContentDisposition,
    ContentEncoding,
    ContentId,
    ContentLanguage,
    ContentLength,
    ContentTransferEncoding,
    ContentType,
    ContributionId,
    ConversationId,
    CSeq,
    Date,
    Event,
    Expires,
    From,
    Geolocation,
    Identity,
    IdentityInfo,
    InReplyTo,
    InReplyToContributionId,
    MaxForwards,
    MimeVersion,
    Organization,
    PAssertedIdentity,
    PAssertedService,
    Path,
    PPreferredIdentity,
    PPreferredService,
    Priority,
    Privacy,
    ProxyAuthorization,
    ProxyRequire,
    RecordRoute,
    RemotePartyId,
    ReplyTo,
    Require,
    Route,
    Server,
    Subject,
    Supported,
    Timestamp,
    To,
    UserAgent,
    Via
};

inline constexpr std::size_t kHeaderNameCount = static_cast<std::size_t>(HeaderName::Via) + 1;

/// The header of that long name, compared without case. *Pure functions*, as all here.
HeaderName headerNamed(std::string_view longName) noexcept;

/// The name as its RFC writes it; "" for Other.
std::string_view name(HeaderName header) noexcept;

/// The long form of a compact name (RFC 3261 section 7.3.3 and the registry of header fields); any
/// other name unchanged.
std::string_view longHeaderName(std::string_view name) noexcept;

/// A set of header names; never contains Other. *Value.*
class HeaderNameSet {
public:
    constexpr HeaderNameSet(std::initializer_list<HeaderName> headers) noexcept
    {
        for (const auto header : headers) {
            add(header);
        }
    }
    constexpr void add(HeaderName header) noexcept { bits_ |= bit(header); }
    constexpr bool contains(HeaderName header) const noexcept
    {
        return header != HeaderName::Other && (bits_ & bit(header)) != 0;
    }

private:
    static constexpr std::uint64_t bit(HeaderName header) noexcept
    {
        return std::uint64_t{1} << static_cast<unsigned>(header);
    }
    static_assert(kHeaderNameCount <= 64);

    std::uint64_t bits_ = 0;
};

}  // namespace restante::sip
