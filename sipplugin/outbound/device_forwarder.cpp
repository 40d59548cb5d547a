#include "sipplugin/outbound/device_forwarder.h"

#include "core/base/log.h"
#include "sipplugin/message/answers.h"

#include <utility>

namespace restante::sip {

namespace {
SipAnswer offlineAnswer()
{
    return refusal(480, "Temporarily Unavailable", "the recipient is offline; this is not kept");
}

}  // namespace

void DeviceForwarder::forward(Job message, std::function<void(SipAnswer)> done)
{
    message.id = ids_.generate(0);  // never stored: Call-ID, tag and kJobHeader are made of it
    if (!settings_.proxy.empty()) {
        return send(message, routeThroughProxy(message.recipient, settings_.proxy),
                    std::move(done));
    }
    bindings_.lookup(message.recipient,
                     callbackGuard_.guard([this, message, done = std::move(done)](
                                              const Result<std::vector<Binding>>& bindings) {
                         if (!bindings) {
                             if (const auto count = logLimiter_.countToLog(); count > 0) {
                                 log::warning("sip",
                                              "{} messages were not forwarded, the last to "
                                              "{}: {}",
                                              count, message.recipient, bindings.error().message);
                             }
                             return done(answerTo(bindings.error()));
                         }
                         auto route = bindings->empty() ? failure(ErrorCode::NotFound, "no device")
                                                        : routeToDevice(bindings->front());
                         route ? send(message, *route, done) : done(offlineAnswer());
                     }));
}

void DeviceForwarder::send(const Job& message, const DeliveryRoute& route, AnswerHandler done)
{
    uac_.send(outgoingMessageOf(message, 1, settings_.ownAddress), route,
              [done = std::move(done)](const DeviceAnswer& answer) {
                  // A redirection concerns our route to the device, not the sender.
                  done(isRedirection(answer.status) ? offlineAnswer() : relayedAnswer(answer));
              });
}

}  // namespace restante::sip
