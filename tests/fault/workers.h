#pragma once

#include "tests/support/process.h"
#include "tests/support/redis_server.h"

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace restante::test {

/// Processes that consume the topic "order" (tests/fault/worker), and what they told. *One thread.*
class WorkerGroup {
public:
    struct Settings {
        int processes = 2;
        int threads = 4;
        Millis work{10};  ///< what each job takes
    };
    /// Waits until all of them consume.
    WorkerGroup(const RedisServer& redis, Settings settings);

    void kill9(std::size_t process);
    /// Those that live: true when each has ended cleanly.
    bool stop();

    std::map<std::string, int> timesEnded() const;  ///< by id
    std::size_t busyProcesses() const;              ///< that have ended a job
    /// "id attempt" that more than one handler began.
    std::set<std::string> attemptsBegunTwice() const;
    /// Ids that one handler began while another one, that was not killed, had not ended them.
    std::set<std::string> heldByTwoAtOnce() const;
    /// Handlers at work at the same time.
    int mostAtOnce() const;

private:
    struct Event {
        long long at = 0;  ///< ms since epoch
        bool isBegin = false;
        std::string id;
        std::string attempt;
        std::size_t process = 0;
    };
    std::vector<Event> events() const;  ///< by time, ends first

    std::vector<std::unique_ptr<Process>> processes_;
    std::map<std::size_t, long long> killed_;  ///< when, ms since epoch
};

}  // namespace restante::test
