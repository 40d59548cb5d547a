#pragma once

#include <functional>
#include <memory>
#include <utility>

namespace restante {

/// A handler that calls `call(self, bound..., answer...)` as long as `self` lives, and does nothing
/// afterwards. `call` is usually a method; a shared_ptr owns `self`. *One loop.*
template <class Self, class Call, class... Bound>
auto whileAlive(Self& self, Call call, Bound... bound)
{
    return [weak = self.weak_from_this(), call = std::move(call),
            ... bound = std::move(bound)](auto&&... answer) {
        if (const auto alive = weak.lock()) {
            std::invoke(call, *alive, bound..., std::forward<decltype(answer)>(answer)...);
        }
    };
}

}  // namespace restante
