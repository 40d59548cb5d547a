#include "sipplugin/sofia/request_sender.h"

#include "sipplugin/sofia/handles.h"
#include "sipplugin/sofia/late_answers.h"
#include "sipplugin/sofia/su_loop.h"
#include "sipplugin/sofia/tls_ways.h"

#include <sofia-sip/sip_header.h>
#include <sofia-sip/tport_tag.h>

#include <chrono>
#include <unordered_map>
#include <utility>

namespace restante::sip {

namespace {

/// sofia's word for "never change to TCP because of the size".
constexpr unsigned kNoMtu = 65'535;

/// What a datagram carries, less the Via that sofia adds.
constexpr std::size_t kMostOfADatagram = 65'507 - 256;

bool isTcp(const RequestSender::Way& way)
{
    return !way.connection.empty() || way.nextHop.find(";transport=tcp") != std::string::npos;
}

/// Each element of a header that may stand more than once, printed without its name.
template <class Header>
std::vector<std::string> valuesOf(const Header* first, Header* Header::*next)
{
    std::vector<std::string> values;
    su_home_t home[1] = {SU_HOME_INIT(home)};
    for (const auto* one = first; one != nullptr; one = one->*next) {
        const auto* text = sip_header_as_string(home, reinterpret_cast<const sip_header_t*>(one));
        values.emplace_back(text == nullptr ? "" : text);
    }
    su_home_deinit(home);
    return values;
}

RequestSender::Response ownAnswer(int status, std::string phrase)
{
    RequestSender::Response answer;
    answer.status = status;
    answer.phrase = std::move(phrase);
    answer.ofOurs = true;
    return answer;
}

void readDialog(const sip_t& response, RequestSender::Response& answer)
{
    if (response.sip_to != nullptr && response.sip_to->a_tag != nullptr) {
        answer.toTag = response.sip_to->a_tag;
    }
    answer.contacts = valuesOf(response.sip_contact, &sip_contact_t::m_next);
    answer.recordRoutes = valuesOf(response.sip_record_route, &sip_record_route_t::r_next);
    if (response.sip_expires != nullptr) {
        answer.expires = std::chrono::seconds{response.sip_expires->ex_delta};
    }
    if (response.sip_min_expires != nullptr) {
        answer.minExpires = std::chrono::seconds{response.sip_min_expires->me_delta};
    }
}

RequestSender::Response responseOf(int status, const sip_t* response)
{
    RequestSender::Response answer;
    answer.status = status;
    answer.ofOurs = response == nullptr || nta_sip_is_internal(response) != 0;
    if (response != nullptr && response->sip_status != nullptr) {
        answer.phrase = response->sip_status->st_phrase;
    }
    if (response != nullptr && response->sip_retry_after != nullptr) {
        answer.retryAfter = std::chrono::seconds{response->sip_retry_after->af_delta};
    }
    // A delivery's 2xx, the common case, needs none of them.
    if (response != nullptr && status >= 300) {
        answer.wwwAuthenticate = valuesOf(response->sip_www_authenticate, &msg_auth_t::au_next);
        answer.proxyAuthenticate = valuesOf(response->sip_proxy_authenticate, &msg_auth_t::au_next);
        answer.contacts = valuesOf(response->sip_contact, &sip_contact_t::m_next);
    }
    if (response != nullptr && response->sip_cseq != nullptr &&
        response->sip_cseq->cs_method == sip_method_subscribe) {
        readDialog(*response, answer);
    }
    return answer;
}

/// Empty when it is no SIP.
MessageHandle parse(const std::string& text)
{
    // With EXTRACT_COPY the lines of a parsed message leave as they were written.
    MessageHandle request{msg_make(sip_default_mclass(), MSG_DO_EXTRACT_COPY, text.data(),
                                   static_cast<ssize_t>(text.size()))};
    if (request && (sip_object(request.get())->sip_flags & MSG_FLG_ERROR) != 0) {
        request.reset();
    }
    return request;
}

}  // namespace

class RequestSender::Impl {
public:
    explicit Impl(Agent& agent) : agent_(agent), tlsWays_(agent) {}

    void send(const std::string& text, const Way& way, Answered answered, Late late)
    {
        auto request = parse(text);
        if (!request) {
            return answerLater(ownAnswer(400, "Not a SIP message"), std::move(answered));
        }
        const bool needsTcp = text.size() > kMostOfADatagram && !isTcp(way);
        auto sending = std::make_unique<Sending>(
            Sending{*this, std::move(answered), std::move(late), nullptr, needsTcp});
        if (TlsWays::needs(way.nextHop)) {
            return sendOverTls(std::move(request), way, std::move(sending));
        }
        auto* connection = agent_.connectionFrom(way.connection);
        sending->transaction.reset(transmit(std::move(request), way, connection, *sending));
        if (!sending->transaction) {
            return answerLater(ownAnswer(503, "Next hop cannot be used: " + way.nextHop),
                               std::move(sending->answered));
        }
        auto* key = sending.get();
        sendings_.emplace(key, std::move(sending));
    }

    std::size_t underWay() const noexcept { return sendings_.size(); }

private:
    /// One request that waits for its answer.
    struct Sending {
        Impl& sender;
        Answered answered;
        Late late;
        OutgoingHandle transaction;
        bool needsTcp = false;     ///< although its way leaves the transport open
        std::uint64_t serial = 0;  ///< tells those apart that stood at the same address
        bool noted = true;         ///< its trace has been told, or there is none
    };

