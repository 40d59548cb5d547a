#include "core/redis/store_answers.h"

#include "core/redis/job_codec.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>

namespace restante::redis {

namespace {

struct Meaning {
    std::string_view status;
    ErrorCode code;
    std::string_view message;
};

constexpr std::array<Meaning, 5> kMeanings{{
    {"gone", ErrorCode::NotFound, "there is no such job"},
    {"stale", ErrorCode::Stale, "this attempt does not hold its lease (any more)"},
    {"conflict", ErrorCode::Conflict,
     "it is there with other content, or in a state that does not allow this"},
    {"full", ErrorCode::MailboxFull, "the recipient's mailbox is full"},
    {"unreadable", ErrorCode::Internal,
     "its record has a format that this program does not know; run the version that wrote it"},
}};

constexpr std::string_view kSame = "same ";

std::string_view textOf(const Reply& reply)
{
    const auto* text = reply.text();
    return text != nullptr ? std::string_view(*text) : std::string_view();
}

/// Calls `row` with the first of each `width` elements.
template <class Row>
void eachRow(const Reply& reply, std::size_t width, Row row)
{
    const auto* elements = reply.array();
    for (std::size_t i = 0; elements != nullptr && i + width <= elements->size(); i += width) {
        row(elements->data() + i);
    }
}

/// The record of a row that begins with id, score, past, record; damaged ones are put aside.
std::optional<Job> jobOfRow(const Reply* row, std::vector<DamagedJob>& damaged)
{
    auto job = decodeRecord(textOf(row[0]), textOf(row[3]));
    if (!job) {
        damaged.push_back({std::string(textOf(row[0])), job.error().message});
        return std::nullopt;
    }
    return std::move(*job);
}

/// The attempt that is on after `past` others.
std::uint32_t attemptAfter(std::string_view past)
{
    return static_cast<std::uint32_t>(std::strtoul(std::string(past).c_str(), nullptr, 10)) + 1;
}

}  // namespace

Error errorOf(std::string_view status, std::string_view id)
{
    const auto* found = std::find_if(kMeanings.begin(), kMeanings.end(),
                                     [&](const auto& meaning) { return meaning.status == status; });
    if (found == kMeanings.end()) {
        return {ErrorCode::Internal, fmt::format("job {}: the store answered \"{}\"", id, status)};
    }
    return {found->code, fmt::format("job {}: {}", id, found->message)};
}

Result<void> outcomeOf(const Result<Reply>& reply, std::string_view id)
{
    if (!reply) {
        return tl::unexpected(reply.error());
    }
    if (const auto status = textOf(*reply); status != "ok") {
        return tl::unexpected(errorOf(status, id));
    }
    return {};
}

Result<PushOutcome> pushOutcomeOf(const Result<Reply>& reply, std::string id)
{
    if (!reply) {
        return tl::unexpected(reply.error());
    }
    const auto status = textOf(*reply);
    if (status == "ok") {
        return PushOutcome{PushStatus::Stored, std::move(id)};
    }
    if (status.starts_with(kSame)) {
        return PushOutcome{PushStatus::AlreadyThere, std::string(status.substr(kSame.size()))};
    }
    return tl::unexpected(errorOf(status, id));
}

Result<TimePoint> deadlineOf(const Result<Reply>& reply, std::string_view id)
{
    if (!reply) {
        return tl::unexpected(reply.error());
    }
    const auto status = textOf(*reply);
    if (status.empty() || std::isdigit(static_cast<unsigned char>(status.front())) == 0) {
        return tl::unexpected(errorOf(status, id));
    }
    return timeOfScore(status);
}

std::vector<ClaimedJob> claimedJobsOf(const Reply& reply, std::vector<DamagedJob>& damaged)
{
    std::vector<ClaimedJob> jobs;
    eachRow(reply, 5, [&](const Reply* row) {
        if (auto job = jobOfRow(row, damaged)) {
            const auto* deadline = row[4].integer();
            jobs.push_back({std::move(*job), attemptAfter(textOf(row[2])),
                            timeOfScore(textOf(row[1])),
                            fromEpochMs(deadline != nullptr ? *deadline : 0)});
        }
    });
    return jobs;
}

std::vector<LapsedLease> lapsedLeasesOf(const Reply& reply, std::vector<DamagedJob>& damaged)
{
    std::vector<LapsedLease> leases;
    eachRow(reply, 4, [&](const Reply* row) {
        if (auto job = jobOfRow(row, damaged)) {
            leases.push_back(
                {std::move(*job), attemptAfter(textOf(row[2])), timeOfScore(textOf(row[1]))});
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

std::vector<std::string> textsOf(const Reply& reply)
{
    std::vector<std::string> texts;
    if (const auto* elements = reply.array()) {
        for (const auto& element : *elements) {
            texts.emplace_back(textOf(element));
        }
    }
    return texts;
}

TimePoint timeOfScore(std::string_view score)
{
    return fromEpochMs(
        static_cast<std::int64_t>(std::floor(std::strtod(std::string(score).c_str(), nullptr))));
}

}  // namespace restante::redis
