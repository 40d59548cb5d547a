#include "core/http/classic/classic_request.h"
#include "core/job/job_id.h"
#include "tests/fuzz/fuzz.h"

/// The bodies of the classic endpoints, as anybody may send them.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace restante;
    const auto text = fuzz::textOf(data, size);
    if (const auto order = http::classicPushOf(text)) {
        const auto& job = order->job;
        fuzz::require(job.id.empty() || checkedJobId(job.id), "an id that is taken is a good one");
        fuzz::require(order->delay >= Millis{0} && job.ttr > Millis{0}, "times are not negative");
        fuzz::require(job.body.size() <= size, "a body is no longer than what it came in");
    } else {
        fuzz::require(order.error().code == ErrorCode::Invalid && !order.error().message.empty(),
                      "a refusal says why");
    }
    if (const auto topics = http::classicTopicsOf(text)) {
        fuzz::require(!topics->empty(), "a pop names a topic");
    }
    if (const auto id = http::classicIdOf(text)) {
        fuzz::require(checkedJobId(*id).has_value(), "an id that is taken is a good one");
    }
    return 0;
}
