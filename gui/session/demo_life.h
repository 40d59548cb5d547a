#pragma once

#include "core/base/event_loop.h"
#include "gui/session/demo_jobs.h"
#include "gui/session/demo_store.h"

#include <cstdint>
#include <deque>

namespace restante::gui {

/// Plays the daemon of the demonstration: new jobs come, due ones are delivered or fail, people
/// register, old ones are forgotten. *One loop.*
class DemoLife {
public:
    DemoLife(EventLoop& loop, const Clock& clock, DemoStore& store, DemoJobs& jobs);

    void begin();

private:
    struct Running {
        ClaimedJob claimed;
        TimePoint ends;
    };

    void beat();
    void newJobs();
    void claimDue();
    void take(const Result<std::vector<ClaimedJob>>& claimed, const char* from);
    void endSome();
    void end(const ClaimedJob& claimed);
    void somebodyRegisters();
    void tidyUp();

    const Clock& clock_;
    DemoStore& store_;
    DemoJobs& jobs_;
    std::deque<Running> running_;
    std::uint64_t beats_ = 0;
    Timer pace_;
};

}  // namespace restante::gui
