#include "sipplugin/delivery/crash_recovery.h"

#include "core/base/log.h"

#include <cstdint>
#include <set>
#include <string>

namespace restante::sip {
namespace {
/// Jobs looked at in one call.
constexpr std::uint32_t kBatch = 100;

JobQuery sipJobs(JobState state, std::string cursor = {})
{
    JobQuery query;
    query.state = state;
    query.channel = Channel::Sip;
    query.cursor = std::move(cursor);
    query.limit = kBatch;
    return query;
}

}  // namespace

void requeueLeases(DelayQueue& queue, JobInspector& inspector, std::function<void()> done)
{
    inspector.list(
        sipJobs(JobState::Leased), [&queue, &inspector, done](const Result<JobPage>& page) {
            if (!page || page->jobs.empty()) {
                return done();
            }
            auto stuck = std::make_shared<bool>(false);
            const auto all = countDown(page->jobs.size(), [&queue, &inspector, done, stuck] {
                // The leases that cannot be given back lapse in time; no reason to ask for ever.
                *stuck ? done() : requeueLeases(queue, inspector, done);
            });
            for (const auto& view : page->jobs) {
                const Lease lease{view.job.id, view.attempt, view.job.recipient};
                queue.store().hold({lease, queue.clock().now(), "", false},
                                   [all, stuck](const Result<void>& held) {
                                       *stuck = *stuck || !held;
                                       all();
                                   });
            }
        });
}

void MailboxSweep::look(std::string cursor)
{
    inspector_.list(sipJobs(JobState::Held, std::move(cursor)),
                    lifetime_.guard([this](const Result<JobPage>& page) {
                        if (!page) {
                            return log::warning("sip", "not every mailbox was looked at: {}",
                                                page.error().message);
                        }
                        askFor(*page);
                    }));
}

void MailboxSweep::askFor(const JobPage& page)
{
    std::set<std::string> recipients;
    for (const auto& view : page.jobs) {
        recipients.insert(view.job.recipient);
    }
    const auto asked = countDown(recipients.size(), lifetime_.guard([this, next = page.cursor] {
        if (!next.empty()) {
            look(next);
        }
    }));
    for (const auto& recipient : recipients) {
        scheduler_.schedule(recipient, DeliveryScheduler::Cause::Stored, asked);
    }
}

}  // namespace restante::sip
