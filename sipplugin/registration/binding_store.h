#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace restante::sip {

/// Where a user can be reached, as one REGISTER said (RFC 3261 section 10). *Value.*
struct Binding {
    std::string contact;            ///< the URI as registered, parameters included
    std::string instance;           ///< `+sip.instance` without quotes and brackets, or empty
    std::string regId;              ///< `reg-id` of RFC 5626, or empty
    std::uint32_t q = 1000;         ///< preference in thousandths
    std::vector<std::string> path;  ///< Path values of RFC 3327, first = nearest to us
    std::string source;             ///< "address:port" the REGISTER came from, IPv6 in brackets
    std::string flow;               ///< ReceivedRequest::flow of a REGISTER without a proxy between
                                    ///< (RFC 5626); empty = none
    bool behindNat = false;         ///< its Via names another address than `source`
    std::string transport;          ///< "udp" | "tcp" it came over
    std::string callId;
    std::uint32_t cseq = 0;
    TimePoint updated{};
    TimePoint expires{};

    friend bool operator==(const Binding&, const Binding&) = default;
};

/// What identifies a binding within its AoR: the device's instance, whatever its reg-id; of a
/// device that names none its contact.
std::string keyOf(const Binding& binding);

/// What one REGISTER asks for, applied whole or not at all.
struct BindingUpdate {
    std::string aor;  ///< canonical
    std::string callId;
    std::uint32_t cseq = 0;
    std::vector<Binding> put;
    std::vector<Binding> remove;  ///< by keyOf(); one with a reg-id only while that is the living
                                  ///< one's, which may be a newer flow
    bool removeAll = false;       ///< Contact: *
};

/// The port to wherever bindings live. Calls are answered once, on the loop, never from inside
/// the call. *One loop.*
class BindingStore {
public:
    BindingStore() = default;
    BindingStore(const BindingStore&) = delete;
    BindingStore& operator=(const BindingStore&) = delete;
    virtual ~BindingStore() = default;

    /// The living bindings, highest q first, then the most recently updated.
    virtual void lookup(std::string aor, Done<std::vector<Binding>> done) = 0;

    /// Answers the bindings that live afterwards, in the same order. Stale when a binding it
    /// touches was made by a later request of the same Call-ID; Conflict when it puts more
    /// bindings than an AoR may have. Of others those updated longest ago give way. A success means
    /// stored.
    virtual void update(BindingUpdate update, Done<std::vector<Binding>> done) = 0;
};

}  // namespace restante::sip
