#include "sipplugin/sip_courier.h"

#include "sipplugin/sofia/handles.h"
#include "sipplugin/sofia/su_loop.h"

#include <sofia-sip/nta_tport.h>
#include <sofia-sip/sip_header.h>
#include <sofia-sip/tport.h>
#include <sofia-sip/tport_tag.h>

#include <chrono>
#include <memory>
#include <unordered_map>
#include <utility>

namespace restante::sip {

namespace {

/// RFC 3261 section 8.1.1.6.
constexpr std::string_view kMaxForwards = "70";

/// sofia's word for "never change to TCP because of the size".
constexpr unsigned kNoMtu = 65'535;

bool isOneLine(std::string_view text) noexcept
{
    return text.find_first_of(std::string_view{"\r\n\0", 3}) == std::string_view::npos;
}

/// Writes header lines and remembers the first that would be more than one.
class RequestWriter {
public:
    void line(std::string_view name, std::string_view value)
    {
        if (!isOneLine(name) || !isOneLine(value)) {
            broken_ = broken_.empty() ? std::string{name} : broken_;
        }
        text_.append(name).append(": ").append(value).append("\r\n");
    }
    void requestLine(std::string_view uri)
    {
        if (!isOneLine(uri) || uri.find(' ') != std::string_view::npos) {
            broken_ = "Request-URI";
        }
        text_.append("MESSAGE ").append(uri).append(" SIP/2.0\r\n");
    }
    Result<std::string> finish(std::string_view body) &&
    {
        if (!broken_.empty()) {
            return failure(ErrorCode::Invalid, "the message cannot be sent: its " + broken_ +
                                                   " holds a line break, a NUL or a space");
        }
        line("Content-Length", std::to_string(body.size()));
        text_.append("\r\n").append(body);
        return std::move(text_);
    }

private:
    std::string text_;
    std::string broken_;
};

/// "address:port", IPv6 in brackets.
std::pair<std::string, std::string> splitAddress(const std::string& address)
{
    const auto colon = address.rfind(':');
    return {address.substr(0, colon), address.substr(colon + 1)};
}

DeviceAnswer answerFrom(int status, const sip_t* response)
{
    DeviceAnswer answer{status, "", {}};
    if (response != nullptr && response->sip_status != nullptr) {
        answer.phrase = response->sip_status->st_phrase;
    }
    if (response != nullptr && response->sip_retry_after != nullptr) {
        answer.retryAfter = std::chrono::seconds{response->sip_retry_after->af_delta};
    }
    return answer;
}

Result<MessageHandle> parse(Result<std::string> text)
{
    if (!text) {
        return tl::unexpected(text.error());
    }
    // sofia keeps the lines and the body of a parsed message as they were written.
    MessageHandle request{
        msg_make(sip_default_mclass(), 0, text->data(), static_cast<ssize_t>(text->size()))};
    if (!request || (sip_object(request.get())->sip_flags & MSG_FLG_ERROR) != 0) {
        return failure(ErrorCode::Invalid, "the message cannot be sent: it is not valid SIP");
    }
    return request;
}

}  // namespace

Result<std::string> printRequest(const WireMessage& message, const DeliveryRoute& route)
{
    RequestWriter writer;
    writer.requestLine(route.requestUri);
    for (const auto& hop : route.routes) {
        writer.line("Route", hop);
    }
    writer.line("Max-Forwards", kMaxForwards);
    writer.line("From", message.from);
    writer.line("To", message.to);
    writer.line("Call-ID", message.callId);
    writer.line("CSeq", std::to_string(message.cseq) + " MESSAGE");
    for (const auto& [name, value] : message.headers) {
        writer.line(name, value);
    }
    if (!message.contentType.empty()) {
        writer.line("Content-Type", message.contentType);
    }
    return std::move(writer).finish(message.body);
}

class SipCourier::Impl {
public:
    explicit Impl(Agent& agent) : agent_(agent) {}

    void send(const WireMessage& message, const DeliveryRoute& route, Answered answered)
    {
        auto request = parse(printRequest(message, route));
        if (!request) {
            return answerLater({400, request.error().message, {}}, std::move(answered));
        }
        auto sending = std::make_unique<Sending>(Sending{*this, std::move(answered), nullptr});
        sending->transaction.reset(transmit(std::move(*request), route, *sending));
        if (!sending->transaction) {
            return answerLater({503, "the next hop cannot be used: " + route.nextHop, {}},
                               std::move(sending->answered));
        }
        auto* key = sending.get();
        sendings_.emplace(key, std::move(sending));
    }

    std::size_t underWay() const noexcept { return sendings_.size(); }

private:
    /// One message that waits for its answer.
    struct Sending {
        Impl& courier;
        Answered answered;
        OutgoingHandle transaction;
    };

    nta_outgoing_t* transmit(MessageHandle request, const DeliveryRoute& route, Sending& sending)
    {
        tport_t* connection = livingConnection(route.connection);
        auto* transaction = nta_outgoing_mcreate(
            agent_.handle(), &Impl::onResponse, &sending, URL_STRING_MAKE(route.nextHop.c_str()),
            request.get(), TAG_IF(connection != nullptr, NTATAG_TPORT(connection)),
            TAG_IF(route.behindNat, TPTAG_MTU(kNoMtu)), TAG_END());
        if (transaction != nullptr) {
            (void)request.release();  // the transaction owns it now
        }
        return transaction;
    }

    /// The TCP connection that `peer` has opened to us, while it lives.
    tport_t* livingConnection(const std::string& peer) const
    {
        if (peer.empty()) {
            return nullptr;
        }
        const auto [host, port] = splitAddress(peer);
        tp_name_t name{};
        name.tpn_proto = "tcp";
        name.tpn_canon = host.c_str();
        name.tpn_host = host.c_str();
        name.tpn_port = port.c_str();
        auto* transport = tport_by_name(nta_agent_tports(agent_.handle()), &name);
        return transport != nullptr && tport_is_secondary(transport) != 0 ? transport : nullptr;
    }

    static int onResponse(void* magic, nta_outgoing_t* transaction, const sip_t* response) noexcept
    {
        const int status = nta_outgoing_status(transaction);
        if (status >= 200) {
            auto& sending = *static_cast<Sending*>(magic);
            sending.courier.settle(sending, answerFrom(status, response));
        }
        return 0;
    }

    void settle(Sending& sending, DeviceAnswer answer)
    {
        auto settled = sendings_.extract(&sending);
        settled.mapped()->transaction.reset();
        settled.mapped()->answered(std::move(answer));
    }

    void answerLater(DeviceAnswer answer, Answered answered)
    {
        agent_.loop().post([answered = std::move(answered), answer = std::move(answer),
                            alive = std::weak_ptr<Impl*>{alive_}] {
            if (!alive.expired()) {
                answered(answer);
            }
        });
    }

    Agent& agent_;
    std::unordered_map<Sending*, std::unique_ptr<Sending>> sendings_;
    std::shared_ptr<Impl*> alive_ = std::make_shared<Impl*>(this);
};

SipCourier::SipCourier(Agent& agent) : impl_(std::make_unique<Impl>(agent)) {}

SipCourier::~SipCourier() = default;

void SipCourier::send(const WireMessage& message, const DeliveryRoute& route, Answered answered)
{
    impl_->send(message, route, std::move(answered));
}

std::size_t SipCourier::underWay() const noexcept
{
    return impl_->underWay();
}

}  // namespace restante::sip
