#include "sipplugin/message/fingerprint.h"

#include "core/base/crypto.h"
#include "core/base/encoding.h"

#include <algorithm>

namespace restante::sip {

std::string Fingerprint::hex() const
{
    return toHex(bytes());
}

Fingerprint fingerprint(std::initializer_list<std::string_view> parts)
{
    const auto digest = sha256({parts.begin(), parts.size()}, "\n");
    Fingerprint::Bytes front{};
    std::copy_n(digest.begin(), front.size(), front.begin());
    return Fingerprint{front};
}

}  // namespace restante::sip
