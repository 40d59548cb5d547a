#include "core/http/server/tokens.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace restante;
    const auto text = fuzz::textOf(data, size);
    const auto tokens = http::Tokens::parse(text, "tokens");
    if (!tokens) {
        fuzz::require(!tokens.error().message.empty(), "a refusal says why");
        return 0;
    }
    fuzz::require(tokens->find("") == nullptr, "nobody comes in without a secret");
    std::string_view rest = text;
    while (!rest.empty()) {
        const auto end = rest.find_first_of("\r\n \t");
        const auto word = rest.substr(0, end);
        if (const auto* token = tokens->find(word)) {
            fuzz::require(word.size() >= 16, "a secret is long enough");
            fuzz::require(!token->name.empty(), "a token has a name for the audit");
        }
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return 0;
}
