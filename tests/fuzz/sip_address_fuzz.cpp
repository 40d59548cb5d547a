#include "sipplugin/message/aor.h"
#include "sipplugin/message/sip_date.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace restante;

void checkUri(std::string_view text)
{
    const auto aor = sip::canonicalAor(text);
    if (!aor) {
        return;
    }
    const auto again = sip::canonicalAor(*aor);
    fuzz::require(again && *again == *aor, "a canonical address is its own canonical form");
    fuzz::require(!sip::hostOfAor(*aor).empty(), "a canonical address has a host");
    fuzz::require(aor->find_first_of(std::string_view(" \r\n\0", 4)) == std::string::npos,
                  "a canonical address can stand in a header");
}

void checkAddresses(std::string_view text)
{
    for (const auto address : sip::splitAddresses(text)) {
        if (const auto parsed = sip::parseNameAddr(address)) {
            const auto again = sip::parseNameAddr(parsed->formatWithoutTag());
            fuzz::require(again && again->uri == parsed->uri, "what is printed is read back");
        }
    }
}

void checkDate(std::string_view text)
{
    if (const auto date = sip::parseSipDate(text)) {
        const auto again = sip::parseSipDate(sip::formatSipDate(*date));
        fuzz::require(again && *again == *date, "a date is printed as it was read");
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = fuzz::textOf(data, size);
    checkUri(text);
    checkAddresses(text);
    checkDate(text);
    return 0;
}
