#include "core/redis/store/job_scan.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace restante;
    const auto cursor = redis::PageCursor::parse(fuzz::textOf(data, size));
    if (!cursor) {
        fuzz::require(cursor.error().code == ErrorCode::Invalid, "what cannot be read is Invalid");
        return 0;
    }
    const auto again = redis::PageCursor::parse(cursor->toString());
    fuzz::require(again && again->state == cursor->state && again->score == cursor->score &&
                      again->id == cursor->id,
                  "a cursor that is printed is the same cursor");
    return 0;
}
