#pragma once

#include "core/base/clock.h"
#include "sipplugin/message/fingerprint.h"
#include "sipplugin/message/received_request.h"

#include <deque>
#include <optional>
#include <unordered_map>

namespace restante::sip {

/// Remembers recent UDP requests and their answers, so that a retransmission gets the same answer
/// without a call of the store. Replaces the server transaction, which a stateless agent does not
/// keep. *One loop.*
///
/// A request that is forgotten early, or lost in a restart, is recognised by the store's onceKey.
class RetransmissionCache {
public:
    struct Settings {
        /// Timer J of RFC 3261: 64 * T1.
        Millis lifetime{32'000};
        /// One second of the highest rate; the first retransmission comes after half of that. 12
        /// MB.
        std::size_t capacity = 65'536;
    };
    explicit RetransmissionCache(const Clock& clock) : RetransmissionCache(clock, Settings{}) {}
    RetransmissionCache(const Clock& clock, Settings settings) : clock_(clock), settings_(settings)
    {
    }

    enum class State { New, InProgress, Answered };
    struct LookupResult {
        State state = State::New;
        SipAnswer answer;  ///< for Answered
    };
    /// The state of the request; a new one is then remembered as InProgress.
    LookupResult findOrAdd(const Fingerprint& key)
    {
        const auto now = clock_.now();
        while (!order_.empty() && order_.front().addedAt <= now - settings_.lifetime) {
            forgetOldest();
        }
        const auto [entry, isNew] = answers_.try_emplace(key);
        if (isNew) {
            order_.push_back({now, key});
            if (answers_.size() > settings_.capacity) {
                forgetOldest();
            }
            return {};
        }
        if (!entry->second) {
            return {State::InProgress, {}};
        }
        return {State::Answered, *entry->second};
    }
    /// Remembers the answer; ignores forgotten keys.
    void recordAnswer(const Fingerprint& key, SipAnswer answer)
    {
        if (const auto found = answers_.find(key); found != answers_.end()) {
            found->second = std::move(answer);
        }
    }

    std::size_t size() const noexcept { return answers_.size(); }

private:
    struct Entry {
        TimePoint addedAt{};
        Fingerprint key;
    };
    void forgetOldest()
    {
        answers_.erase(order_.front().key);
        order_.pop_front();
    }

    const Clock& clock_;
    Settings settings_;
    std::unordered_map<Fingerprint, std::optional<SipAnswer>> answers_;
    std::deque<Entry> order_;  ///< of the keys of answers_, oldest first
};

/// Identifies a transaction by RFC 3261 section 17.2.3 and, because some clients reuse their
/// branch, RFC 2543.
inline Fingerprint transactionKey(const ReceivedRequest& request)
{
    // The top Via alone: those below belong to earlier hops and do not tell transactions apart.
    const auto via = request.header(HeaderName::Via).value_or("");
    return fingerprint({request.method, request.requestUri, via.substr(0, via.find(',')),
                        request.header(HeaderName::From).value_or(""),
                        request.header(HeaderName::CallId).value_or(""),
                        request.header(HeaderName::CSeq).value_or("")});
}

}  // namespace restante::sip
