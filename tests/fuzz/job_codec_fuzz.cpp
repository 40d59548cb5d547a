#include "core/redis/store/job_codec.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace restante;
    const auto job = redis::decodeRecord("fuzz", fuzz::textOf(data, size));
    if (!job) {
        fuzz::require(job.error().message.find("fuzz") != std::string::npos,
                      "a refusal names the job");
        return 0;
    }
    std::string record;
    redis::encodeRecord(*job, record);
    const auto again = redis::decodeRecord("fuzz", record);
    fuzz::require(again && *again == *job, "what is written is read back");
    return 0;
}
