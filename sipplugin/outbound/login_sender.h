#pragma once

#include "sipplugin/message/log_pace.h"
#include "sipplugin/outbound/digest_login.h"
#include "sipplugin/transport/request_sender.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace restante::sip {

/// A RequestSender that logs in at one server, `sip.proxy`: a 401 or 407 from there is answered by
/// sending the request again with our credentials, as a new transaction and with another CSeq
/// (RFC 3261 section 22.2). Credentials never go anywhere else. The answer that is passed on is the
/// last one: a request that is still refused with our credentials has come to its 401 or 407. *One
/// loop.*
class LoginSender {
public:
    using Way = RequestSender::Way;
    using Response = RequestSender::Response;
    using Answered = RequestSender::Answered;
    using Late = RequestSender::Late;
    struct Settings {
        std::string proxy;  ///< the next hop that gets the credentials, with Way::otherHops
        ProxyLogin login;   ///< without a user it does what a RequestSender does
        /// Added to the CSeq for each repetition. Outside of dialogs a number of no attempt, so
        /// that no server takes it for a copy that came by two ways (RFC 3261 section 8.2.2.2); in
        /// a dialog the next one, and whoever numbers its requests counts Response::repetitions.
        std::uint32_t cseqStep = 0x100'0000;
    };

    LoginSender(Agent& agent, const Clock& clock, Settings settings);

    void send(const std::string& request, const Way& way, Answered answered, Late late = {});
    std::size_t underWay() const noexcept { return sender_.underWay(); }

private:
    struct Errand;

    void depart(const std::shared_ptr<Errand>& errand);
    /// Whether to send it again.
    bool canAnswer(Errand& errand, const Response& response);
    void complain(int status, DigestLogin::Answer answer);

    RequestSender sender_;
    Settings settings_;
    DigestLogin login_;
    LogPace complaints_;
};

}  // namespace restante::sip
