#include "sipplugin/sip_scheduler.h"

#include "core/base/log.h"
#include "sipplugin/aor.h"
#include "sipplugin/count_down.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace restante::sip {

namespace {

/// Jobs and mailboxes taken at once.
constexpr std::uint32_t kBatch = 100;

}  // namespace

SipScheduler::SipScheduler(DelayQueue& queue, DueWatcher& due, MailboxFlusher& flusher)
    : queue_(queue),
      flusher_(flusher)
{
    due.watch({.kind = DueSource::Kind::Lanes, .channel = Channel::Sip},
              [this, alive = std::weak_ptr<int>{alive_}](Settled settled) {
                  alive.expired() ? settled() : takeJobs(std::move(settled));
              });
    due.watch({.kind = DueSource::Kind::Mailboxes},
              [this, alive = std::weak_ptr<int>{alive_}](Settled settled) {
                  alive.expired() ? settled() : takeMailboxes(std::move(settled));
              });
}

void SipScheduler::takeJobs(Settled settled)
{
    queue_.claim({Channel::Sip, {}, kBatch}, [this, settled, alive = std::weak_ptr<int>{alive_}](
                                                 Result<std::vector<ClaimedJob>> jobs) {
        if (alive.expired() || !jobs || jobs->empty()) {
            return settled();
        }
        const auto taken = countDown(jobs->size(), [this, settled, alive] {
            alive.expired() ? settled() : takeJobs(settled);
        });
        for (const auto& job : *jobs) {
            takeJob(job, taken);
        }
    });
}

void SipScheduler::takeJob(const ClaimedJob& job, Settled settled)
{
    const auto done = [id = job.job.id, settled = std::move(settled)](const Result<void>& moved) {
        if (!moved) {
            log::warning("sip", "job {} is not in its mailbox: {}", id, moved.error().message);
        }
        settled();
    };
    const Lease lease{job.job.id, job.attempt, job.job.recipient};
    if (auto aor = canonicalAor(job.job.recipient); !aor) {
        return queue_.bury(lease, "its recipient cannot be reached by SIP: " + aor.error().message,
                           done);
    }
    queue_.store().hold({lease, queue_.clock().now(), "", false}, done);
}

void SipScheduler::takeMailboxes(Settled settled)
{
    queue_.store().dueMailboxes(kBatch, [this, settled, alive = std::weak_ptr<int>{alive_}](
                                            Result<std::vector<std::string>> due) {
        if (alive.expired() || !due || due->empty()) {
            return settled();
        }
        const bool more = due->size() == kBatch;
        const auto claimed = countDown(due->size(), [this, settled, more, alive] {
            more && !alive.expired() ? takeMailboxes(settled) : settled();
        });
        for (const auto& recipient : *due) {
            flusher_.flush(recipient, MailboxFlusher::Cause::Due, claimed);
        }
    });
}

}  // namespace restante::sip
