#pragma once

#include "sipplugin/message/log_rate_limiter.h"
#include "sipplugin/outbound/digest_client.h"
#include "sipplugin/transport/request_sender.h"

#include <memory>

namespace restante::sip {

/// A RequestSender that logs in at one server, `sip.proxy`: a 401 or 407 from there is answered by
/// the request with our credentials, as a new transaction and with another CSeq (RFC 3261 section
/// 22.2). Credentials go nowhere else. What is passed on is the last answer. *One loop.*
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
        /// that no server takes it for a copy (RFC 3261 section 8.2.2.2); in a dialog the next one.
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
