#include "core/redis/store/store_answers.h"

#include "core/base/text.h"
#include "core/redis/store/job_codec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace restante::redis {

namespace {

struct StatusError {
    std::string_view status;
    ErrorCode code;
    std::string_view message;
};

constexpr std::array<StatusError, 10> kStatusErrors{{
    {"gone", ErrorCode::NotFound, "there is no such job"},
    {"stale", ErrorCode::Stale, "this attempt does not hold its lease (any more)"},
    {"conflict", ErrorCode::Conflict,
     "there is another job of this id, with other content; take another id, or ask for replace"},
    {"used", ErrorCode::Conflict,
     "it was finished a short while ago with other content; choose another id or ask for replace"},
    {"foreign", ErrorCode::Conflict, "it belongs to the mailbox of another recipient"},
    {"moved", ErrorCode::Conflict, "it is due at another time by now: somebody else has moved it"},
    {"changed", ErrorCode::Conflict, "somebody else has changed it since it was seen"},
    {"mailbox_full", ErrorCode::MailboxFull, "the recipient's mailbox is full"},
    {"store_full", ErrorCode::Full,
     "the messages that wait are as many as sip.limits.total_messages allows, or take "
     "sip.limits.memory_share of the store's memory"},
    {"unreadable", ErrorCode::Internal,
     "its record has a format that this program does not know; run the version that wrote it"},
}};

/// The names of DueSource::Kind, in its order.
constexpr std::array<std::string_view, 4> kSourceNames{"lanes", "mailboxes", "leases", "expiry"};

constexpr std::string_view kSameStatus = "same ";
constexpr std::string_view kConflictStatus = "conflict ";
constexpr std::string_view kStaleStatus = "stale ";

/// Why the script does not move a job in the state `word`.
std::string describeConflict(std::string_view word, std::string_view script)
{
    const auto state = jobStateNamed(word);
    const auto transition = transitionNamed(script);
    if (!state) {
        return "it is in no set; run or purge it";
    }
    return transition ? refusalOf(*transition, *state) : fmt::format("it is {}", word);
}

/// Describes a job whose attempt is over; `words` is its state and how many attempts have begun.
std::string describeStale(std::string_view words, std::string_view script)
{
    const auto word = takeField(words);
    const auto begun = words;
    const auto state = jobStateNamed(word);
    const auto where = state == JobState::Leased ? fmt::format("it is leased as attempt {}", begun)
                       : state ? fmt::format("it is {}, attempts so far: {}", word, begun)
                               : std::string("it is in no set");
    return fmt::format("this attempt does not hold its lease (any more): {}{}", where,
                       transitionNamed(script)
                           ? fmt::format("; {} takes jobs that are leased, by the attempt that has "
                                         "them",
                                         script)
                           : "");
}

/// Calls `handleRow` with the first of each `width` elements from `begin` on.
template <class HandleRow>
void eachRow(const Reply& reply, std::size_t begin, std::size_t width, HandleRow handleRow)
{
    const auto* elements = reply.array();
    for (auto i = begin; elements != nullptr && i + width <= elements->size(); i += width) {
        handleRow(elements->data() + i);
    }
}

/// Reads the record of a row that begins with id, score, failed attempts, record. If it is damaged,
/// adds it to `damaged`.
std::optional<Job> jobOfRow(const Reply* row, std::vector<DamagedJob>& damaged)
{
    auto job = decodeRecord(row[0].textOrEmpty(), row[3].textOrEmpty());
    if (!job) {
        damaged.push_back({std::string(row[0].textOrEmpty()), job.error().message});
        return std::nullopt;
    }
    return std::move(*job);
}

/// The number of the attempt after `failedAttempts` others.
std::uint32_t attemptAfter(std::string_view failedAttempts)
{
    return leadingNumber<std::uint32_t>(failedAttempts) + 1;
}

/// How many failed attempts count no longer: the second number of "7 5".
std::uint32_t attemptOffsetOf(std::string_view failedAttempts)
{
    const auto space = failedAttempts.find(' ');
    return space == std::string_view::npos
               ? 0
               : leadingNumber<std::uint32_t>(failedAttempts.substr(space + 1));
}

/// Marks the due time of a job that is held outside a mailbox.
constexpr char kHeldOutsideMailboxMark = '@';

bool isHeldOutsideMailbox(JobState state, std::string_view next)
{
    return state == JobState::Held && (next.empty() || next.front() == kHeldOutsideMailboxMark);
}

/// JobView::due: the score; for held jobs, whose score is their expiry, the next attempt of the
/// mailbox or the due time of a job that is held outside a mailbox.
TimePoint nextTimeOf(JobState state, std::string_view score, std::string_view next)
{
    if (state != JobState::Held) {
        return timeOfScore(score);
    }
    if (next.empty()) {
        return kNever;
    }
    return timeOfScore(next.front() == kHeldOutsideMailboxMark ? next.substr(1) : next);
}

JobPosition positionOf(JobState state,
                       std::string_view score,
                       std::string_view mailboxNext,
                       std::string_view arrival,
                       std::string_view origin)
{
    constexpr double kOrdersPerMs = 4096;  // lane_scores.h
    JobPosition position;
    const bool inLane = state == JobState::Scheduled || state == JobState::Ready;
    if (const double at = leadingNumber<double>(score); inLane) {
        position.order = static_cast<std::uint32_t>((at - std::floor(at)) * kOrdersPerMs);
    }
    position.arrival = leadingNumber<std::uint64_t>(arrival);
    if (state == JobState::Leased && position.arrival > 0 && !mailboxNext.empty()) {
        position.mailboxNext = timeOfScore(mailboxNext);
    }
    position.origin = origin;
    return position;
}

std::uint32_t attemptsBegun(JobState state, std::string_view failedAttempts)
{
    return attemptAfter(failedAttempts) - (state == JobState::Leased ? 0 : 1);
}

}  // namespace

