#include "gui/session/journal_past.h"

#include <algorithm>
#include <utility>

namespace restante::gui {

namespace {

/// Parts of 50,000 transitions: beyond 20 million it would be a matter of minutes.
constexpr std::uint32_t kMostParts = 400;

struct PastLook : std::enable_shared_from_this<PastLook> {
    std::weak_ptr<journal::SqlThread> journal;
    EventLoop* loop = nullptr;
    journal::FlowQuery query;
    JournalReach reach;
    Done<Past> done;
    Past past;
    std::optional<TimePoint> earliest;
    std::optional<TimePoint> latest;
    std::uint32_t parts = 0;

    void go()
    {
        const auto asked = journal.lock();
        if (!asked) {
            return;  // the store was left, and whoever asked has been told
        }
        if (++parts > kMostParts) {
            return done(failure(ErrorCode::Unavailable,
                                "the journal is too large to be counted through; only what this "
                                "console watches itself is shown"));
        }
        asked->ask<journal::FlowPart>(
            *loop, [query = query](journal::SqlJournal& sql) { return sql.flow(query); },
            [self = shared_from_this()](const Result<journal::FlowPart>& part) {
                self->take(part);
            });
    }

    void take(const Result<journal::FlowPart>& part)
    {
        if (!part) {
            return done(tl::unexpected<Error>(part.error()));
        }
        for (const auto& [step, jobs] : part->moves) {
            past.moves[step] += jobs;
        }
        if (part->earliest) {
            earliest = std::min(earliest.value_or(*part->earliest), *part->earliest);
            latest = std::max(latest.value_or(*part->latest), *part->latest);
        }
        query.after = part->after;
        if (!query.after.empty()) {
            return go();
        }
        past.knownFrom = std::max({query.begin, earliest.value_or(query.end), reach.oldest});
        past.knownUntil =
            std::min(query.end, reach.recorded.value_or(latest.value_or(query.begin)));
        done(std::move(past));
    }
};

}  // namespace

void readPast(std::weak_ptr<journal::SqlThread> journal,
              EventLoop& loop,
              PastRequest request,
              JournalReach reach,
              Done<Past> done)
{
    auto look = std::make_shared<PastLook>();
    look->journal = std::move(journal);
    look->loop = &loop;
    look->query.topic = std::move(request.share.topic);
    if (request.share.channel) {
        look->query.channel = std::string(name(*request.share.channel));
    }
    look->query.begin = request.begin;
    look->query.end = request.end;
    look->query.step = request.step;
    look->reach = reach;
    look->done = std::move(done);
    look->go();
}

}  // namespace restante::gui
