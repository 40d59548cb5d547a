#include "sipplugin/auth/digest.h"
#include "sipplugin/outbound/authenticating_sender.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace restante;
    const std::string challenge{fuzz::textOf(data, size)};
    sip::ProxyCredentials account;
    account.user = "restante";
    account.password = "secret";
    account.realms = {"example.org"};
    for (const int status : {401, 407}) {
        sip::DigestClient login{account};
        const std::vector<std::string> challenges{challenge};
        const auto answer = login.handleChallenge({status, challenges});
        const auto headers = login.authorize("MESSAGE", "sip:bob@example.org");
        fuzz::require((answer == sip::DigestClient::Answer::None) == headers.empty(),
                      "what can be answered is answered");
        for (const auto& [name, value] : headers) {
            fuzz::require(value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos,
                          "credentials are one line");
            const auto fields = sip::DigestFields::parse(value);
            fuzz::require(fields.has_value(), "credentials can be read");
            fuzz::require(fields->value("realm") == "example.org", "only our realm is answered");
            fuzz::require(fields->value("username") == account.user, "by our user");
        }
    }
    return 0;
}
