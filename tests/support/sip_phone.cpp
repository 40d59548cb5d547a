#include "tests/support/sip_phone.h"

#include "tests/support/eventually.h"

#include <algorithm>

namespace restante::test {

namespace {

// RFC 3261 section 17.1.2.2: timer E starts at T1 and doubles up to T2.
constexpr Millis kT1{500};
constexpr Millis kT2{4'000};

std::string_view phraseOf(int status)
{
    switch (status) {
    case 200: return "OK";
    case 480: return "Temporarily Unavailable";
    case 486: return "Busy Here";
    case 503: return "Service Unavailable";
    case 603: return "Decline";
    default: return "Answer";
    }
}

}  // namespace

SipPhone::SipPhone(Account account)
    : account_(std::move(account)),
      socket_(account_.server),
      policy_([](const SipText&) { return 200; })
{
}

SipText SipPhone::request(std::string_view method, const std::string& to)
{
    SipText request;
    request.startLine = std::string(method) + " " + to + " SIP/2.0";
    request.headers = {{"Via", socket_.via("z9hG4bK" + uniqueToken())},
                       {"Max-Forwards", "70"},
                       {"From", "<" + aor() + ">;tag=" + uniqueToken()},
                       {"To", "<" + to + ">"},
                       {"Call-ID", uniqueToken()},
                       {"CSeq", "1 " + std::string(method)}};
    return request;
}

SipText SipPhone::message(const std::string& to, std::string body)
{
    auto message = request("MESSAGE", to);
    message.set("Content-Type", "text/plain");
    message.body = std::move(body);
    return message;
}

SipText SipPhone::registration(std::chrono::seconds expires)
{
    auto registration = request("REGISTER", "sip:" + account_.domain);
    registration.set("To", "<" + aor() + ">")
        .set("Call-ID", registrationCallId_)
        .set("CSeq", std::to_string(++registrations_) + " REGISTER")
        .set("Contact", contact())
        .set("Expires", std::to_string(expires.count()));
    return registration;
}

SipPhone::Outcome SipPhone::registerFor(std::chrono::seconds expires)
{
    return ask(registration(expires));
}

SipPhone::Outcome SipPhone::ask(const SipText& request)
{
    const auto branch = start(request);
    workUntil([&] { return outcomes_.contains(branch); }, timeout + kT2);
    return outcomes_.at(branch);
}

std::string SipPhone::start(const SipText& request)
{
    const auto branch = request.branch();
    const auto now = std::chrono::steady_clock::now();
    const bool repeats = socket_.server().transport == SipTransport::Udp;
    const auto& open = pendingTransactions_[branch] =
        Transaction{request.toString(), now + timeout, repeats ? now + kT1 : Instant::max(), kT1};
    if (!socket_.send(open.bytes)) {
        pendingTransactions_.erase(branch);
        outcomes_[branch] = {503, {}};
    }
    return branch;
}

std::optional<SipPhone::Outcome> SipPhone::takeOutcome(const std::string& branch)
{
    auto found = outcomes_.extract(branch);
    return found ? std::optional(std::move(found.mapped())) : std::nullopt;
}

bool SipPhone::workUntil(const std::function<bool()>& reached, Millis longest)
{
    const auto deadline = std::chrono::steady_clock::now() + longest;
    while (!isReached(reached)) {
        const auto left = std::chrono::ceil<Millis>(deadline - std::chrono::steady_clock::now());
        if (left <= Millis{0}) {
            return false;
        }
        // Short waits, because `reached` may depend on more than our own traffic.
        work(std::min(left, Millis{20}));
    }
    return true;
}

bool SipPhone::receive(std::size_t count, Millis longest)
{
    return workUntil([&] { return received_.size() >= count; }, longest);
}

std::vector<std::string> SipPhone::bodies() const
{
    std::vector<std::string> bodies;
    for (const auto& message : received_) {
        bodies.push_back(message.body);
    }
    return bodies;
}

void SipPhone::work(Millis longest)
{
    auto turn = longest;
    while (const auto arrival = socket_.receive(turn)) {
        handle(*arrival);
        turn = Millis{0};
    }
    if (socket_.takeDisconnected()) {
        failAll();
    }
    serveTimers();
}

void SipPhone::handle(const SipSocket::Arrival& arrival)
{
    const auto status = arrival.message.status();
    if (status == 0) {
        handleRequest(arrival);
    } else if (status >= 200 && pendingTransactions_.erase(arrival.message.branch()) > 0) {
        outcomes_[arrival.message.branch()] = {status, arrival.message};
    }
}

void SipPhone::handleRequest(const SipSocket::Arrival& arrival)
{
    const auto& request = arrival.message;
    const auto branch = request.branch();
    const auto [known, isNew] = answers_.try_emplace(branch);
    if (!isNew) {
        if (!known->second.empty()) {
            socket_.answer(arrival, known->second);
        }
        return;
    }
    offered_.push_back(request);
    const int status = policy_(request);
    if (status == 0) {
        return;
    }
    auto answer = request.answer(status, phraseOf(status));
    if (status >= 300) {
        answer.headers.insert(answer.headers.end(), refusalHeaders_.begin(), refusalHeaders_.end());
    }
    known->second = answer.toString();
    socket_.answer(arrival, known->second);
    if (status / 100 == 2) {
        received_.push_back(request);
    }
}

void SipPhone::serveTimers()
{
    const auto now = std::chrono::steady_clock::now();
    for (auto each = pendingTransactions_.begin(); each != pendingTransactions_.end();) {
        auto& [branch, transaction] = *each;
        if (now >= transaction.deadline) {
            outcomes_[branch] = {408, {}};
            each = pendingTransactions_.erase(each);
            continue;
        }
        if (now >= transaction.nextSendTime) {
            socket_.send(transaction.bytes);
            transaction.interval = std::min(transaction.interval * 2, kT2);
            transaction.nextSendTime = now + transaction.interval;
        }
        ++each;
    }
}

void SipPhone::failAll()
{
    for (const auto& [branch, transaction] : pendingTransactions_) {
        outcomes_[branch] = {503, {}};
    }
    pendingTransactions_.clear();
}

}  // namespace restante::test
