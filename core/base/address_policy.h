#pragma once

#include "core/base/network.h"
#include "core/base/result.h"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace restante {

/// Which addresses are this machine's own: loopback, and those of its interfaces. They are read
/// again when the last reading is older than kFresh, so an address that appears later is own, too.
/// *Any thread.*
class OwnAddresses {
public:
    using Steady = std::chrono::steady_clock;
    using Read = std::function<std::vector<std::string>()>;
    using Now = std::function<Steady::time_point()>;

    /// One reading takes a system call or two; a burst of connections shares it.
    static constexpr std::chrono::seconds kFresh{2};

    /// `read` returns numeric addresses; empty = it has failed, and the last reading stays.
    explicit OwnAddresses(Read read = machineAddresses, Now now = Steady::now);

    /// `address` is numeric; "::ffff:10.0.0.1" counts as 10.0.0.1. False for anything else.
    bool contains(std::string_view address) const;

    /// The one of this process, shared by all policies that ask for it.
    static std::shared_ptr<const OwnAddresses> ofMachine();

private:
    Read read_;
    Now now_;
    mutable std::mutex mutex_;  ///< guards what is below
    mutable std::vector<Network> addresses_;
    mutable Steady::time_point readAgain_{};
};

/// Which addresses a request may be sent to, so that whoever may push a webhook cannot make us talk
/// to what only we can reach (server-side request forgery). It is asked for the address that a
/// connection is about to be opened to, not for a name, so a name that resolves to something else
/// the second time gains nothing. This machine's own addresses are not open either, were they
/// public: what listens there may be meant for this machine only. *Value.*
class AddressPolicy {
public:
    /// Public addresses that are not this machine's, and nothing else: the default of
    /// `webhook.allow`.
    AddressPolicy() = default;
    /// Those, and what `words` name: networks or addresses ("10.0.0.0/8"), and host
    /// names ("hooks.example.org", case ignored), whose addresses may then be any. Refuses what is
    /// neither. `own` is never null.
    static Result<AddressPolicy>
    allowing(const std::vector<std::string>& words,
             std::shared_ptr<const OwnAddresses> own = OwnAddresses::ofMachine());
    /// For a peer that the operator has configured, such as an SMS gateway.
    static AddressPolicy everything();

    /// What speaks against `address` (numeric, without a zone) of `host` (as the URL has it,
    /// without brackets): "is a loopback address"; none = it is allowed. What is no address at all
    /// is refused.
    std::optional<std::string> refusal(std::string_view host, std::string_view address) const;
    /// Whether the operator has named this host or address: it is not merely public.
    bool names(std::string_view host, std::string_view address) const;
    /// Those of `addresses` that are public and refused all the same, because they are this
    /// machine's; to be allowed by the operator when a receiver runs here.
    std::vector<std::string> closedPublic(const std::vector<std::string>& addresses) const;
    /// Whether `address` is this machine's, loopback or another, also when IPv6 carries it.
    bool isOwn(std::string_view address) const;

private:
    bool everything_ = false;
    /// Shared by the copies of a policy, which live on several loops: one reading serves them all.
    std::shared_ptr<const OwnAddresses> own_ = OwnAddresses::ofMachine();
    std::vector<Network> networks_;
    std::vector<std::string> hosts_;  ///< in lower case
};

/// "loopback", "private" ... for an address that is not public, none for a public one. IPv4 inside
/// IPv6 (mapped, compatible, NAT64, 6to4) counts as what it carries. Pure; the IANA special-purpose
/// registries (RFC 6890) are the source.
std::optional<std::string_view> specialPurposeOf(std::string_view address) noexcept;

}  // namespace restante
