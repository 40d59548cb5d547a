#pragma once

#include "sipplugin/message/log_rate_limiter.h"
#include "sipplugin/outbound/digest_client.h"
#include "sipplugin/transport/request_sender.h"

#include <memory>

namespace restante::sip {

/// A RequestSender that logs in at one server, `sip.proxy`: a 401 or 407 from there is answered by
/// sending the request again with our credentials, as a new transaction and with another CSeq
/// (RFC 3261 section 22.2). Credentials never go anywhere else. The answer that is passed on is the
/// last one: a request that is still refused with our credentials has come to its 401 or 407. *One
/// loop.*
class AuthenticatingSender {
public:
    using Way = RequestSender::Way;
    using Response = RequestSender::Response;
    using Answered = RequestSender::Answered;
    using Late = RequestSender::Late;
    struct Settings {
        std::string proxy;       ///< the next hop that gets the credentials, with Way::otherHops
        ProxyCredentials login;  ///< without a user it does what a RequestSender does
        /// Added to the CSeq for each repetition. Outside of dialogs a number of no attempt, so
        /// that no server takes it for a copy that came by two ways (RFC 3261 section 8.2.2.2); in
        /// a dialog the next one, and whoever numbers its requests counts Response::repetitions.
        std::uint32_t cseqStep = 0x100'0000;
    };

    AuthenticatingSender(Agent& agent, const Clock& clock, Settings settings)
        : sender_(agent),
          settings_(std::move(settings)),
          login_(settings_.login),
          complaints_(clock)
    {
    }

    void send(const std::string& request, const Way& way, Answered answered, Late late = {});
    std::size_t underWay() const noexcept { return sender_.underWay(); }

private:
    struct PendingRequest;

    void sendRequest(const std::shared_ptr<PendingRequest>& pending);
    /// Whether to send it again.
    bool canAnswer(PendingRequest& pending, const Response& response);
    void complain(int status, DigestClient::Answer answer);

    RequestSender sender_;
    Settings settings_;
    DigestClient login_;
    LogRateLimiter complaints_;
};

}  // namespace restante::sip
