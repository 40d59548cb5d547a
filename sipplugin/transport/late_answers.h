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

/// Requests that were given up or refused, and whose success may still come: a slow device, a proxy
/// that passes on several answers. Known by the branch of their Via, which a stranger cannot guess.
/// Bounded in number and time. *One loop.*
class LateAnswers {
public:
    using Instant = std::chrono::steady_clock::time_point;
    using SuccessHandler = std::function<void(int status, const std::string& phrase)>;

    /// A device that answers later than this has long been asked again.
    static constexpr std::chrono::minutes kKeptFor{5};
    static constexpr std::size_t kMost = 10'000;

    /// `onSuccess` is called at most once, when a 2xx comes. The oldest is forgotten beyond kMost.
    void expect(std::string branch, Instant now, SuccessHandler onSuccess)
    {
        forget(now);
        if (ends_.size() == kMost) {
            forgetOldest();
        }
        ends_.emplace_back(now + kKeptFor, branch);
        waiting_.insert_or_assign(std::move(branch), std::move(onSuccess));
    }
    /// An answer that belongs to no transaction; anything but a 2xx says nothing new.
    void answered(std::string_view branch, int status, const std::string& phrase, Instant now)
    {
        forget(now);
        if (status < 200 || status > 299) {
            return;
        }
        // Out of the map first: `onSuccess` may send, and a second success is of no interest.
        auto found = waiting_.extract(std::string{branch});
        if (!found.empty()) {
            found.mapped()(status, phrase);
        }
    }

    std::size_t size() const noexcept { return waiting_.size(); }

private:
    void forget(Instant now)
    {
        while (!ends_.empty() && ends_.front().first <= now) {
            forgetOldest();
        }
    }
    void forgetOldest()
    {
        waiting_.erase(ends_.front().second);
        ends_.pop_front();
    }

    std::unordered_map<std::string, SuccessHandler> waiting_;  ///< by branch
    std::deque<std::pair<Instant, std::string>> ends_;
};

}  // namespace restante::sip
