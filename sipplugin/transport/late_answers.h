#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
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

    /// `onSuccess` is called at most once, when a 2xx comes. The oldest is forgotten beyond
    /// kMostEntries.
    void expect(std::string branch, Instant now, SuccessHandler onSuccess)
    {
        forgetExpired(now);
        if (expiries_.size() == kMostEntries) {
            forgetOldest();
        }
        expiries_.emplace_back(now + kKeptFor, branch);
        successHandlers_.insert_or_assign(std::move(branch), std::move(onSuccess));
    }
    /// Handles an answer that belongs to no transaction; ignores anything but a 2xx.
    void handleAnswer(std::string_view branch, int status, const std::string& phrase, Instant now)
    {
        forgetExpired(now);
        if (status < 200 || status > 299) {
            return;
        }
        // Removed from the map first: `onSuccess` may send, and a second success is ignored.
        auto found = successHandlers_.extract(std::string{branch});
        if (!found.empty()) {
            found.mapped()(status, phrase);
        }
    }

    std::size_t size() const noexcept { return successHandlers_.size(); }

private:
    void forgetExpired(Instant now)
    {
        while (!expiries_.empty() && expiries_.front().first <= now) {
            forgetOldest();
        }
    }
    void forgetOldest()
    {
        successHandlers_.erase(expiries_.front().second);
        expiries_.pop_front();
    }

    std::unordered_map<std::string, SuccessHandler> successHandlers_;  ///< by branch
    std::deque<std::pair<Instant, std::string>> expiries_;
};

}  // namespace restante::sip
