#include "sipplugin/regevent/reginfo.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace restante;
    const auto text = fuzz::textOf(data, size);
    const auto told = sip::parseReginfo(text);
    if (!told) {
        fuzz::require(told.error().code == ErrorCode::Invalid, "what cannot be read is Invalid");
        fuzz::require(!told.error().message.empty(), "a refusal says why");
        return 0;
    }
    std::size_t contacts = 0;
    for (const auto& registration : *told) {
        contacts += registration.contacts.size();
        fuzz::require(!registration.isActive() || registration.state == "active",
                      "only an active registration is active");
    }
    fuzz::require(contacts <= 1'000, "there are no more contacts than allowed");
    return 0;
}
