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

/// Whether one of `peers` (`sip.trusted`) has sent the request. *Pure function.*
bool isFromOneOf(const std::vector<TrustedPeer>& peers, const ReceivedRequest& request) noexcept;

/// Checks every request before its handler gets it: trust, form, hops, extensions, method, domain,
/// authentication, duplicates and load. docs/sip-behaviour.md has the order. *One loop.*
class SipRequestGuard {
public:
    /// Handles a request that has passed; the text is valid during the call only.
    using Handler = std::function<void(const ReceivedRequest&, Respond)>;
    struct Parts {
        const Clock& clock;
        const LocalDomains& domains;
        std::vector<TrustedPeer> trusted;
        Handler message;
        Handler registration;                    ///< empty: REGISTER is not allowed
        Authenticator* authenticator = nullptr;  ///< null: untrusted peers are answered 403
        Handler notification = {};               ///< empty: NOTIFY is not allowed
        Handler subscription = {};               ///< empty: SUBSCRIBE is not allowed
        std::function<bool()> storeServes = {};  ///< for OPTIONS; empty: always true
    };
    explicit SipRequestGuard(Parts parts)
        : parts_(std::move(parts)),
          pending_(std::make_shared<PendingRequests>(parts_.clock))
    {
    }
    SipRequestGuard(const SipRequestGuard&) = delete;
    SipRequestGuard& operator=(const SipRequestGuard&) = delete;

    void handle(std::unique_ptr<IncomingRequest> request);

    /// From now on what would be handled is answered 503, OPTIONS too: the daemon is stopping.
    /// `onIdle` is called once, when what was handled before is answered; perhaps at once.
    void close(std::function<void()> onIdle);
    bool isClosed() const noexcept { return closed_; }

    /// The number of requests whose handler has not answered yet.
    std::size_t inProgress() const noexcept { return pending_->inProgress; }

private:
    struct PendingRequests {
        explicit PendingRequests(const Clock& clock) : retransmissions(clock) {}

        RetransmissionCache retransmissions;
        std::size_t inProgress = 0;
        std::size_t inProgressOverUdp = 0;
        std::function<void()> onIdle;  ///< of close(), until it is called

        void reportIfIdle();
    };

    SipAnswer optionsAnswer() const;
    std::optional<SipAnswer> refusalOf(const IncomingRequest& request) const;
    std::optional<SipAnswer> untrustedRefusal(const ReceivedRequest& request) const;
    /// Whether the request comes from an untrusted peer, who may and must log in.
    bool mustLogIn(const ReceivedRequest& request) const;
    std::optional<SipAnswer> addressRefusal(const ReceivedRequest& request) const;
    void dispatch(const Handler& handler, std::unique_ptr<IncomingRequest> request);
    /// Remembers a new request; false for a repetition, which is answered here if the answer is
    /// known, and on overload, which is answered here.
    bool admitOverUdp(IncomingRequest& request);
    void
    authenticate(const Handler& handler, const ReceivedRequest& request, const Respond& respond);

    Parts parts_;
    /// Shared with pending answers, which may come after this has been destroyed.
    std::shared_ptr<PendingRequests> pending_;
    bool closed_ = false;
};

}  // namespace restante::sip
