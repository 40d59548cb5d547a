#pragma once

#include "sipplugin/auth/digest_login.h"
#include "sipplugin/sofia/request_sender.h"

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

    /// Without a user in `login` it does what a RequestSender does.
    LoginSender(Agent& agent, std::string proxy, ProxyLogin login);

    void send(const std::string& request, const Way& way, Answered answered, Late late = {});
    std::size_t underWay() const noexcept { return sender_.underWay(); }

private:
    struct Errand;

    void depart(const std::shared_ptr<Errand>& errand);
    /// Whether to send it again.
    bool canAnswer(Errand& errand, const Response& response);

    RequestSender sender_;
    std::string proxy_;
    DigestLogin login_;
};

}  // namespace restante::sip
