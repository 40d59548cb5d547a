#include "tests/bench/bare_sip_sender.h"

#include "tests/bench/nta.h"
#include "tests/support/thread_time.h"

#include <sofia-sip/nta_tport.h>
#include <sofia-sip/sip_header.h>
#include <sofia-sip/sip_tag.h>
#include <sofia-sip/tport_tag.h>

#include <chrono>
#include <fmt/format.h>
#include <stdexcept>
#include <string>

namespace restante::bench {

namespace {

struct BareSender {
    su_root_t* root = nullptr;
    nta_agent_t* agent = nullptr;
    nta_leg_t* leg = nullptr;
    std::string target;
    std::uint32_t messages = 0;
    std::uint32_t window = 1;
    std::uint32_t sent = 0;
    std::uint32_t answered = 0;
    bool refused = false;
};

int onAnswer(nta_outgoing_magic_t* context, nta_outgoing_t* transaction, const sip_t* sip) noexcept;

void sendMore(BareSender& sender)
{
    while (sender.sent < sender.messages && sender.sent - sender.answered < sender.window) {
        const std::string body = fmt::format("{} {}", sender.sent++, std::string(250, 'x'));
        nta_outgoing_tcreate(sender.leg, onAnswer, &sender, nullptr, SIP_METHOD_MESSAGE,
                             URL_STRING_MAKE(sender.target.c_str()),
                             SIPTAG_CONTENT_TYPE_STR("text/plain"),
                             SIPTAG_PAYLOAD_STR(body.c_str()), TAG_END());
    }
}

int onAnswer(nta_outgoing_magic_t* context, nta_outgoing_t* transaction, const sip_t*) noexcept
{
    const int status = nta_outgoing_status(transaction);
    if (status < 200) {
        return 0;
    }
    nta_outgoing_destroy(transaction);
    auto& sender = *static_cast<BareSender*>(context);
    sender.refused = sender.refused || status != 200;
    if (++sender.answered == sender.messages) {
        su_root_break(sender.root);
    }
    sendMore(sender);
    return 0;
}

}  // namespace

BareSending runBareSipSender(std::uint16_t port, std::uint32_t messages, std::uint32_t window)
{
    su_init();
    BareSender sender;
    sender.messages = messages;
    sender.window = window;
    sender.target = fmt::format("sip:bob@127.0.0.1:{}", port);
    sender.root = su_root_create(nullptr);
    sender.agent = nta_agent_create(sender.root, URL_STRING_MAKE("sip:127.0.0.1:*"), nullptr,
                                    nullptr, NTATAG_UA(0), TPTAG_STUN_SERVER(0), TAG_END());
    sender.leg = nta_leg_tcreate(
        sender.agent, nullptr, nullptr, SIPTAG_FROM_STR("<sip:alice@127.0.0.1>;tag=bare"),
        SIPTAG_TO_STR("<sip:bob@127.0.0.1>"), SIPTAG_CALL_ID_STR("bare-sender"), TAG_END());
    const auto start = std::chrono::steady_clock::now();
    const auto cpu = test::threadTime();
    sendMore(sender);
    su_root_run(sender.root);
    const BareSending sending{
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
        std::chrono::duration<double, std::micro>(test::threadTime() - cpu).count()};
    nta_leg_destroy(sender.leg);
    nta_agent_destroy(sender.agent);
    su_root_destroy(sender.root);
    if (sender.refused) {
        throw std::runtime_error("the device refused a message of the bare sender");
    }
    return sending;
}

}  // namespace restante::bench
