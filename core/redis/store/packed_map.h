#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace restante::redis {

/// A map of names to values in MessagePack, as `cmsgpack.unpack` reads it in a script; for optional
/// arguments. The same names and values in the same order give the same bytes.
class PackedMap {
public:
    /// A map has fifteen entries at most.
    PackedMap& add(std::string_view name, std::string_view text);
    PackedMap& add(std::string_view name, std::uint64_t number);
    /// Adds nothing when `value` is false.
    PackedMap& addIf(std::string_view name, bool value);

    /// Empty when nothing was added.
    std::string bytes() const;

private:
    void addText(std::string_view text);

    std::string entries_;
    unsigned count_ = 0;
};

/// The low `bytes` bytes of a number, the highest first.
void appendBigEndian(std::string& out, std::uint64_t value, int bytes);

/// Operator and reason for unpackActor() of lib/outbox.lua; empty for a worker.
std::string packActor(std::string_view actor, std::string_view reason);

}  // namespace restante::redis
