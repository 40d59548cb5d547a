#include "sipplugin/auth/digest.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace restante;
    const auto text = fuzz::textOf(data, size);
    const auto fields = sip::DigestFields::parse(text);
    if (!fields) {
        return 0;
    }
    const auto again =
        sip::DigestFields::parse("Digest realm=" + sip::quotedString(fields->value("realm")));
    fuzz::require(again && again->value("realm") == fields->value("realm"),
                  "what is quoted is read back");
    if (const auto credentials = sip::DigestCredentials::read(*fields)) {
        fuzz::require(credentials->nonceCount > 0 && credentials->nc.size() == 8,
                      "a nonce count begins at 1");
        fuzz::require(credentials->response.size() == hexLength(credentials->algorithm),
                      "a response has the length of its hash");
    }
    return 0;
}
