#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

namespace restante::sip {

/// Calls `all` when the returned function has been called `count` times.
inline std::function<void()> countDown(std::size_t count, std::function<void()> all)
{
    auto left = std::make_shared<std::size_t>(count);
    return [left, all = std::move(all)] {
        if (--*left == 0) {
            all();
        }
    };
}

}  // namespace restante::sip
