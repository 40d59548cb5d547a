#pragma once

#include "core/base/clock.h"
#include "core/base/network.h"
#include "core/base/result.h"
#include "core/config/config.h"
#include "core/journal/sql/journal_url.h"
#include "core/queue/job_history.h"
#include "core/redis/client/redis_url.h"

#include <memory>
#include <optional>

namespace restante::daemon {

/// What the journal can do for callers; null without a journal.
struct JournalAccess {
    JobHistory* history = nullptr;
    JobRecovery* recovery = nullptr;
    std::optional<journal::JournalUrl> cold = {};  ///< where cold jobs are, if there may be any
};

/// The HTTP interface on a thread, a loop and Redis connections of its own, so that a burst of
/// requests delays no SIP. *One loop* (the caller's), blocked only at start and end.
class HttpPart {
public:
    /// Serves when it returns, at `config.http.listen`, which is set; or says what is wrong: Redis,
    /// the port, or a file that `http` names. `journal` outlives it.
    static Result<std::unique_ptr<HttpPart>>
    open(const redis::RedisUrl& url, const Config& config, JournalAccess journal);
    /// Ends it now.
    virtual ~HttpPart() = default;

    /// With the port that was chosen.
    virtual const SocketAddress& address() const noexcept = 0;

    /// Reads the files again that `config.http` names; on an error everything stays as it was.
    virtual Result<void> reload(const Config& config) = 0;
    /// Accepts nothing more, answers "none" to whoever waits for a job, and lets the other requests
    /// be answered, at most so long. `done` is called once, on the part's own thread.
    virtual void drain(Millis timeout, std::function<void()> done) = 0;
};

}  // namespace restante::daemon
