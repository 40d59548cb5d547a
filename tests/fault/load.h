#pragma once

#include "tests/support/daemon_phones.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace restante::test {

/// What a strike may find under way to one recipient: DeliveryRun offers the next message while no
/// more than this many are at the device or have been taken by it and are not yet forgotten.
inline constexpr std::size_t kUnderWay = 32;
/// What `async` acknowledges before the journal has it.
inline constexpr std::chrono::duration<double> kUnwritten{0.05};

/// The seed of this run: RESTANTE_SEED, or a new one; printed, so that a failure can be repeated.
std::uint32_t seedOfThisRun();

/// What was sent, what was acknowledged and what arrived: the oracle of the fault tests. *Value.*
class Ledger {
public:
    /// The body of a new message, which names it.
    std::string open(const std::string& sender, const std::string& recipient);
    void acknowledged(const std::string& body);
    /// A device of `recipient` has taken this.
    void delivered(const std::string& recipient, const SipText& message);

    using Clock = std::chrono::steady_clock;

    /// Redis is lost now. Of what the journal then had is known: everything that was stored or
    /// delivered before the latest message was sent whose acknowledgement waited for the journal
    /// (`durable`); else what is older than `unwritten`.
    void struck(std::optional<Clock::duration> unwritten);

    std::size_t acknowledgedInAll() const;
    std::size_t lost() const;        ///< acknowledged and never delivered
    std::size_t duplicates() const;  ///< deliveries after the first
    /// Of the duplicates those that no strike explains by what the journal did not have yet.
    std::size_t recordedDuplicates() const;
    /// What nothing excuses, a line each: an altered body, a delivery to somebody else, a repeated
    /// delivery under another Call-ID, first deliveries of a pair out of order. A message that was
    /// refused may have been stored all the same, when Redis was too slow to tell; its place among
    /// the others is promised to nobody.
    std::string faults() const;

private:
    struct Entry {
        std::string sender;
        std::string recipient;
        std::uint64_t number = 0;
        bool acknowledged = false;
        std::vector<std::string> deliveries;  ///< the Call-ID of each
        Clock::time_point sent;
        std::vector<Clock::time_point> delivered;
    };
    /// The journal had what was before `recorded`; `at` is the moment of the strike.
    struct Strike {
        Clock::time_point recorded;
        Clock::time_point at;
    };

    bool unwrittenAtAStrike(Clock::time_point first, Clock::time_point again) const;

    std::uint64_t count_ = 0;
    std::map<std::string, Entry> entries_;  ///< by body
    /// Bodies as they came first, by "sender recipient".
    std::map<std::string, std::vector<std::string>> arrivals_;
    Clock::time_point latestRecorded_;  ///< when the latest acknowledged message was sent
    std::vector<Strike> strikes_;
    std::string faults_;
};

std::ostream& operator<<(std::ostream& out, const Ledger& ledger);

/// People who write to each other while processes die: senders over UDP and TCP with one message
/// under way to each recipient (RFC 3428 section 8), recipients who come and go. *One thread.*
class Load {
public:
    struct Settings {
        std::string users;  ///< what the names of its people begin with: several loads on one store
        /// Of each sender to each recipient, after an answer. The default is a busy conversation,
        /// not a flood: what matters is how much is under way when a process dies.
        Millis pause{5};
    };

    Load(const Daemon& daemon, std::uint32_t seed) : Load(daemon, seed, Settings{}) {}
    Load(const Daemon& daemon, std::uint32_t seed, Settings settings);
    Load(const Load&) = delete;
    Load& operator=(const Load&) = delete;

    /// Lets them talk for a while.
    void run(Millis duration);
    /// The same, and on a slow machine until enough is stored to be worth a strike.
    void runAtLeast(Millis duration);
    /// Ends the talk: what is under way is answered, all come back, everything is delivered. False
    /// when that does not come within `timeout`.
    bool settle(Millis timeout = Millis{150'000});

    /// As Ledger::struck(); to be called just before.
    void struck(std::optional<Ledger::Clock::duration> unwritten = {})
    {
        ledger_.struck(unwritten);
    }
    const Ledger& ledger() const noexcept { return ledger_; }
    std::size_t recipients() const noexcept { return recipients_.size(); }
    std::mt19937& random() noexcept { return random_; }

private:
    /// One sender's line to one recipient.
    struct Line {
        std::size_t sender = 0;
        std::string recipient;
        std::string branch;  ///< under way; empty = none
        std::string body;
        std::chrono::steady_clock::time_point next{};
    };

    void turn();
    void serve(Line& line);
    void send(Line& line);
    void comeOrGo(SipPhone& phone);
    bool comeBack(std::map<SipPhone*, std::string>& registrations);
    bool everythingArrived() const;
    bool silent() const;

    const Daemon& daemon_;
    Millis pause_;
    std::mt19937 random_;
    Ledger ledger_;
    std::vector<std::unique_ptr<SipPhone>> senders_;
    std::vector<std::unique_ptr<SipPhone>> recipients_;
    std::vector<Line> lines_;
    bool talking_ = true;
};

}  // namespace restante::test
