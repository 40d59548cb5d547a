#include "sipplugin/outbound/authenticating_sender.h"

#include "core/base/log.h"
#include "sipplugin/message/request_text.h"

#include <utility>

namespace restante::sip {

namespace {

/// The challenge of the proxy, and one more: of somebody behind it, or for a nonce that has become
/// too old in between.
constexpr std::uint32_t kMostRepetitions = 2;

}  // namespace

/// One request that is being sent, through the challenges.
struct AuthenticatingSender::PendingRequest {
    std::string request;
    Way way;
    Answered answered;
    Late late;
    std::uint32_t repetitions = 0;
    int asked = 0;  ///< the status of the last challenge that was answered
};

void AuthenticatingSender::send(const std::string& request,
                                const Way& way,
                                Answered answered,
                                Late late)
{
    if (!login_.enabled() || settings_.proxy.empty() || way.nextHop != settings_.proxy) {
        return sender_.send(request, way, std::move(answered), std::move(late));
    }
    sendRequest(std::make_shared<PendingRequest>(
        PendingRequest{request, way, std::move(answered), std::move(late)}));
}

void AuthenticatingSender::sendRequest(const std::shared_ptr<PendingRequest>& pending)
{
    const auto [method, uri] = requestWords(pending->request);
    const auto text = withHeaders(pending->request, login_.authorize(method, uri),
                                  pending->repetitions * settings_.cseqStep);
    // The sender forgets what is under way when it goes, and it goes with this.
    auto answered = [this, pending](Response response) {
        if (canAnswer(*pending, response)) {
            ++pending->repetitions;
            sendRequest(pending);
        } else {
            response.repetitions = pending->repetitions;
            pending->answered(std::move(response));
        }
    };
    sender_.send(text, pending->way, std::move(answered), pending->late);
}

bool AuthenticatingSender::canAnswer(PendingRequest& pending, const Response& response)
{
    if (response.ofOurs || (response.status != 401 && response.status != 407)) {
        return false;
    }
    const auto& challenges =
        response.status == 407 ? response.proxyAuthenticate : response.wwwAuthenticate;
    const auto answer = login_.challenged({response.status, challenges});
    const bool again = std::exchange(pending.asked, response.status) == response.status;
    const bool worthIt =
        answer == DigestClient::Answer::Stale || (answer == DigestClient::Answer::Fresh && !again);
    if (worthIt && pending.repetitions < kMostRepetitions) {
        return true;
    }
    complain(response.status, answer);
    return false;
}

void AuthenticatingSender::complain(int status, DigestClient::Answer answer)
{
    const auto times = complaints_.occurred();
    if (times == 0) {
        return;
    }
    log::warning("sip", "{} has refused {} request{}, the last with {} {}", settings_.proxy, times,
                 times == 1 ? "" : "s", status,
                 answer == DigestClient::Answer::None
                     ? "and no challenge that we may answer (sip.proxy_realm)"
                     : "to our credentials (sip.proxy_user, sip.proxy_password_file)");
}

}  // namespace restante::sip
