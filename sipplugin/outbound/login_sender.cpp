#include "sipplugin/outbound/login_sender.h"

#include "core/base/log.h"
#include "sipplugin/message/request_lines.h"

#include <utility>

namespace restante::sip {

namespace {

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

LoginSender::LoginSender(Agent& agent, const Clock& clock, Settings settings)
    : sender_(agent),
      settings_(std::move(settings)),
      login_(settings_.login),
      complaints_(clock)
{
}

void LoginSender::send(const std::string& request, const Way& way, Answered answered, Late late)
{
    if (!login_.enabled() || settings_.proxy.empty() || way.nextHop != settings_.proxy) {
        sender_.send(request, way, std::move(answered), std::move(late));
        return;
    }
    depart(std::make_shared<Errand>(Errand{request, way, std::move(answered), std::move(late)}));
}

void LoginSender::depart(const std::shared_ptr<Errand>& errand)
{
    const auto [method, uri] = requestWords(errand->request);
    const auto text = withHeaders(errand->request, login_.authorize(method, uri),
                                  errand->repetitions * settings_.cseqStep);
    // The sender forgets what is under way when it goes, and it goes with this.
    auto answered = [this, errand](Response response) {
        if (canAnswer(*errand, response)) {
            ++errand->repetitions;
            depart(errand);
        } else {
            response.repetitions = errand->repetitions;
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
    complain(response.status, answer);
    return false;
}

void LoginSender::complain(int status, DigestLogin::Answer answer)
{
    const auto times = complaints_.occurred();
    if (times == 0) {
        return;
    }
    log::warning("sip", "{} has refused {} request{}, the last with {} {}", settings_.proxy, times,
                 times == 1 ? "" : "s", status,
                 answer == DigestLogin::Answer::None
                     ? "and no challenge that we may answer (sip.proxy_realm)"
                     : "to our credentials (sip.proxy_user, sip.proxy_password_file)");
}

}  // namespace restante::sip
