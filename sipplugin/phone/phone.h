#pragma once

#include "core/base/crypto.h"
#include "core/base/result.h"
#include "sipplugin/phone/phone_options.h"
#include "sipplugin/sofia/su_loop.h"
#include "sipplugin/transport/agent.h"
#include "sipplugin/transport/request_sender.h"

#include <cstdint>
#include <memory>
#include <unordered_set>

namespace restante::phone {

/// One user's phone: registers for as long as it lives, answers what arrives, sends. *One loop.*
class Phone {
public:
    /// A MESSAGE that has arrived, once however often it is retransmitted; valid during the call.
    using Arrived = std::function<void(const sip::ReceivedRequest&)>;
    using Done = std::function<void(const sip::RequestSender::Response&)>;

    /// Binds a free port of the address that faces the server. Unavailable says why not.
    static Result<std::unique_ptr<Phone>>
    open(sip::SuLoop& loop, PhoneOptions options, Arrived arrived);

    /// Tells the server where we are, again before it forgets; `done` gets its first answer.
    void registerContact(Done done);
    /// Takes that back.
    void unregister(Done done);
    void sendMessage(Done done);

private:
    Phone(sip::SuLoop& loop, PhoneOptions options, Arrived arrived)
        : loop_(loop),
          options_(std::move(options)),
          arrived_(std::move(arrived)),
          token_(randomHex(8)),
          refresh_(loop)
    {
    }

    void handle(std::unique_ptr<sip::IncomingRequest> request);
    void sendRegister(std::uint32_t expires, Done done);
    std::string contact() const;

    sip::SuLoop& loop_;
    PhoneOptions options_;
    Arrived arrived_;
    std::string address_;  ///< ours, "127.0.0.1:40123"
    std::string token_;    ///< makes Call-IDs and tags of this run unique
    std::uint32_t cseq_ = 0;
    std::unordered_set<std::string> seen_;  ///< requests whose retransmissions are not printed
    Timer refresh_;
    std::unique_ptr<sip::Agent> agent_;
    std::unique_ptr<sip::RequestSender> sender_;
};

}  // namespace restante::phone
