#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace restante {

/// OpenSSL's hashes, codes and random bytes. Any thread. They throw when the library or the system
/// refuses, which neither does while the machine is sound: nothing goes on with a weaker value.

/// The hash functions of SIP's digest authentication (RFC 7616, RFC 8760), strongest first.
enum class HashAlgorithm { Sha256, Md5 };

std::string_view name(HashAlgorithm algorithm) noexcept;  ///< "SHA-256", "MD5"
/// Compared without case, as a token of RFC 7616.
std::optional<HashAlgorithm> hashAlgorithmNamed(std::string_view text) noexcept;

/// In lower-case hex: 64 digits of SHA-256, 32 of MD5.
std::string hexHash(HashAlgorithm algorithm, std::string_view text);
std::size_t hexLength(HashAlgorithm algorithm) noexcept;

using Sha256 = std::array<unsigned char, 32>;
/// The digest of the concatenated texts, with `separator` between each two.
Sha256 sha256(std::span<const std::string_view> texts, std::string_view separator);
Sha256 sha256(std::string_view text);
/// The bytes of a digest; they live as long as it does.
std::string_view bytesOf(const Sha256& digest) noexcept;

/// HMAC-SHA-256.
Sha256 hmac(std::string_view secret, std::string_view text);

/// `bytes` random bytes of the system's generator, in hex: twice as many digits.
std::string randomHex(std::size_t bytes);

/// Whether the two are equal. Compares in constant time: only a difference in length can be timed.
bool sameSecret(std::string_view one, std::string_view other) noexcept;

}  // namespace restante