Error errorOf(std::string_view status, std::string_view id, std::string_view script)
{
    if (status == "conflict" && script == "finish") {
        // finish does not return the state of the job. A bare "conflict" of another script is about
        // the content of the job: kStatusErrors.
        return {ErrorCode::Conflict,
                fmt::format("job {}: nobody has it; finish takes jobs that are leased", id)};
    }
    if (status.starts_with(kConflictStatus)) {
        return {ErrorCode::Conflict,
                fmt::format("job {}: {}", id,
                            describeConflict(status.substr(kConflictStatus.size()), script))};
    }
    if (status.starts_with(kStaleStatus)) {
        return {ErrorCode::Stale,
                fmt::format("job {}: {}", id,
                            describeStale(status.substr(kStaleStatus.size()), script))};
    }
    const auto* found = std::find_if(kStatusErrors.begin(), kStatusErrors.end(),
                                     [&](const auto& known) { return known.status == status; });
    if (found == kStatusErrors.end()) {
        return {ErrorCode::Internal, fmt::format("job {}: the store answered \"{}\"", id, status)};
    }
    return {found->code, fmt::format("job {}: {}", id, found->message)};
}

Result<void> outcomeOf(const Reply& reply, std::string_view id, std::string_view script)
{
    const auto status = reply.textOrEmpty();
    return status == "ok" ? Result<void>{} : tl::unexpected(errorOf(status, id, script));
}

Result<std::uint64_t> messagesLeftOf(const Reply& reply, std::string_view id)
{
    auto status = reply.textOrEmpty();
    if (status == "ok" || status.starts_with("ok ")) {
        takeField(status);
        return leadingNumber<std::uint64_t>(status);
    }
    return tl::unexpected(errorOf(status, id, "finish"));
}

Result<PushOutcome> pushOutcomeOf(const Reply& reply, std::string_view id)
{
    const auto status = reply.textOrEmpty();
    if (status == "ok") {
        return PushOutcome{PushStatus::Stored, std::string(id)};
    }
    if (status.starts_with(kSameStatus)) {
        return PushOutcome{PushStatus::AlreadyThere,
                           std::string(status.substr(kSameStatus.size()))};
    }
    return tl::unexpected(errorOf(status, id));
}

Result<TimePoint> deadlineOf(const Reply& reply, std::string_view id)
{
    const auto status = reply.textOrEmpty();
    if (status.empty() || !isDigit(status.front())) {
        return tl::unexpected(errorOf(status, id, "touch"));
    }
    return timeOfScore(status);
}

std::optional<WantedSlots> wantedSlotsOf(const Reply& reply)
{
    auto head = reply.at(0).textOrEmpty();
    takeField(head);  // now
    const auto count = leadingNumber<decltype(WantedSlots::count)>(takeField(head));
    const auto topic = head;
    return topic.empty() ? std::nullopt : std::optional(WantedSlots{std::string(topic), count});
}

std::vector<ClaimedJob> claimedJobsOf(const Reply& reply, std::vector<DamagedJob>& damaged)
{
    std::vector<ClaimedJob> jobs;
    auto head = reply.at(0).textOrEmpty();
    const auto claimedAt = timeOfScore(takeField(head));
    eachRow(reply, 1, 4, [&](const Reply* row) {
        if (auto job = jobOfRow(row, damaged)) {
            const auto deadline = claimedAt + job->ttr;
            jobs.push_back({std::move(*job), attemptAfter(row[2].textOrEmpty()),
                            timeOfScore(row[1].textOrEmpty()), deadline,
                            attemptOffsetOf(row[2].textOrEmpty())});
        }
    });
    return jobs;
}

std::vector<ClaimedJob> lapsedLeasesOf(const Reply& reply, std::vector<DamagedJob>& damaged)
{
    std::vector<ClaimedJob> leases;
    eachRow(reply, 0, 4, [&](const Reply* row) {
        if (auto job = jobOfRow(row, damaged)) {
            leases.push_back({std::move(*job), attemptAfter(row[2].textOrEmpty()), TimePoint{},
                              timeOfScore(row[1].textOrEmpty()),
                              attemptOffsetOf(row[2].textOrEmpty())});
        }
    });
    return leases;
}

