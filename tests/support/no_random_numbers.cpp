#include "tests/support/no_random_numbers.h"

#include <openssl/evp.h>

namespace restante::test {

// Each thread has a generator of its own, which is looked up by these properties when it is first
// needed; no provider has this one.
NoRandomNumbers::NoRandomNumbers()
{
    EVP_set_default_properties(nullptr, "provider=none");
}

NoRandomNumbers::~NoRandomNumbers()
{
    EVP_set_default_properties(nullptr, "");
}

}  // namespace restante::test
