// How MemoryJobStore tells exactly where its jobs are, and takes back what an export has written.

#include "core/base/text.h"
#include "core/queue/memory_job_store.h"

#include <fmt/format.h>

namespace restante {

namespace {

std::string printMs(TimePoint at)
{
    return at == TimePoint::max() ? "inf" : std::to_string(toEpochMs(at));
}

/// The next word of an origin.
std::string_view takeField(std::string_view& text)
{
    const auto end = std::min(text.find(' '), text.size());
    const auto word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
}

TimePoint momentOf(std::string_view word)
{
    return word.find("inf") != std::string_view::npos
               ? TimePoint::max()
               : fromEpochMs(leadingNumber<std::int64_t>(word));
}

}  // namespace

std::string MemoryJobStore::printed(const Entry& entry, const Origin& origin)
{
    const auto at = printMs(origin.spot.score);
    if (origin.inMailbox) {
        return fmt::format("held inf {} {}", entry.boxOrder, at);
    }
    const auto place = origin.spot.place;
    return fmt::format("{} {} - -", name(place), place == JobState::Held ? "inf" : at);
}

JobPosition MemoryJobStore::exactPlaceOf(const Entry& entry) const
{
    JobPosition position;
    if (entry.inMailbox) {
        position.arrival = entry.boxOrder;
        position.mailboxNext = entry.spot.place == JobState::Leased
                                   ? mailboxes_.at(entry.job.recipient).nextAttempt
                                   : TimePoint::max();
    }
    for (auto origin = entry.origins.rbegin(); origin != entry.origins.rend(); ++origin) {
        position.origin += (position.origin.empty() ? "" : " ") + printed(entry, *origin);
    }
    if (entry.spot.place == JobState::Held && !entry.inMailbox &&
        entry.spot.score != TimePoint::max()) {
        position.origin = fmt::format("scheduled {} - -", printMs(entry.spot.score));
    }
    return position;
}

void MemoryJobStore::readOrigins(Entry& entry, std::string_view text)
{
    while (!text.empty()) {
        const auto state = takeField(text);
        const auto score = takeField(text);
        const auto arrival = takeField(text);
        const auto next = takeField(text);
        Origin origin;
        origin.spot.score = momentOf(score);
        origin.spot.place = jobStateNamed(state).value_or(JobState::Scheduled);
        if (arrival != "-") {
            origin.inMailbox = true;
            origin.spot.score = next == "-" ? clock_.now() : momentOf(next);
            entry.boxOrder = leadingNumber<std::uint64_t>(arrival);
        }
        entry.origins.insert(entry.origins.begin(), origin);
    }
}

Result<PushOutcome> MemoryJobStore::imported(ImportRequest request)
{
    auto& view = request.view;
    const auto id = view.job.id;
    const auto existing = jobs_.find(id);
    std::uint32_t had = 0;
    if (existing != jobs_.end()) {
        auto& entry = existing->second;
        if (request.existing == ImportRequest::Existing::Keep) {
            if (hasSameContent(entry.job, view.job)) {
                return PushOutcome{PushStatus::AlreadyThere, id};
            }
            return failure(ErrorCode::Conflict,
                           "job {}: there is another job of this id, with other content; take "
                           "another id, or ask for replace",
                           id);
        }
        const auto its = viewOf(entry);
        if (entry.job == view.job && its.state == view.state && its.due == view.due &&
            its.attempt == view.attempt && its.attemptOffset == view.attemptOffset &&
            its.lastError == view.lastError && view.position &&
            its.position->arrival == view.position->arrival &&
            its.position->origin == view.position->origin) {
            return PushOutcome{PushStatus::AlreadyThere, id};
        }
        had = entry.failedAttempts + (entry.spot.place == JobState::Leased ? 1 : 0);
        forget(*existing);
    }
    const bool leased = view.state == JobState::Leased;
    if (leased && !view.position) {
        view.state = JobState::Scheduled;
        view.due = clock_.now();
    }
    Entry entry;
    entry.failedAttempts = view.attempt - (leased && view.position && view.attempt > 0 ? 1 : 0);
    entry.attemptOffset = std::min(view.attemptOffset, entry.failedAttempts);
    if (had > entry.failedAttempts) {
        entry.attemptOffset += had - entry.failedAttempts;
        entry.failedAttempts = had;
    }
    entry.error = view.lastError;
    const bool inMailbox = view.position ? view.position->arrival > 0
                                         : view.state == JobState::Held && !view.byItself &&
                                               view.job.channel == Channel::Sip &&
                                               !view.job.recipient.empty();
    entry.job = std::move(view.job);
    enterImported(id, std::move(entry), view, inMailbox);
    return PushOutcome{PushStatus::Stored, id};
}

/// `view` without its job.
void MemoryJobStore::enterImported(const std::string& id,
                                   Entry entry,
                                   const JobView& view,
                                   bool inMailbox)
{
    const auto position = view.position.value_or(JobPosition{});
    auto& slot = *jobs_.emplace(id, std::move(entry)).first;
    auto& its = slot.second;
    const bool byItself = view.state == JobState::Held && !inMailbox;
    if (byItself) {
        // Its origin says when it is due again.
        std::string_view rest = position.origin;
        (void)takeField(rest);
        const auto due = view.position ? TimePoint::max() : view.due;
        its.spot = {JobState::Held, position.origin.empty() ? due : momentOf(takeField(rest))};
        put(slot, its.spot);
        return;
    }
    readOrigins(its, position.origin);
    if (its.origins.empty() && !isLive(view.state)) {
        its.origins.push_back({{JobState::Scheduled, clock_.now()}, false});
    }
    const auto origins = its.origins;
    sequence_ = std::max(sequence_, std::max(position.arrival, its.boxOrder));
    if (inMailbox) {
        its.boxOrder = position.arrival;
        const auto box = mailboxes_.find(its.job.recipient);
        const auto next = view.state == JobState::Held ? view.due : position.mailboxNext;
        putInMailbox(slot,
                     box == mailboxes_.end() ? next : std::min(next, box->second.nextAttempt));
    }
    if (view.state != JobState::Held) {
        const bool isInLane = view.state == JobState::Ready;
        put(slot, {isInLane ? JobState::Scheduled : view.state, view.due});
    }
    its.origins = origins;
}

void MemoryJobStore::importOnce(OnceKey once, Done<PushOutcome> done)
{
    const auto found = once_.find(once.key);
    const auto until = once.since + 2 * once.onceFor;
    if (found != once_.end() && clock_.now() < found->second.until) {
        return answer(std::move(done), PushOutcome{PushStatus::AlreadyThere, found->second.id});
    }
    if (until <= clock_.now()) {
        return answer(std::move(done), PushOutcome{PushStatus::AlreadyThere, once.id});
    }
    once_[once.key] = {once.id, until, once.onceFor};
    answer(std::move(done), PushOutcome{PushStatus::Stored, once.id});
}

void MemoryJobStore::onceKeys(std::function<void(std::vector<OnceKey>)> some, Done<void> done)
{
    std::vector<OnceKey> found;
    for (const auto& [key, once] : once_) {
        if (clock_.now() < once.until) {
            found.push_back({key, once.id, once.onceFor, once.until - 2 * once.onceFor});
        }
    }
    loop_.post([some = std::move(some), done = std::move(done), found = std::move(found)] {
        if (!found.empty()) {
            some(found);
        }
        done({});
    });
}

}  // namespace restante
