#pragma once

#include "core/base/clock.h"
#include "sipplugin/auth/authenticator.h"
#include "sipplugin/auth/trusted_peers.h"
#include "sipplugin/message/answers.h"
#include "sipplugin/message/local_domains.h"
#include "sipplugin/transport/agent.h"
#include "sipplugin/transport/duplicate_memory.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

namespace restante::sip {

/// What every request passes before somebody works on it: trust, form, hops, extensions, method,
/// domain, authentication, duplicates and load. docs/sip-behaviour.md has the order. *One loop.*
class RequestGate {
public:
    /// Works on a request that has passed; the text is valid during the call only.
    using Worker = std::function<void(const ReceivedRequest&, Respond)>;
    struct Parts {
        const Clock& clock;
        const LocalDomains& domains;
        TrustedPeers trusted;
        Worker message;
        Worker registration;                     ///< empty: REGISTER is not allowed
        Authenticator* authenticator = nullptr;  ///< null: who is not trusted is answered 403
        Worker notification = {};                ///< empty: NOTIFY is not allowed
        Worker subscription = {};                ///< empty: SUBSCRIBE is not allowed
        std::function<bool()> storeServes = {};  ///< for OPTIONS; empty: it does
    };
    explicit RequestGate(Parts parts);
    RequestGate(const RequestGate&) = delete;
    RequestGate& operator=(const RequestGate&) = delete;
    ~RequestGate();

    void take(std::unique_ptr<IncomingRequest> request);

    /// From now on every request that is for us is answered 503, OPTIONS too, so that proxies
    /// choose another: the host is going to stop.
    void close();

    /// Requests whose worker has not answered yet.
    std::size_t underWay() const noexcept;

private:
    struct Desk;

    SipAnswer liveness() const;
    std::optional<SipAnswer> refusalOf(const IncomingRequest& request) const;
    std::optional<SipAnswer> strangersRefusal(const ReceivedRequest& request) const;
    std::optional<SipAnswer> loginRefusal(const ReceivedRequest& request);
    /// May log in, and has to.
    bool isStranger(const ReceivedRequest& request) const;
    std::optional<SipAnswer> wrongAddress(const ReceivedRequest& request) const;
    void hand(const Worker& worker, std::unique_ptr<IncomingRequest> request);
    /// False for a repetition, which is answered here if it can be, and when there is no room.
    bool isNew(IncomingRequest& request);
    void authenticate(const Worker& worker, const ReceivedRequest& request, const Respond& respond);

    Parts parts_;
    /// Shared with the answers under way, which may come after this has gone.
    std::shared_ptr<Desk> desk_;
    bool closed_ = false;
};

}  // namespace restante::sip
