#include "tests/fault/load.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <iostream>

namespace restante::test {

namespace {

constexpr std::size_t kSenders = 4;
constexpr std::size_t kRecipients = 8;
// After a refusal a person waits a moment.
constexpr Millis kPauseAfterFailure{100};
constexpr std::size_t kWorthAStrike = 30;
constexpr Millis kLongestTalk{15'000};
// Asking whether all has arrived takes a process, which a busy machine is slow to start.
constexpr Millis kBetweenQuestions{200};
// The chance of each recipient to come or go in one turn of the loop.
constexpr double kRestlessness = 0.01;

}  // namespace

std::uint32_t seedOfThisRun()
{
    const char* given = std::getenv("RESTANTE_SEED");
    const auto seed =
        given != nullptr ? static_cast<std::uint32_t>(std::stoul(given)) : std::random_device{}();
    std::cout << "RESTANTE_SEED=" << seed << std::endl;
    return seed;
}

std::string Ledger::open(const std::string& sender, const std::string& recipient)
{
    const auto number = ++count_;
    const auto body = sender + " to " + recipient + ", number " + std::to_string(number);
    entries_[body] = {sender, recipient, number, false, {}, Clock::now(), {}};
    return body;
}

void Ledger::acknowledged(const std::string& body)
{
    auto& entry = entries_.at(body);
    entry.acknowledged = true;
    latestRecorded_ = std::max(latestRecorded_, entry.sent);
}

void Ledger::struck(std::optional<Clock::duration> unwritten)
{
    const auto now = Clock::now();
    strikes_.push_back({unwritten ? now - *unwritten : latestRecorded_, now});
}

bool Ledger::unwrittenAtAStrike(Clock::time_point first, Clock::time_point again) const
{
    return std::any_of(strikes_.begin(), strikes_.end(), [&](const Strike& strike) {
        return first >= strike.recorded && first <= strike.at && again >= strike.at;
    });
}

void Ledger::delivered(const std::string& recipient, const SipText& message)
{
    const auto found = entries_.find(message.body);
    if (found == entries_.end() || found->second.recipient != recipient) {
        faults_ += recipient + " got what was not sent: " + message.body + "\n";
        return;
    }
    auto& entry = found->second;
    const auto callId = message.header("Call-ID");
    if (!entry.deliveries.empty() && entry.deliveries.front() != callId) {
        faults_ += "delivered again under another Call-ID: " + message.body + "\n";
    }
    if (entry.deliveries.empty()) {
        arrivals_[entry.sender + " " + recipient].push_back(message.body);
    }
    entry.deliveries.push_back(callId);
    entry.delivered.push_back(Clock::now());
}

std::string Ledger::faults() const
{
    auto faults = faults_;
    for (const auto& [pair, bodies] : arrivals_) {
        std::uint64_t latest = 0;
        for (const auto& body : bodies) {
            const auto& entry = entries_.at(body);
            if (!entry.acknowledged) {
                continue;
            }
            if (entry.number < latest) {
                faults += fmt::format("out of order: {}, after number {}\n", body, latest);
            }
            latest = std::max(latest, entry.number);
        }
    }
    return faults;
}

std::size_t Ledger::acknowledgedInAll() const
{
    return static_cast<std::size_t>(
        std::count_if(entries_.begin(), entries_.end(),
                      [](const auto& each) { return each.second.acknowledged; }));
}

std::size_t Ledger::lost() const
{
    return static_cast<std::size_t>(
        std::count_if(entries_.begin(), entries_.end(), [](const auto& each) {
            return each.second.acknowledged && each.second.deliveries.empty();
        }));
}

std::size_t Ledger::duplicates() const
{
    std::size_t count = 0;
    for (const auto& [body, entry] : entries_) {
        count += std::max<std::size_t>(entry.deliveries.size(), 1) - 1;
    }
    return count;
}

std::size_t Ledger::recordedDuplicates() const
{
    std::size_t count = 0;
    for (const auto& [body, entry] : entries_) {
        for (std::size_t n = 1; n < entry.delivered.size(); ++n) {
            count += unwrittenAtAStrike(entry.delivered[n - 1], entry.delivered[n]) ? 0 : 1;
        }
    }
    return count;
}

std::ostream& operator<<(std::ostream& out, const Ledger& ledger)
{
    return out << "acknowledged " << ledger.acknowledgedInAll() << ", lost " << ledger.lost()
               << ", duplicates " << ledger.duplicates() << " (" << ledger.recordedDuplicates()
               << " recorded)\n"
               << ledger.faults();
}

Load::Load(const Daemon& daemon, std::uint32_t seed, Settings settings)
    : daemon_(daemon),
      pause_(settings.pause),
      random_(seed)
{
    for (std::size_t i = 0; i < kRecipients; ++i) {
        const auto user = settings.users + "reader" + std::to_string(i);
        const auto transport = i % 4 == 3 ? SipTransport::Tcp : SipTransport::Udp;
        recipients_.push_back(std::make_unique<SipPhone>(phoneOf(daemon, user, transport)));
        recipients_.back()->answerWith([this, aor = Daemon::aor(user)](const SipText& message) {
            ledger_.delivered(aor, message);
            return 200;
        });
    }
    for (std::size_t i = 0; i < kSenders; ++i) {
        const auto transport = i % 4 == 3 ? SipTransport::Tcp : SipTransport::Udp;
        senders_.push_back(std::make_unique<SipPhone>(
            phoneOf(daemon, settings.users + "writer" + std::to_string(i), transport)));
        for (const auto& recipient : recipients_) {
            lines_.push_back({i, recipient->aor(), {}, {}, {}});
        }
    }
}

void Load::run(Millis duration)
{
    const auto end = std::chrono::steady_clock::now() + duration;
    while (std::chrono::steady_clock::now() < end) {
        turn();
    }
}

void Load::runAtLeast(Millis duration)
{
    const auto enough = ledger_.acknowledgedInAll() + kWorthAStrike;
    const auto end = std::chrono::steady_clock::now() + kLongestTalk;
    run(duration);
    while (ledger_.acknowledgedInAll() < enough && std::chrono::steady_clock::now() < end) {
        turn();
    }
}

bool Load::settle(Millis timeout)
{
    talking_ = false;
    const auto end = std::chrono::steady_clock::now() + timeout;
    while (!silent() && std::chrono::steady_clock::now() < end) {
        turn();
    }
    std::map<SipPhone*, std::string> registrations;
    while (!comeBack(registrations) || !everythingArrived()) {
        if (std::chrono::steady_clock::now() >= end) {
            return false;
        }
        run(kBetweenQuestions);
    }
    return silent();
}

void Load::turn()
{
    for (auto& line : lines_) {
        serve(line);
    }
    // Senders who are done wait for nothing: the recipients have thousands to take.
    for (const auto& phone : senders_) {
        phone->work(talking_ || phone == senders_.front() ? Millis{1} : Millis{0});
    }
    std::bernoulli_distribution restless(talking_ ? kRestlessness : 0);
    for (const auto& phone : recipients_) {
        phone->work(Millis{0});
        if (restless(random_)) {
            comeOrGo(*phone);
        }
    }
}

void Load::serve(Line& line)
{
    const auto now = std::chrono::steady_clock::now();
    if (line.branch.empty()) {
        if (talking_ && now >= line.next) {
            send(line);
        }
        return;
    }
    const auto outcome = senders_[line.sender]->takeOutcome(line.branch);
    if (!outcome) {
        return;
    }
    const bool stored = outcome->status / 100 == 2;
    if (stored) {
        ledger_.acknowledged(line.body);
    }
    line.branch.clear();
    line.next = now + (stored ? pause_ : kPauseAfterFailure);
}

void Load::send(Line& line)
{
    auto& sender = *senders_[line.sender];
    line.body = ledger_.open(sender.aor(), line.recipient);
    line.branch = sender.start(sender.message(line.recipient, line.body));
}

void Load::comeOrGo(SipPhone& phone)
{
    if (phone.inFlight() > 0) {
        return;
    }
    const bool come = std::bernoulli_distribution(0.5)(random_);
    phone.start(phone.registration(come ? kRegistration : std::chrono::seconds{0}));
}

/// Has everybody register, again and again like real phones, until that has worked for all.
bool Load::comeBack(std::map<SipPhone*, std::string>& registrations)
{
    bool allAreBack = true;
    for (const auto& phone : recipients_) {
        auto& branch = registrations[phone.get()];
        const auto outcome = phone->outcomes().find(branch);
        const bool answered = outcome != phone->outcomes().end();
        if (answered && outcome->second.status == 200) {
            continue;
        }
        allAreBack = false;
        if (phone->inFlight() == 0) {
            branch = phone->start(phone->registration(kRegistration));
        }
    }
    return allAreBack;
}

/// False also when Redis does not tell, because it is still coming back.
bool Load::everythingArrived() const
{
    try {
        return daemon_.jobsInAll() == 0;
    } catch (const std::runtime_error&) {
        return false;
    }
}

bool Load::silent() const
{
    return std::all_of(lines_.begin(), lines_.end(),
                       [](const auto& line) { return line.branch.empty(); });
}

}  // namespace restante::test
