#include "sipplugin/duplicate_memory.h"
#include "sipplugin/sofia/agent_impl.h"

#include <sofia-sip/msg_addr.h>
#include <sofia-sip/msg_header.h>
#include <sofia-sip/nta_stateless.h>
#include <sofia-sip/nta_tport.h>
#include <sofia-sip/sip.h>
#include <sofia-sip/sip_header.h>
#include <sofia-sip/sip_protos.h>
#include <sofia-sip/sip_tag.h>
#include <sofia-sip/su_tag.h>
#include <sofia-sip/tport.h>

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <utility>

namespace restante::sip {

namespace {

/// RFC 3261 section 7.3.3 and the registry of header fields.
constexpr std::array<std::pair<char, std::string_view>, 18> kCompactForms{
    std::pair<char, std::string_view>{'a', "Accept-Contact"},
    {'b', "Referred-By"},
    {'c', "Content-Type"},
    {'d', "Request-Disposition"},
    {'e', "Content-Encoding"},
    {'f', "From"},
    {'i', "Call-ID"},
    {'j', "Reject-Contact"},
    {'k', "Supported"},
    {'l', "Content-Length"},
    {'m', "Contact"},
    {'o', "Event"},
    {'r', "Refer-To"},
    {'s', "Subject"},
    {'t', "To"},
    {'u', "Allow-Events"},
    {'v', "Via"},
    {'x', "Session-Expires"}};

std::string_view longName(std::string_view name)
{
    if (name.size() == 1) {
        const char letter = static_cast<char>(name.front() | 0x20);
        const auto* found =
            std::ranges::find(kCompactForms, letter, [](const auto& form) { return form.first; });
        if (found != kCompactForms.end()) {
            return found->second;
        }
    }
    return name;
}

bool endsLine(char c) noexcept
{
    return c == '\r' || c == '\n';
}

bool isBlank(char c) noexcept
{
    return c == ' ' || c == '\t' || endsLine(c);
}

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && isBlank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && isBlank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

/// What comes before the first such character; all of it when there is none.
template <class Kind>
std::string_view upTo(std::string_view text, Kind kind)
{
    const auto* end = std::ranges::find_if(text, kind);
    return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

std::string_view rawText(const msg_header_t* header)
{
    const auto& common = *header->sh_common;
    return {static_cast<const char*>(common.h_data), common.h_len};
}

/// An answer that has only the request's To yet, with our tag; null without memory.
msg_t* answerTagged(nta_agent_t* agent, const sip_t& request, const std::string& tag)
{
    MessageHandle answer{nta_msg_create(agent, 0)};
    auto* sip = answer == nullptr ? nullptr : sip_object(answer.get());
    const auto* to = reinterpret_cast<const sip_header_t*>(request.sip_to);
    if (sip == nullptr || sip_add_dup(answer.get(), sip, to) < 0) {
        return nullptr;
    }
    if (sip->sip_to != nullptr && sip->sip_to->a_tag == nullptr) {
        sip_to_tag(msg_home(answer.get()), sip->sip_to, tag.c_str());
    }
    return answer.release();
}

std::string headerLines(const SipAnswer& answer)
{
    std::string lines;
    for (const auto& [name, value] : answer.headers) {
        lines.append(name).append(": ").append(value).append("\r\n");
    }
    return lines;
}

}  // namespace

IncomingRequest::Impl::Impl(std::shared_ptr<Agent::Impl> agent, msg_t* message)
    : agent_(std::move(agent)),
      message_(message)
{
    // Asked now, because sofia only knows it while it delivers the message.
    transport_ = tport_ref(tport_delivered_by(nta_agent_tports(agent_->agent.get()), message));
    readSource();
    readHeaders(sip_object(message));
    transaction = transactionKey(text);
    if (text.transport == Transport::Udp) {
        ++agent_->unanswered;
    }
}

IncomingRequest::Impl::~Impl()
{
    settle();
}

void IncomingRequest::Impl::settle() noexcept
{
    if (auto* transport = std::exchange(transport_, nullptr)) {
        tport_unref(transport);
        if (text.transport == Transport::Udp) {
            --agent_->unanswered;
        }
    }
}

void IncomingRequest::Impl::readSource()
{
    text.transport = tport_is_udp(transport_) ? Transport::Udp : Transport::Tcp;
    if (const auto* peer = agent_->tlsPeerOf(message_.get(), transport_)) {
        text.transport = Transport::Tls;
        text.sourceHost = peer->host;
        text.sourcePort = peer->port;
        return nameRealSource();
    }
    const auto* address = msg_addr(message_.get());
    std::array<char, INET6_ADDRSTRLEN> host{};
    su_inet_ntop(address->su_family, SU_ADDR(address), host.data(), host.size());
    text.sourceHost = host.data();
    text.sourcePort = ntohs(address->su_port);
}

/// sofia has written into the top Via that the request came from our own end of the tunnel.
void IncomingRequest::Impl::nameRealSource()
{
    auto* via = sip_object(message_.get())->sip_via;
    if (via == nullptr) {
        return;
    }
    auto* home = msg_home(message_.get());
    const auto sentBy = std::string_view{via->v_host == nullptr ? "" : via->v_host};
    if (sentBy == text.sourceHost || sentBy == "[" + text.sourceHost + "]") {
        msg_header_remove_param(via->v_common, "received");
    } else {
        msg_header_replace_param(home, via->v_common,
                                 su_sprintf(home, "received=%s", text.sourceHost.c_str()));
    }
    msg_header_replace_param(home, via->v_common, su_sprintf(home, "rport=%u", text.sourcePort));
    msg_fragment_clear_chain(reinterpret_cast<msg_header_t*>(via));
}

void IncomingRequest::Impl::readRequestLine(std::string_view line)
{
    line = trimmed(line);
    text.method = upTo(line, isBlank);
    auto rest = line.substr(text.method.size());
    if (rest.empty()) {
        malformed = "the request line has no Request-URI";
        return;
    }
    const auto beforeVersion = std::ranges::find_if(rest.rbegin(), rest.rend(), isBlank);
    const auto versionLength = static_cast<std::size_t>(beforeVersion - rest.rbegin());
    text.version = rest.substr(rest.size() - versionLength);
    text.requestUri = trimmed(rest.substr(0, rest.size() - versionLength));
    if (std::ranges::any_of(text.requestUri, isBlank)) {
        malformed = "the Request-URI contains a space";
    }
}

void IncomingRequest::Impl::readHeaders(sip_t* sip)
{
    readRequestLine(rawText(reinterpret_cast<msg_header_t*>(sip->sip_request)));
    auto* header = reinterpret_cast<msg_header_t*>(sip->sip_request);
    while ((header = header->sh_succ) != nullptr) {
        const auto* kind = header->sh_class;
        if (kind == sip_separator_class || kind == sip_payload_class) {
            break;
        }
        addHeader(header);
    }
    if (sip->sip_payload != nullptr) {
        text.body = {sip->sip_payload->pl_data, sip->sip_payload->pl_len};
    }
    if (sip->sip_error != nullptr) {
        malformed = "a header field is malformed";
    }
}

void IncomingRequest::Impl::addHeader(msg_header_t* header)
{
    if (header->sh_data == nullptr) {
        // Rewritten by sofia: the top Via, which has got `received`.
        const auto* value =
            sip_header_as_string(msg_home(message_.get()), reinterpret_cast<sip_header_t*>(header));
        text.headers.push_back({header->sh_class->hc_name, value == nullptr ? "" : value});
        return;
    }
    const auto raw = rawText(header);
    const auto colon = raw.find(':');
    if (colon == std::string_view::npos) {
        return;  // a further element of the comma-separated line before
    }
    text.headers.push_back(
        {longName(trimmed(raw.substr(0, colon))), unfolded(trimmed(raw.substr(colon + 1)))});
}

std::string_view IncomingRequest::Impl::unfolded(std::string_view value)
{
    if (std::ranges::none_of(value, endsLine)) {
        return value;
    }
    auto& line = unfolded_.emplace_back();
    while (!value.empty()) {
        const auto part = upTo(value, endsLine);
        line += trimmed(part);
        value.remove_prefix(part.size());
        while (!value.empty() && isBlank(value.front())) {
            value.remove_prefix(1);
        }
        line += value.empty() ? "" : " ";
    }
    return line;
}

void IncomingRequest::Impl::answer(const SipAnswer& answer)
{
    auto* message = message_.release();
    if (message == nullptr) {
        return;
    }
    if (text.transport == Transport::Tls && tport_is_clear_to_send(transport_) == 0) {
        // Else sofia would look for another way, and none is as private.
        msg_destroy(message);
        return settle();
    }
    auto* agent = agent_->agent.get();
    // From the request alone, so that each answer to it carries the same tag.
    auto* tagged = answerTagged(agent, *sip_object(message), transaction->hex());
    const auto lines = headerLines(answer);
    const MessageHandle shown{agent_->tracer ? msg_ref(tagged) : nullptr};
    nta_msg_mreply(agent, tagged, tagged == nullptr ? nullptr : sip_object(tagged), answer.status,
                   answer.phrase.empty() ? nullptr : answer.phrase.c_str(), message,
                   NTATAG_TPORT(transport_),
                   TAG_IF(!lines.empty(), SIPTAG_HEADER_STR(lines.c_str())), TAG_END());
    const auto transport = text.transport;
    if (shown) {
        agent_->traceAnswer(shown.get(), transport_, {transport, text.sourceHost, text.sourcePort});
    }
    text = {};
    text.transport = transport;
    settle();
}

IncomingRequest::IncomingRequest(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
IncomingRequest::~IncomingRequest() = default;

const ReceivedRequest& IncomingRequest::text() const noexcept
{
    return impl_->text;
}
const Fingerprint& IncomingRequest::transaction() const noexcept
{
    return *impl_->transaction;
}
const std::string& IncomingRequest::malformed() const noexcept
{
    return impl_->malformed;
}
void IncomingRequest::answer(const SipAnswer& answer)
{
    impl_->answer(answer);
}

}  // namespace restante::sip