std::vector<DueMailbox> dueMailboxesOf(const Reply& reply)
{
    std::vector<DueMailbox> mailboxes;
    const auto texts = textsOf(reply);
    for (std::size_t i = 0; i + 1 < texts.size(); i += 2) {
        mailboxes.push_back({texts[i], timeOfScore(texts[i + 1])});
    }
    return mailboxes;
}

Result<ScanPage> scanPageOf(const Reply& reply)
{
    const auto* cursor = reply.at(0).text();
    if (reply.size() != 2 || cursor == nullptr || reply.at(1).array() == nullptr) {
        return failure(ErrorCode::Internal, "redis: its answer to SCAN is no such");
    }
    return ScanPage{*cursor, textsOf(reply.at(1))};
}

std::vector<std::string> textsOf(const Reply& reply)
{
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < reply.size(); ++i) {
        texts.emplace_back(reply.at(i).textOrEmpty());
    }
    return texts;
}

std::uint64_t numberOf(const Reply& reply)
{
    const auto* number = reply.integer();
    return number != nullptr ? static_cast<std::uint64_t>(*number) : 0;
}

std::vector<std::uint64_t> numbersOf(const Reply& reply)
{
    std::vector<std::uint64_t> numbers;
    for (std::size_t i = 0; i < reply.size(); ++i) {
        numbers.push_back(numberOf(reply.at(i)));
    }
    return numbers;
}

Result<JobView> shownJobOf(const Result<Reply>& reply, std::string_view id, TimePoint now)
{
    if (!reply) {
        return tl::unexpected(reply.error());
    }
    const auto texts = textsOf(*reply);
    if (texts.size() != 9) {
        return tl::unexpected(errorOf(reply->textOrEmpty(), id));
    }
    auto state = jobStateNamed(texts[0]);
    if (!state) {
        return failure(ErrorCode::Internal,
                       fmt::format("job {}: it is in no set; run or purge it", id));
    }
    if (*state == JobState::Scheduled && timeOfScore(texts[1]) <= now) {
        state = JobState::Ready;
    }
    const PageEntry entry{
        {std::string(id), texts[1], 0}, texts[2], texts[3], texts[4], texts[5], texts[7], texts[8]};
    return entry.read(*state).map([&](JobView&& view) {
        view.devices = leadingNumber<std::uint32_t>(texts[6]);
        return std::move(view);
    });
}

Result<JobView> PageEntry::read(JobState state) const
{
    return decodeRecord(id, record).map([&](Job&& job) {
        return JobView{std::move(job),
                       state,
                       nextTimeOf(state, score, mailboxNext),
                       attemptsBegun(state, failedAttempts),
                       lastError,
                       0,
                       attemptOffsetOf(failedAttempts),
                       positionOf(state, score, mailboxNext, arrival, origin),
                       isHeldOutsideMailbox(state, mailboxNext)};
    });
}

std::vector<PageEntry> pageEntriesOf(const Reply& reply, std::size_t from)
{
    auto texts = textsOf(reply);
    std::vector<PageEntry> entries;
    for (auto i = from; i + 9 <= texts.size(); i += 9) {
        auto* text = texts.data() + i;
        entries.push_back({{std::move(text[0]), text[1], leadingNumber<double>(text[1])},
                           std::move(text[2]),
                           std::move(text[3]),
                           std::move(text[4]),
                           std::move(text[5]),
                           std::move(text[6]),
                           std::move(text[7]),
                           std::move(text[8])});
    }
    return entries;
}

TimePoint timeOfScore(std::string_view score)
{
    const double ms = leadingNumber<double>(score);
    return std::isinf(ms) ? kNever : fromEpochMs(static_cast<std::int64_t>(std::floor(ms)));
}

std::string_view name(DueSource::Kind kind) noexcept
{
    return kSourceNames[static_cast<std::size_t>(kind)];
}

std::optional<std::string_view> parseSlotTopic(std::string_view message)
{
    constexpr std::string_view kKind = "slots ";
    return message.starts_with(kKind) ? std::optional{message.substr(kKind.size())} : std::nullopt;
}

std::optional<Wake> parseWake(std::string_view message)
{
    const auto kind = takeField(message);
    const auto due = takeField(message);
    const auto* found = std::ranges::find(kSourceNames, kind);
    const auto ms = wholeNumber<std::int64_t>(due);
    if (found == kSourceNames.end() || !ms) {
        return std::nullopt;
    }
    Wake wake;
    wake.kind = static_cast<DueSource::Kind>(found - kSourceNames.begin());
    wake.due = fromEpochMs(*ms);
    if (wake.kind == DueSource::Kind::Lanes) {
        const auto channel = channelNamed(takeField(message));
        if (!channel) {
            return std::nullopt;
        }
        wake.channel = *channel;
        wake.topic = message;
    }
    return wake;
}

}  // namespace restante::redis
