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

/// The journal's services for HTTP callers; null without a journal.
struct JournalAccess {
    JobHistory* history = nullptr;
    JobRecovery* recovery = nullptr;
    std::optional<journal::JournalUrl> coldJobs = {};  ///< where cold jobs are, if there may be any
};

/// The HTTP interface on `http.threads` threads, each with a loop and Redis connections of its own,
/// so that a burst of requests delays no SIP. *One loop* (the caller's), blocked only at start and
/// end.
class HttpPart {
public:
    /// Serves when it returns, at `config.http.listen`, which is set; the error concerns Redis, the
    /// port, or a file that `http` names. `journal` outlives it.
    static Result<std::unique_ptr<HttpPart>>
    open(const redis::RedisUrl& url, const Config& config, JournalAccess journal);
    /// Ends it now.
    virtual ~HttpPart() = default;

    /// The bound address: a port 0 has become a real one.
    virtual const SocketAddress& address() const noexcept = 0;

    /// Reads the files again that `config.http` names; on an error nothing changes.
    virtual Result<void> reload(const Config& config) = 0;
    /// Accepts nothing more, answers "none" to parked pops, and waits for the other requests, at
    /// most `timeout`. `done` is called once, on a thread of the part.
    virtual void drain(Millis timeout, std::function<void()> done) = 0;
};

}  // namespace restante::daemon
