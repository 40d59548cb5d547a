#include "core/schedule/retention.h"

#include "core/base/log.h"

namespace restante {

namespace {

constexpr Millis kFirstCheckDelay{1'000};  // lets the start-up work finish first
constexpr Millis kCheckInterval{std::chrono::minutes{15}};
constexpr std::uint32_t kPageSize = 200;  // jobs purged at once; the store serves others in between

}  // namespace

Retention::Retention(EventLoop& loop,
                     const Clock& clock,
                     JobStore& store,
                     JobInspector& inspector,
                     Settings settings)
    : clock_(clock),
      store_(store),
      inspector_(inspector),
      settings_(settings),
      timer_(loop)
{
    scheduleCheck(kFirstCheckDelay);
}

void Retention::requestPage(JobState state)
{
    inspector_.list(
        {.state = state, .limit = kPageSize},
        callbackGuard_.guard([this, state](const auto& page) { purgePage(state, page); }));
}

void Retention::purgePage(JobState state, const Result<JobPage>& page)
{
    if (!page) {
        log::debug("retention", "not now: {}", page.error().message);
        return scheduleCheck(kCheckInterval);
    }
    const auto retention = state == JobState::Trashed ? settings_.trash : settings_.done;
    std::size_t purged = 0;
    for (const auto& view : page->jobs) {
        if (view.due + retention <= clock_.now()) {
            ++purged;
            purgeJob(view.job.id);
        }
    }
    if (purged > 0) {
        log::info("retention", "purged {} {} jobs", purged, name(state));
    }
    // When a whole page was purged, more pages may follow. Its purges are sent before the next page
    // is asked for.
    if (purged == kPageSize) {
        requestPage(state);
    } else if (state == JobState::Trashed) {
        requestPage(JobState::Done);
    } else {
        scheduleCheck(kCheckInterval);
    }
}

void Retention::purgeJob(const std::string& id)
{
    store_.purge({id, "restanted", "retention"}, [id](const Result<void>& purged) {
        if (!purged && purged.error().code != ErrorCode::NotFound) {
            log::warning("retention", "job {} stays: {}", id, purged.error().message);
        }
    });
}

}  // namespace restante
