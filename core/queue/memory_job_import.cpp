// How MemoryJobStore exports the positions of its jobs and imports what an export has written.

#include "core/base/text.h"
#include "core/queue/job_search.h"
#include "core/queue/memory_job_store.h"

#include <fmt/format.h>

namespace restante {

namespace {

std::string formatMs(TimePoint at)
{
    return at == TimePoint::max() ? "inf" : std::to_string(toEpochMs(at));
}

/// Removes the next word of an origin from `text`.
std::string_view takeField(std::string_view& text)
{
    const auto end = std::min(text.find(' '), text.size());
    const auto word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
}

TimePoint parseTime(std::string_view word)
{
    return word.find("inf") != std::string_view::npos
               ? TimePoint::max()
               : fromEpochMs(leadingNumber<std::int64_t>(word));
}

}  // namespace

std::string MemoryJobStore::formatOrigin(const Entry& entry, const Origin& origin)
{
    const auto at = formatMs(origin.position.score);
    if (origin.inMailbox) {
        return fmt::format("held inf {} {}", entry.mailboxOrder, at);
    }
    const auto state = origin.position.state;
    return fmt::format("{} {} - -", name(state), state == JobState::Held ? "inf" : at);
}

JobPosition MemoryJobStore::positionOf(const Entry& entry) const
{
    JobPosition position;
    if (entry.inMailbox) {
        position.arrival = entry.mailboxOrder;
        position.mailboxNext = entry.position.state == JobState::Leased
                                   ? mailboxes_.at(entry.job.recipient).nextAttempt
                                   : TimePoint::max();
    }
    for (auto origin = entry.origins.rbegin(); origin != entry.origins.rend(); ++origin) {
        position.origin += (position.origin.empty() ? "" : " ") + formatOrigin(entry, *origin);
    }
    if (entry.position.state == JobState::Held && !entry.inMailbox &&
        entry.position.score != TimePoint::max()) {
        position.origin = fmt::format("scheduled {} - -", formatMs(entry.position.score));
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
        origin.position.score = parseTime(score);
        origin.position.state = jobStateNamed(state).value_or(JobState::Scheduled);
        if (arrival != "-") {
            origin.inMailbox = true;
            origin.position.score = next == "-" ? clock_.now() : parseTime(next);
            entry.mailboxOrder = leadingNumber<std::uint64_t>(arrival);
        }
        entry.origins.insert(entry.origins.begin(), origin);
    }
}

Result<PushOutcome> MemoryJobStore::importOrRefuse(ImportRequest request)
{
    auto& view = request.view;
    const auto id = view.job.id;
    const auto existing = jobs_.find(id);
    std::uint32_t attemptsBefore = 0;
    if (existing == jobs_.end() && (!request.onlyIn.empty() || request.onlyIfCreated)) {
        return failure(ErrorCode::NotFound, "job {}: there is none of this id", id);
    }
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
        const auto current = viewOf(entry);
        if (entry.job == view.job && current.state == view.state && current.due == view.due &&
            current.attempt == view.attempt && current.attemptOffset == view.attemptOffset &&
            current.lastError == view.lastError && view.position &&
            current.position->arrival == view.position->arrival &&
            current.position->origin == view.position->origin) {
            return PushOutcome{PushStatus::AlreadyThere, id};
        }
        if (!isWanted(request.onlyIn, current.state)) {
            return failure(ErrorCode::Conflict, "job {}: it is {}", id, name(current.state));
        }
        if (request.onlyIfCreated && entry.job.created != *request.onlyIfCreated) {
            return failure(ErrorCode::Conflict,
                           "job {}: somebody else has changed it since it was seen", id);
        }
        attemptsBefore = entry.failedAttempts + (entry.position.state == JobState::Leased ? 1 : 0);
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
    if (attemptsBefore > entry.failedAttempts) {
        entry.attemptOffset += attemptsBefore - entry.failedAttempts;
        entry.failedAttempts = attemptsBefore;
    }
    entry.error = view.lastError;
    const bool inMailbox =
        view.position ? view.position->arrival > 0
                      : view.state == JobState::Held && !view.heldOutsideMailbox &&
                            view.job.channel == Channel::Sip && !view.job.recipient.empty();
    entry.job = std::move(view.job);
    enterImported(id, std::move(entry), view, inMailbox);
    return PushOutcome{PushStatus::Stored, id};
}

/// Places `entry` where `view` says; the job of `view` has been moved out.
void MemoryJobStore::enterImported(const std::string& id,
                                   Entry entry,
                                   const JobView& view,
                                   bool inMailbox)
{
    const auto position = view.position.value_or(JobPosition{});
    auto& node = *jobs_.emplace(id, std::move(entry)).first;
    auto& placedEntry = node.second;
    const bool heldOutsideMailbox = view.state == JobState::Held && !inMailbox;
    if (heldOutsideMailbox) {
        // Its origin says when it is due again.
        std::string_view origin = position.origin;
        (void)takeField(origin);  // the state
        const auto due = view.position ? TimePoint::max() : view.due;
        placedEntry.position = {JobState::Held,
                                position.origin.empty() ? due : parseTime(takeField(origin))};
        moveTo(node, placedEntry.position);
        return;
    }
    readOrigins(placedEntry, position.origin);
    if (placedEntry.origins.empty() && !isLive(view.state)) {
        placedEntry.origins.push_back({{JobState::Scheduled, clock_.now()}, false});
    }
    const auto origins = placedEntry.origins;
    sequence_ = std::max(sequence_, std::max(position.arrival, placedEntry.mailboxOrder));
    if (inMailbox) {
        placedEntry.mailboxOrder = position.arrival;
        const auto box = mailboxes_.find(placedEntry.job.recipient);
        const auto next = view.state == JobState::Held ? view.due : position.mailboxNext;
        putInMailbox(node,
                     box == mailboxes_.end() ? next : std::min(next, box->second.nextAttempt));
    }
    if (view.state != JobState::Held) {
        const bool isReady = view.state == JobState::Ready;
        moveTo(node, {isReady ? JobState::Scheduled : view.state, view.due});
    }
    placedEntry.origins = origins;
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
    pruneBeforeGrowth(once_);
    once_[once.key] = {once.id, until, once.onceFor};
    answer(std::move(done), PushOutcome{PushStatus::Stored, once.id});
}

void MemoryJobStore::onceKeys(std::function<void(std::vector<OnceKey>)> onBatch, Done<void> done)
{
    std::vector<OnceKey> found;
    for (const auto& [key, once] : once_) {
        if (clock_.now() < once.until) {
            found.push_back({key, once.id, once.onceFor, once.until - 2 * once.onceFor});
        }
    }
    loop_.post([onBatch = std::move(onBatch), done = std::move(done), found = std::move(found)] {
        if (!found.empty()) {
            onBatch(found);
        }
        done({});
    });
}

}  // namespace restante
