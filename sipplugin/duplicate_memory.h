#pragma once

#include "core/base/clock.h"
#include "sipplugin/received_request.h"

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>

namespace restante::sip {

/// Remembers recent UDP requests and what they were answered, so that a retransmission gets the
/// same answer without asking the store. Stands in for the server transaction that a stateless
/// agent does not keep. *One loop.*
///
/// What is forgotten early, or lost in a restart, is still caught by the store's onceKey.
class DuplicateMemory {
public:
    struct Settings {
        /// Timer J of RFC 3261: 64 * T1.
        Millis lifetime{32'000};
        /// A second of the highest rate one agent serves; the first retransmission comes after
        /// half of one. About 20 MB.
        std::size_t capacity = 65'536;
    };
    explicit DuplicateMemory(const Clock& clock);
    DuplicateMemory(const Clock& clock, Settings settings);

    enum class Verdict { New, InProgress, Answered };
    struct Found {
        Verdict verdict = Verdict::New;
        SipAnswer answer;  ///< for Answered
    };
    /// A new request is remembered as being in progress.
    Found meet(const std::string& key);
    /// Forgotten keys are ignored.
    void answered(const std::string& key, SipAnswer answer);

    std::size_t size() const noexcept { return entries_.size(); }

private:
    struct Entry {
        TimePoint met{};
        std::optional<SipAnswer> answer;
    };
    void forgetExpired();
    void forgetOldest();

    const Clock& clock_;
    Settings settings_;
    std::unordered_map<std::string, Entry> entries_;
    std::deque<const std::string*> order_;  ///< keys of entries_, oldest first
};

/// The key of a request: RFC 3261 section 17.2.3, with what RFC 2543 matches by as well, because
/// some clients reuse their branch.
std::string transactionKey(const ReceivedRequest& request);

}  // namespace restante::sip
