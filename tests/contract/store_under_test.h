#pragma once

#include "core/base/epoll_loop.h"
#include "core/queue/job_inspector.h"
#include "core/queue/job_store.h"
#include "tests/support/manual_clock.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace restante::test {

struct StoreOptions {
    Millis retentionDone{0};  ///< `retention.done`
};

/// An empty store that is ready to answer and reads `clock`, with its loop. Owns what else it needs
/// (a server, a connection).
class StoreUnderTest {
public:
    StoreUnderTest() = default;
    StoreUnderTest(const StoreUnderTest&) = delete;
    StoreUnderTest& operator=(const StoreUnderTest&) = delete;
    virtual ~StoreUnderTest() = default;

    virtual JobStore& store() = 0;
    virtual JobInspector& inspector() = 0;
    virtual std::uint32_t shards() const { return 1; }

    EpollLoop loop;
    ManualClock clock;
};

struct StoreFactory {
    std::string name;  ///< letters and digits: it becomes part of the test's name
    std::function<std::unique_ptr<StoreUnderTest>(const StoreOptions&)> make;
};

/// Every store that must pass the contract: tests/contract/store_factories.cpp.
const std::vector<StoreFactory>& storeFactories();

}  // namespace restante::test