    nta_outgoing_t*
    transmit(MessageHandle request, const Way& way, tport_s* connection, Sending& sending)
    {
        // Else sofia would go out by the socket where the tunnels of TLS end.
        const bool noTcp = !agent_.speaksTcp() && connection == nullptr;
        if (noTcp && isTcp(way)) {
            return nullptr;
        }
        auto* transaction = nta_outgoing_mcreate(
            agent_.handle(), &Impl::onResponse, &sending, URL_STRING_MAKE(way.nextHop.c_str()),
            request.get(), TAG_IF(connection != nullptr, NTATAG_TPORT(connection)),
            TAG_IF(way.neverChangesToTcp || noTcp, TPTAG_MTU(kNoMtu)), TAG_END());
        if (transaction != nullptr) {
            (void)request.release();  // the transaction owns it now
            const MessageHandle sent{nta_outgoing_getrequest(transaction)};
            sending.noted = agent_.noteRequest(sent.get(), connection);
        }
        return transaction;
    }

    void sendOverTls(MessageHandle request, const Way& way, std::unique_ptr<Sending> sending)
    {
        auto* key = sending.get();
        key->serial = ++lastSerial_;
        sendings_.emplace(key, std::move(sending));
        // std::function must be copyable.
        const std::shared_ptr<msg_t> waiting{request.release(), &msg_destroy};
        tlsWays_.open(way.nextHop, way.connection,
                      [this, key, serial = key->serial, waiting, way](const auto& connection) {
                          const auto found = sendings_.find(key);
                          if (found == sendings_.end() || key->serial != serial) {
                              return;
                          }
                          if (connection) {
                              key->transaction.reset(transmit(MessageHandle{msg_ref(waiting.get())},
                                                              way, *connection, *key));
                          }
                          if (!key->transaction) {
                              const auto why =
                                  connection ? way.nextHop : connection.error().message;
                              auto settled = sendings_.extract(found);
                              answerLater(ownAnswer(503, "No TLS connection: " + why),
                                          std::move(settled.mapped()->answered));
                          }
                      });
    }

    static int onResponse(void* magic, nta_outgoing_t* transaction, const sip_t* response) noexcept
    {
        const int status = nta_outgoing_status(transaction);
        auto& sending = *static_cast<Sending*>(magic);
        if (!sending.noted) {
            // Told late, because the name of its host was looked up first.
            const MessageHandle request{nta_outgoing_getrequest(transaction)};
            sending.noted = true;
            (void)sending.sender.agent_.noteRequest(request.get(), nullptr);
        }
        if (const MessageHandle message{nta_outgoing_getresponse(transaction)}) {
            sending.sender.agent_.noteMessage(message.get());
        }
        if (status >= 200) {
            const bool refusedByTcp = status == 503 && nta_sip_is_internal(response) != 0;
            // It would be refused for ever, and what waits behind it would wait as long.
            sending.sender.settle(sending, sending.needsTcp && refusedByTcp
                                               ? ownAnswer(513, "Too large for UDP, and no TCP")
                                               : responseOf(status, response));
        }
        return 0;
    }

    void settle(Sending& sending, Response answer)
    {
        auto settled = sendings_.extract(&sending);
        if (sending.late && (answer.status < 200 || answer.status > 299)) {
            awaitSuccess(sending);
        }
        settled.mapped()->transaction.reset();
        settled.mapped()->answered(std::move(answer));
    }

    void awaitSuccess(Sending& sending)
    {
        const std::string_view branch = nta_outgoing_branch(sending.transaction.get());
        agent_.lateAnswers().await(
            std::string{branch.substr(branch.find('=') + 1)}, LateAnswers::Instant::clock::now(),
            [late = std::move(sending.late),
             alive = std::weak_ptr<int>{alive_}](int status, const std::string& phrase) {
                if (!alive.expired()) {
                    late(status, phrase);
                }
            });
        disown(sending.transaction.get());
    }

    /// Over UDP sofia keeps a completed transaction for 5 s (timer K), and swallows what answers
    /// it. With another From-tag it knows those answers no more, and they come to the agent.
    /// Nothing of the request is sent again.
    static void disown(nta_outgoing_t* transaction)
    {
        const MessageHandle request{nta_outgoing_getrequest(transaction)};
        auto* sip = request ? sip_object(request.get()) : nullptr;
        if (sip != nullptr && sip->sip_from != nullptr) {
            sip->sip_from->a_tag = "answered";
        }
    }

    void answerLater(Response answer, Answered answered)
    {
        agent_.loop().post([answered = std::move(answered), answer = std::move(answer),
                            alive = std::weak_ptr<int>{alive_}] {
            if (!alive.expired()) {
                answered(answer);
            }
        });
    }

    Agent& agent_;
    std::unordered_map<Sending*, std::unique_ptr<Sending>> sendings_;
    std::uint64_t lastSerial_ = 0;
    TlsWays tlsWays_;
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

RequestSender::RequestSender(Agent& agent) : impl_(std::make_unique<Impl>(agent)) {}

RequestSender::~RequestSender() = default;

void RequestSender::send(const std::string& request, const Way& way, Answered answered, Late late)
{
    impl_->send(request, way, std::move(answered), std::move(late));
}

std::size_t RequestSender::underWay() const noexcept
{
    return impl_->underWay();
}

}  // namespace restante::sip
