#pragma once

#include "core/base/crypto.h"
#include "core/base/encoding.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

namespace restante::sip {

/// The first 128 bits of a text's SHA-256: collisions cannot be made on purpose. *Value.*
class Fingerprint {
public:
    static constexpr std::size_t kSize = 16;
    using Bytes = std::array<unsigned char, kSize>;

    explicit Fingerprint(const Bytes& bytes) : bytes_(bytes) {}

    std::string_view bytes() const noexcept
    {
        return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
    }
    /// 32 lower-case hex digits.
    std::string hex() const { return toHex(bytes()); }

    friend bool operator==(const Fingerprint&, const Fingerprint&) = default;

private:
    Bytes bytes_;
};

/// The fingerprint of the parts, joined by line feeds. Any thread.
inline Fingerprint fingerprint(std::initializer_list<std::string_view> parts)
{
    const auto digest = sha256({parts.begin(), parts.size()}, "\n");
    Fingerprint::Bytes prefix{};
    std::copy_n(digest.begin(), prefix.size(), prefix.begin());
    return Fingerprint{prefix};
}
inline Fingerprint fingerprint(std::string_view text)
{
    return fingerprint({text});
}

}  // namespace restante::sip

template <>
struct std::hash<restante::sip::Fingerprint> {
    std::size_t operator()(const restante::sip::Fingerprint& print) const noexcept
    {
        std::size_t prefix = 0;
        std::memcpy(&prefix, print.bytes().data(), sizeof prefix);
        return prefix;
    }
};
