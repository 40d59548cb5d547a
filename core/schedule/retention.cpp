#include "core/schedule/retention.h"

#include "core/base/async_task.h"
#include "core/base/log.h"

#include <fmt/format.h>
#include <memory>
#include <utility>
#include <vector>

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

void Retention::requestPage(JobState state, const std::string& cursor)
{
    inspector_.list(
        {.state = state, .cursor = cursor, .limit = kPageSize},
        callbackGuard_.guard([this, state](const auto& page) { purgePage(state, page); }));
}

void Retention::purgePage(JobState state, const Result<JobPage>& page)
{
    if (!page) {
        log::debug("retention", "not now: {}", page.error().message);
        return scheduleCheck(kCheckInterval);
    }
    const auto retention = state == JobState::Trashed ? settings_.trash : settings_.done;
    std::vector<std::string> ids;
    for (const auto& view : page->jobs) {
        if (view.due + retention <= clock_.now()) {
            ids.push_back(view.job.id);
        }
    }
    // When all of a page are to be purged, there may be more on the next one.
    const auto nextCursor = ids.size() == page->jobs.size() ? page->cursor : std::string{};
    if (ids.empty()) {
        return finishPage(state, {}, nextCursor);
    }
    const auto tally = std::make_shared<PurgeTally>();
    const auto answered =
        countDown(ids.size(), callbackGuard_.guard([this, state, tally, nextCursor] {
            finishPage(state, *tally, nextCursor);
        }));
    for (const auto& id : ids) {
        // One that somebody restores meanwhile stays.
        store_.purge({id, "restanted", "retention", {state}},
                     [id, tally, answered](const Result<void>& purged) {
                         if (purged) {
                             ++tally->purged;
                         } else if (const auto code = purged.error().code; !hasMovedOn(code)) {
                             if (tally->refused++ == 0) {
                                 tally->refusal =
                                     fmt::format("job {}: {}", id, purged.error().message);
                             }
                             tally->storeRefuses = tally->storeRefuses || isTemporary(code);
                         }
                         answered();
                     });
    }
}

void Retention::finishPage(JobState state, const PurgeTally& tally, const std::string& nextCursor)
{
    if (tally.purged > 0) {
        log::info("retention", "purged {} {} jobs", tally.purged, name(state));
    }
    if (tally.refused > 0) {
        log::warning("retention", "{} {} jobs stay: {}", tally.refused, name(state), tally.refusal);
    }
    if (tally.storeRefuses) {
        scheduleCheck(kCheckInterval);
    } else if (!nextCursor.empty()) {
        requestPage(state, nextCursor);
    } else if (state == JobState::Trashed) {
        requestPage(JobState::Done, {});
    } else {
        scheduleCheck(kCheckInterval);
    }
}

}  // namespace restante
