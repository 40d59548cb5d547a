#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace restante::sip {

/// Recognises a success for a request that was given up or refused, from a slow device or a proxy
/// that forwards several answers. By the branch of its Via, which a stranger cannot guess. Bounded
/// in number and time. *One loop.*
class LateAnswers {
public:
    using Instant = std::chrono::steady_clock::time_point;
    using SuccessHandler = std::function<void(int status, const std::string& phrase)>;

    /// A device that answers later than this has long got the message again.
    static constexpr std::chrono::minutes kKeptFor{5};
    static constexpr std::size_t kMostEntries = 10'000;

    /// `onSuccess` is called at most once, when a 2xx comes; it replaces an earlier one of that
    /// branch. The oldest is forgotten beyond kMostEntries.
    void expect(const std::string& branch, Instant now, SuccessHandler onSuccess)
    {
        forgetExpired(now);
        const auto [found, isNew] = awaited_.try_emplace(branch);
        if (!isNew) {
            expiries_.erase(found->second.expiry);
        }
        found->second.onSuccess = std::move(onSuccess);
        found->second.expiry = expiries_.emplace(expiries_.end(), now + kKeptFor, branch);
        if (awaited_.size() > kMostEntries) {
            forgetOldest();
        }
    }
    /// Handles an answer that belongs to no transaction; ignores anything but a 2xx.
    void handleAnswer(std::string_view branch, int status, const std::string& phrase, Instant now)
    {
        forgetExpired(now);
        if (status < 200 || status > 299) {
            return;
        }
        // Removed from the map first: `onSuccess` may send, and a second success is ignored.
        const auto found = awaited_.extract(std::string{branch});
        if (!found.empty()) {
            expiries_.erase(found.mapped().expiry);
            found.mapped().onSuccess(status, phrase);
        }
    }

    std::size_t size() const noexcept { return awaited_.size(); }

private:
    using Expiries = std::list<std::pair<Instant, std::string>>;
    struct Awaited {
        SuccessHandler onSuccess = {};
        Expiries::iterator expiry = {};
    };

    void forgetExpired(Instant now)
    {
        while (!expiries_.empty() && expiries_.front().first <= now) {
            forgetOldest();
        }
    }
    void forgetOldest()
    {
        awaited_.erase(expiries_.front().second);
        expiries_.pop_front();
    }

    std::unordered_map<std::string, Awaited> awaited_;  ///< by branch
    Expiries expiries_;                                 ///< of the same branches, oldest first
};

}  // namespace restante::sip
