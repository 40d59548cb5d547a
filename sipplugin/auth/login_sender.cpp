#include "sipplugin/auth/login_sender.h"

#include "core/base/log.h"
#include "sipplugin/auth/request_lines.h"

#include <utility>

namespace restante::sip {

namespace {

/// Added to the CSeq for each repetition: none of any attempt, so that no server takes it for a
/// copy that came by two ways (RFC 3261 section 8.2.2.2).
constexpr std::uint32_t kCSeqStep = 0x100'0000;

/// The challenge of the proxy, and one more: of somebody behind it, or for a nonce that has become
/// too old in between.
constexpr std::uint32_t kMostRepetitions = 2;

}  // namespace

/// One request on its way through the challenges.
struct LoginSender::Errand {
    std::string request;
    Way way;
    Answered answered;
    Late late;
    std::uint32_t repetitions = 0;
    int asked = 0;  ///< the status of the last challenge that was answered
};

LoginSender::LoginSender(Agent& agent, std::string proxy, ProxyLogin login)
    : sender_(agent),
      proxy_(std::move(proxy)),
      login_(std::move(login))
{
}

void LoginSender::send(const std::string& request, const Way& way, Answered answered, Late late)
{
    if (!login_.enabled() || proxy_.empty() || way.nextHop != proxy_) {
        sender_.send(request, way, std::move(answered), std::move(late));
        return;
    }
    depart(std::make_shared<Errand>(Errand{request, way, std::move(answered), std::move(late)}));
}

void LoginSender::depart(const std::shared_ptr<Errand>& errand)
{
    const auto [method, uri] = requestWords(errand->request);
    const auto text = withHeaders(errand->request, login_.authorize(method, uri),
                                  errand->repetitions * kCSeqStep);
    // The sender forgets what is under way when it goes, and it goes with this.
    auto answered = [this, errand](Response response) {
        if (canAnswer(*errand, response)) {
            ++errand->repetitions;
            depart(errand);
        } else {
            errand->answered(std::move(response));
        }
    };
    sender_.send(text, errand->way, std::move(answered), errand->late);
}

bool LoginSender::canAnswer(Errand& errand, const Response& response)
{
    if (response.ofOurs || (response.status != 401 && response.status != 407)) {
        return false;
    }
    const auto& challenges =
        response.status == 407 ? response.proxyAuthenticate : response.wwwAuthenticate;
    const auto answer = login_.challenged({response.status, challenges});
    const bool again = std::exchange(errand.asked, response.status) == response.status;
    const bool worthIt =
        answer == DigestLogin::Answer::Stale || (answer == DigestLogin::Answer::Fresh && !again);
    if (worthIt && errand.repetitions < kMostRepetitions) {
        return true;
    }
    log::warning("sip", "{} answers {} {}", proxy_, response.status,
                 answer == DigestLogin::Answer::None
                     ? "with no challenge that we may answer (sip.proxy_realm)"
                     : "to our credentials (sip.proxy_user, sip.proxy_password_file)");
    return false;
}

}  // namespace restante::sip
