#pragma once

#include "core/base/network.h"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace restante {

/// Which addresses are this machine's own: loopback, and those of its interfaces. They are read
/// again when the last reading is older than kFresh, so an address that appears later is own, too.
/// *Any thread.*
class OwnAddresses {
public:
    using Steady = std::chrono::steady_clock;
    using Read = std::function<std::vector<std::string>()>;
    using Now = std::function<Steady::time_point()>;

    /// One reading takes a system call or two; a burst of connections shares it.
    static constexpr std::chrono::seconds kFresh{2};

    /// `read` returns numeric addresses; empty = it has failed, and the last reading stays.
    explicit OwnAddresses(Read read = machineAddresses, Now now = Steady::now);

    /// `address` is numeric; "::ffff:10.0.0.1" counts as 10.0.0.1. False for anything else.
    bool contains(std::string_view address) const;

    /// The one of this process, shared by all policies that ask for it.
    static std::shared_ptr<const OwnAddresses> ofMachine();

private:
    Read read_;
    Now now_;
    mutable std::mutex mutex_;  ///< guards what is below
    mutable std::vector<Network> addresses_;
    mutable Steady::time_point readAgain_{};
};

}  // namespace restante
