#pragma once

namespace restante {

/// While one lives, what its thread asks of a store belongs together, as the items of a JSON array
/// do: the store sends all of it to each shard at the end of the turn, not a part of it as soon as
/// that is large. *One thread.*
class ArrayScope {
public:
    ArrayScope() noexcept { ++depth_; }
    ArrayScope(const ArrayScope&) = delete;
    ArrayScope& operator=(const ArrayScope&) = delete;
    ~ArrayScope() { --depth_; }

    static bool isOpen() noexcept { return depth_ > 0; }

private:
    static inline thread_local int depth_ = 0;
};

}  // namespace restante
