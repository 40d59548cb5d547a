#pragma once

#include "core/base/clock.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <unordered_map>

namespace restante::http {

/// Rate-limits attempts to guess a token: the answers to unknown ones leave an address ten a
/// second, after a few at once, however many connections ask. Known tokens never wait. Also says
/// which refusals are logged, so that a guesser cannot fill the log. *One loop.*
class FailureDelay {
public:
    using Moment = std::chrono::steady_clock::time_point;

    static constexpr int kAtOnce = 5;
    static constexpr Millis kBetween{100};
    static constexpr Millis kLongest{10'000};

    /// How long the refusal that is made now has to wait.
    Millis delay(const std::string& address, Moment now);
    /// How many refusals the line to be logged stands for; 0 = log none now.
    std::uint64_t toLog(Moment now);

private:
    void forget(Moment now);

    std::unordered_map<std::string, Moment> free_;  ///< when an address has paid for its refusals
    Moment nextLine_{};
    std::uint64_t unsaid_ = 0;
};

}  // namespace restante::http
