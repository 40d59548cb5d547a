#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace restante::auth {

/// The hash functions of SIP's digest authentication (RFC 7616, RFC 8760), strongest first.
enum class HashAlgorithm { Sha256, Md5 };

std::string_view name(HashAlgorithm algorithm) noexcept;  ///< "SHA-256", "MD5"
/// Compared without case, as a token of RFC 7616.
std::optional<HashAlgorithm> hashAlgorithmNamed(std::string_view text) noexcept;

/// In lower-case hex: 64 digits of SHA-256, 32 of MD5. Any thread.
std::string hexHash(HashAlgorithm algorithm, std::string_view text);
std::size_t hexLength(HashAlgorithm algorithm) noexcept;

/// HMAC-SHA-256 in lower-case hex. Any thread.
std::string hexMac(std::string_view secret, std::string_view text);

/// So many random bytes, from the system's generator, in hex. Throws when it fails. Any thread.
std::string randomHex(std::size_t bytes);

/// In a time that tells nothing about where the two differ, only whether their lengths do.
bool sameSecret(std::string_view one, std::string_view other) noexcept;

}  // namespace restante::auth
