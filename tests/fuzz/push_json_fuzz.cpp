#include "core/job/job_filter.h"
#include "core/json/document.h"
#include "core/json/export_json.h"
#include "core/json/job_json.h"
#include "tests/fuzz/fuzz.h"

#include <nlohmann/json.hpp>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace restante;
    const auto text = fuzz::textOf(data, size);
    if (const auto document = json::parseDocument(text)) {
        fuzz::require(*document == nlohmann::json::parse(text), "JSON is read as the library does");
    }
    const auto now = fromEpochMs(1'700'000'000'000);
    const auto batch = json::pushBatchOf(text, now);
    if (!batch) {
        fuzz::require(!batch.error().detail.empty(), "a refusal says why");
        (void)json::toString(json::errorOf(batch.error()).message);
        return 0;
    }
    for (const auto& order : batch->pushes) {
        if (!order) {
            fuzz::require(!order.error().detail.empty(), "a refusal says why");
            continue;
        }
        auto job = order->job;
        job.id = job.id.empty() ? "x" : job.id;
        job.created = now;
        JobLimits limits;
        limits.body = SIZE_MAX;
        fuzz::require(validate(job, limits).has_value(), "what is read is sound");
        JobView view;
        view.job = job;
        view.due = now;
        const auto again = json::jobViewOf(json::exportOf(view));
        fuzz::require(again && again->job == job, "what is written is read back");
    }
    return 0;
}
