#include "core/cold/cold_jobs.h"

#include "core/base/text.h"
#include "core/redis/store/job_codec.h"

#include <cmath>
#include <fmt/format.h>

namespace restante::cold {

namespace {
constexpr double kOrdersPerMs = 4096;  // core/redis/store/lane_scores.h
}

Result<JobView> viewOf(const ColdRow& row)
{
    return redis::decodeRecord(row.id, row.record).map([&row](Job job) {
        JobView view;
        view.job = std::move(job);
        view.state = JobState::Scheduled;
        view.due = fromEpochMs(row.dueMs);
        view.attempt = row.attempts;
        view.attemptOffset = row.attemptOffset;
        view.lastError = row.lastError;
        JobPosition position;
        position.order = row.dueOrder;
        view.position = position;
        return view;
    });
}

std::string scoreOf(const ColdRow& row)
{
    return fmt::format("{}", static_cast<double>(row.dueMs) + row.dueOrder / kOrdersPerMs);
}

void setScore(ColdRow& row, std::string_view score)
{
    const auto value = leadingNumber<double>(score);
    const double whole = std::floor(value);
    row.dueMs = static_cast<std::int64_t>(whole);
    row.dueOrder = static_cast<std::uint32_t>((value - whole) * kOrdersPerMs);
}

}  // namespace restante::cold
