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
/// again when the last reading is older than kReadInterval, so an address that appears later is
/// own, too. *Any thread.*
class OwnAddresses {
public:
    using SteadyClock = std::chrono::steady_clock;
    using Read = std::function<std::vector<std::string>()>;
    using Now = std::function<SteadyClock::time_point()>;

    /// One reading takes a system call or two; a burst of connections shares it.
    static constexpr std::chrono::seconds kReadInterval{2};

    /// `read` returns numeric addresses; empty = it has failed, and the last reading stays.
    explicit OwnAddresses(Read read = machineAddresses, Now now = SteadyClock::now);

    /// `address` is numeric; "::ffff:10.0.0.1" counts as 10.0.0.1. False for anything else.
    bool contains(std::string_view address) const;

    /// The instance of this process, shared by all policies that ask for it.
    static std::shared_ptr<const OwnAddresses> ofMachine();

private:
    Read read_;
    Now now_;
    mutable std::mutex mutex_;  ///< guards what is below
    mutable std::vector<Network> addresses_;
    mutable SteadyClock::time_point nextReadTime_{};
};

/// Decides which addresses a request may be sent to, so that whoever may push a webhook cannot make
/// us connect to what only we can reach (server-side request forgery). It checks the address that a
/// connection is about to be opened to and not a name, so a name that resolves differently the
/// second time gains nothing. This machine's own addresses are refused even if they are public:
/// what listens there may be meant for this machine only. *Value.*
class AddressPolicy {
public:
    /// Public addresses that are not this machine's, and nothing else: the default of
    /// `webhook.allow`.
    AddressPolicy() = default;
    /// Also allows what `words` name: networks or addresses ("10.0.0.0/8"), and host names
    /// ("hooks.example.org", case ignored), whose addresses may then be any. Refuses what is
    /// neither. `own` is never null.
    static Result<AddressPolicy>
    allowing(const std::vector<std::string>& words,
             std::shared_ptr<const OwnAddresses> own = OwnAddresses::ofMachine());
    /// The network or address that a word of allowing() names, also one in brackets; none for a
    /// host.
    static std::optional<Network> networkOf(std::string_view word);
    /// For a peer that the operator has configured, such as an SMS gateway.
    static AddressPolicy everything();

    /// Why `address` (numeric, without a zone) of `host` (as in the URL, without brackets) is
    /// refused: "is a loopback address"; none = it is allowed. Text that is no address is refused.
    std::optional<std::string> refusal(std::string_view host, std::string_view address) const;
    /// Whether the operator has named this host or address: it is not merely public.
    bool names(std::string_view host, std::string_view address) const;
    /// The public ones of `addresses` that are refused because they are this machine's. The
    /// operator has to allow them if a receiver runs here.
    std::vector<std::string>
    refusedPublicAddresses(const std::vector<std::string>& addresses) const;
    /// Whether `address` is this machine's, loopback or another, also when IPv6 carries it.
    bool isOwn(std::string_view address) const;

private:
    bool allowsEverything_ = false;
    /// Shared by the copies of a policy, which live on several loops: one reading serves them all.
    std::shared_ptr<const OwnAddresses> ownAddresses_ = OwnAddresses::ofMachine();
    std::vector<Network> networks_;
    std::vector<std::string> hosts_;  ///< in lower case
};

/// "a loopback", "a private" ... for an address that is not public, none for a public one. IPv4
/// inside IPv6 (mapped, compatible, NAT64, 6to4) counts as what it carries. Pure; the IANA
/// special-purpose registries (RFC 6890) are the source.
std::optional<std::string_view> specialPurposeOf(std::string_view address) noexcept;

}  // namespace restante
