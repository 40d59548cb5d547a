#include "sipplugin/phone/phone.h"

#include "sipplugin/message/socket_name.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <netdb.h>
#include <utility>

namespace restante::phone {

namespace {

tl::unexpected<Error> noWay(const std::string& host, const char* why)
{
    return failure(ErrorCode::Unavailable, "no way to the server " + host + ": " + why);
}

/// The address literal of ours that packets to `host` leave from. May ask the name service, and
/// blocks while it does.
Result<std::string> localAddressTowards(const std::string& host)
{
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_DGRAM;
    addrinfo* found = nullptr;
    if (const int error = getaddrinfo(host.c_str(), "5060", &wanted, &found); error != 0) {
        return noWay(host, gai_strerror(error));
    }
    sip::SocketName server;
    std::memcpy(&server.storage, found->ai_addr, found->ai_addrlen);
    server.length = found->ai_addrlen;
    freeaddrinfo(found);
    auto local = sip::localAddressTo(server);
    return local.empty() ? Result<std::string>{noWay(host, std::strerror(errno))} : local;
}

}  // namespace

Result<std::unique_ptr<Phone>> Phone::open(sip::SuLoop& loop, PhoneOptions options, Arrived arrived)
{
    auto local = localAddressTowards(options.host);
    if (!local) {
        return tl::unexpected(local.error());
    }
    std::unique_ptr<Phone> phone(new Phone(loop, std::move(options), std::move(arrived)));
    // Both transports: a long message comes by TCP also to a phone that registered over UDP.
    auto agent = sip::Agent::open(
        loop, {{{sip::Transport::Udp, *local, 0}, {sip::Transport::Tcp, *local, 0}}},
        [raw = phone.get()](auto request) { raw->handle(std::move(request)); });
    if (!agent) {
        return tl::unexpected(agent.error());
    }
    phone->agent_ = std::move(*agent);
    for (const auto& listening : phone->agent_->listening()) {
        if (listening.transport == phone->options_.transport) {
            phone->address_ = listening.print().substr(4);  // without "udp:"
        }
    }
    phone->sender_ = std::make_unique<sip::RequestSender>(*phone->agent_);
    return phone;
}

std::string Phone::contact() const
{
    return fmt::format("sip:{}@{}{}", options_.user, address_,
                       options_.transport == sip::Transport::Tcp ? ";transport=tcp" : "");
}

void Phone::handle(std::unique_ptr<sip::IncomingRequest> request)
{
    const auto& text = request->text();
    if (text.method == "OPTIONS") {
        return request->answer({200, "", {{"Allow", "MESSAGE, OPTIONS"}}});
    }
    if (text.method != "MESSAGE") {
        return request->answer({405, "", {{"Allow", "MESSAGE, OPTIONS"}}});
    }
    const bool fresh = seen_.insert(std::string{text.header("Via").value_or("")}).second;
    // Printed before it is answered: who has the answer may be sure that the text is there.
    if (fresh && options_.answer < 300) {
        arrived_(text);
    }
    request->answer({static_cast<int>(options_.answer), "", {}});
}

void Phone::registerContact(Done done)
{
    sendRegister(options_.expires, std::move(done));
    const auto half = std::chrono::seconds{options_.expires} / 2;
    refresh_.arm(half, [this] { registerContact([](const auto&) {}); });
}

void Phone::unregister(Done done)
{
    refresh_.cancel();
    sendRegister(0, std::move(done));
}

void Phone::sendRegister(std::uint32_t expires, Done done)
{
    const auto domain = options_.aor.substr(options_.aor.find('@') + 1);
    sender_->send(fmt::format("REGISTER sip:{} SIP/2.0\r\n"
                              "Max-Forwards: 70\r\n"
                              "From: <{}>;tag={}\r\n"
                              "To: <{}>\r\n"
                              "Call-ID: {}-registration\r\n"
                              "CSeq: {} REGISTER\r\n"
                              "Contact: <{}>\r\n"
                              "Expires: {}\r\n"
                              "User-Agent: restante-phone\r\n"
                              "Content-Length: 0\r\n\r\n",
                              domain, options_.aor, token_, options_.aor, token_, ++cseq_,
                              contact(), expires),
                  {options_.server, "", false}, std::move(done));
}

void Phone::sendMessage(Done done)
{
    const auto type = options_.body.empty()
                          ? std::string{}
                          : fmt::format("Content-Type: {}\r\n", options_.contentType);
    sender_->send(fmt::format("MESSAGE {} SIP/2.0\r\n"
                              "Max-Forwards: 70\r\n"
                              "From: <{}>;tag={}\r\n"
                              "To: <{}>\r\n"
                              "Call-ID: {}-message\r\n"
                              "CSeq: 1 MESSAGE\r\n"
                              "{}User-Agent: restante-phone\r\n"
                              "Content-Length: {}\r\n\r\n{}",
                              options_.to, options_.aor, token_, options_.to, token_, type,
                              options_.body.size(), options_.body),
                  {options_.server, "", false}, std::move(done));
}

}  // namespace restante::phone
