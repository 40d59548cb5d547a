#include "core/schedule/retention.h"

#include "core/base/log.h"

namespace restante {

namespace {

constexpr Millis kFirstLook{1'000};  // after what a start has to do first
constexpr Millis kPause{std::chrono::minutes{15}};
constexpr std::uint32_t kPage = 200;  // purged in one go; the store serves others in between

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
    lookAfter(kFirstLook);
}

void Retention::look(JobState state)
{
    inspector_.list({.state = state, .limit = kPage},
                    callbackGuard_.guard([this, state](const auto& page) { purge(state, page); }));
}

void Retention::purge(JobState state, const Result<JobPage>& page)
{
    if (!page) {
        log::debug("retention", "not now: {}", page.error().message);
        return lookAfter(kPause);
    }
    const auto kept = state == JobState::Trashed ? settings_.trash : settings_.done;
    std::size_t purged = 0;
    for (const auto& view : page->jobs) {
        if (view.due + kept <= clock_.now()) {
            ++purged;
            purgeOne(view.job.id);
        }
    }
    if (purged > 0) {
        log::info("retention", "purged {} {} jobs", purged, name(state));
    }
    // A page that went as a whole has others behind it; its purges are on their way before the
    // next page is asked for.
    if (purged == kPage) {
        look(state);
    } else if (state == JobState::Trashed) {
        look(JobState::Done);
    } else {
        lookAfter(kPause);
    }
}

void Retention::purgeOne(const std::string& id)
{
    store_.purge({id, "restanted", "retention"}, [id](const Result<void>& gone) {
        if (!gone && gone.error().code != ErrorCode::NotFound) {
            log::warning("retention", "job {} stays: {}", id, gone.error().message);
        }
    });
}

}  // namespace restante
