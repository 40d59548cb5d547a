#include "core/job/job_filter.h"
#include "tests/fuzz/fuzz.h"

namespace {

restante::JobView someView()
{
    using namespace restante;
    JobView view;
    view.job.id = "order-17";
    view.job.topic = "order";
    view.job.body = "hello world";
    view.job.recipient = "sip:bob@example.org";
    view.job.bizKey = "17";
    view.job.findByKey = true;
    view.job.created = fromEpochMs(1'690'000'000'000);
    view.due = fromEpochMs(1'700'000'000'000);
    view.lastError = "503 Service Unavailable";
    return view;
}

bool has(const auto& narrowed, const auto& value)
{
    for (const auto& one : *narrowed) {
        if (one == value) {
            return true;
        }
    }
    return false;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace restante;
    const auto text = fuzz::textOf(data, size);
    const auto filter = JobFilter::parse(text);
    if (!filter) {
        fuzz::require(!filter.error().detail.empty(), "a refusal says why");
        fuzz::require(filter.error().column >= 1 && filter.error().column <= size + 1, "and where");
        return 0;
    }
    const auto view = someView();
    const auto plan = filter->plan();
    if (filter->matches(view, fromEpochMs(1'700'000'000'000))) {
        const auto& job = view.job;
        fuzz::require(!plan.states || has(plan.states, view.state), "states narrow rightly");
        fuzz::require(!plan.channels || has(plan.channels, job.channel), "channels, too");
        fuzz::require(!plan.topics || has(plan.topics, job.topic), "and topics");
        fuzz::require(!plan.ids || has(plan.ids, job.id), "and ids");
        fuzz::require(!plan.bizKeys || has(plan.bizKeys, job.bizKey), "and keys");
        fuzz::require(!plan.recipients || has(plan.recipients, job.recipient), "and recipients");
    }
    return 0;
}
