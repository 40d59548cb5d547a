#pragma once

#include "core/base/network.h"
#include "sipplugin/auth/authenticator.h"
#include "sipplugin/message/answers.h"
#include "sipplugin/message/local_domains.h"
#include "sipplugin/message/received_request.h"
#include "sipplugin/transport/agent.h"
#include "sipplugin/transport/retransmission_cache.h"

#include <memory>
#include <vector>

namespace restante::sip {

/// Whether one of `peers`, those of `sip.trusted`, has sent it. *Pure function.*
bool isFromOneOf(const std::vector<TrustedPeer>& peers, const ReceivedRequest& request) noexcept;

/// What every request passes before somebody works on it: trust, form, hops, extensions, method,
/// domain, authentication, duplicates and load. docs/sip-behaviour.md has the order. *One loop.*
class SipRequestGuard {
public:
    /// Works on a request that has passed; the text is valid during the call only.
    using Handler = std::function<void(const ReceivedRequest&, Respond)>;
    struct Parts {
        const Clock& clock;
        const LocalDomains& domains;
        std::vector<TrustedPeer> trusted;
        Handler message;
        Handler registration;                    ///< empty: REGISTER is not allowed
        Authenticator* authenticator = nullptr;  ///< null: who is not trusted is answered 403
        Handler notification = {};               ///< empty: NOTIFY is not allowed
        Handler subscription = {};               ///< empty: SUBSCRIBE is not allowed
        std::function<bool()> storeServes = {};  ///< for OPTIONS; empty: it does
    };
    explicit SipRequestGuard(Parts parts)
        : parts_(std::move(parts)),
          pending_(std::make_shared<PendingRequests>(parts_.clock))
    {
    }
    SipRequestGuard(const SipRequestGuard&) = delete;
    SipRequestGuard& operator=(const SipRequestGuard&) = delete;

    void handle(std::unique_ptr<IncomingRequest> request);

    /// From now on every request is answered 503, OPTIONS too: the host is going to stop.
    void close() { closed_ = true; }

    /// Requests whose worker has not answered yet.
    std::size_t underWay() const noexcept { return pending_->underWay; }

private:
    struct PendingRequests {
        explicit PendingRequests(const Clock& clock) : retransmissions(clock) {}

        RetransmissionCache retransmissions;
        std::size_t underWay = 0;
        std::size_t underWayOverUdp = 0;
    };

    SipAnswer liveness() const;
    std::optional<SipAnswer> refusalOf(const IncomingRequest& request) const;
    std::optional<SipAnswer> strangersRefusal(const ReceivedRequest& request) const;
    /// May log in, and has to.
    bool isStranger(const ReceivedRequest& request) const;
    std::optional<SipAnswer> wrongAddress(const ReceivedRequest& request) const;
    void passOn(const Handler& handler, std::unique_ptr<IncomingRequest> request);
    /// False for a repetition, which is answered here if it can be, and when there is no room.
    bool isNew(IncomingRequest& request);
    void
    authenticate(const Handler& handler, const ReceivedRequest& request, const Respond& respond);

    Parts parts_;
    /// Shared with the answers under way, which may come after this has gone.
    std::shared_ptr<PendingRequests> pending_;
    bool closed_ = false;
};

}  // namespace restante::sip
