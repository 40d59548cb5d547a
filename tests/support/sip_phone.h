#pragma once

#include "tests/support/sip_socket.h"

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante::test {

/// A small SIP user agent that is independent of the product: registers, sends, receives and
/// answers, and retransmits over UDP as RFC 3261 section 17.1.2 says. It works only while one of
/// its calls runs. *One thread.*
class SipPhone {
public:
    struct Account {
        std::string user;
        std::string domain;
        SipServer server;
    };
    /// The result of a transaction. 408 without a response: no answer came; 503 without one: the
    /// connection broke (RFC 3261 section 8.1.3.1).
    struct Outcome {
        int status = 0;
        SipText response;
    };
    /// Returns the status to answer a request with; 0 = no answer.
    using Policy = std::function<int(const SipText&)>;

    explicit SipPhone(Account account);

    std::string aor() const { return "sip:" + account_.user + "@" + account_.domain; }
    std::string contact() const { return socket_.contact(account_.user); }
    SipSocket& socket() noexcept { return socket_; }

    /// A request with fresh Call-ID, tag and branch, from this phone to `to`.
    SipText request(std::string_view method, const std::string& to);
    SipText message(const std::string& to, std::string body);

    /// A REGISTER for this phone's contact, with the next CSeq; 0 seconds remove the binding.
    SipText registration(std::chrono::seconds expires);
    /// Sends registration(expires) and waits for the answer.
    Outcome registerFor(std::chrono::seconds expires);
    Outcome unregister() { return registerFor(std::chrono::seconds{0}); }

    /// Sends and waits for the outcome; answers requests meanwhile.
    Outcome ask(const SipText& request);
    int say(const std::string& to, std::string body)
    {
        return ask(message(to, std::move(body))).status;
    }

    /// Begins a transaction; its outcome comes into outcomes() under the returned branch.
    std::string start(const SipText& request);
    const std::map<std::string, Outcome>& outcomes() const noexcept { return outcomes_; }
    /// Removes and returns the outcome; nothing as long as there is none.
    std::optional<Outcome> takeOutcome(const std::string& branch);
    std::size_t inFlight() const noexcept { return pendingTransactions_.size(); }

    void answerWith(Policy policy) { policy_ = std::move(policy); }
    /// Adds a header to every answer above 299, such as Retry-After.
    void addToRefusals(std::string name, std::string value)
    {
        refusalHeaders_.emplace_back(std::move(name), std::move(value));
    }

    /// Waits at most `longest` for a message, handles all that have come, and retransmits what is
    /// due.
    void work(Millis longest);
    /// Works until `reached` is true; false after `timeout`.
    bool workUntil(const std::function<bool()>& reached, Millis timeout = Millis{30'000});
    /// True once `count` requests were received and answered with 2xx.
    bool receive(std::size_t count, Millis timeout = Millis{30'000});

    /// The requests answered with 2xx, without retransmissions, in the order of arrival.
    const std::vector<SipText>& received() const noexcept { return received_; }
    std::vector<std::string> bodies() const;
    /// All requests, without retransmissions, whatever was answered.
    const std::vector<SipText>& offered() const noexcept { return offered_; }

    /// How long to wait for an answer: 64*T1.
    Millis timeout{32'000};

private:
    using Instant = std::chrono::steady_clock::time_point;
    struct Transaction {
        std::string bytes;
        Instant deadline;
        Instant nextSendTime;
        Millis interval;
    };

    void handle(const SipSocket::Arrival& arrival);
    void handleRequest(const SipSocket::Arrival& arrival);
    void serveTimers();
    void failAll();

    Account account_;
    SipSocket socket_;
    Policy policy_;
    std::vector<std::pair<std::string, std::string>> refusalHeaders_;
    std::uint32_t registrations_ = 0;
    std::string registrationCallId_ = uniqueToken();
    std::map<std::string, Transaction> pendingTransactions_;  ///< by branch
    std::map<std::string, Outcome> outcomes_;                 ///< by branch
    std::map<std::string, std::string> answers_;              ///< by branch; empty = none was given
    std::vector<SipText> received_;
    std::vector<SipText> offered_;
};

}  // namespace restante::test
