#pragma once

#include <memory>
#include <utility>

namespace restante {

/// Member of an object whose calls are answered later, perhaps after its end. *One loop.*
class CallbackGuard {
public:
    CallbackGuard() = default;
    CallbackGuard(const CallbackGuard&) = delete;
    CallbackGuard& operator=(const CallbackGuard&) = delete;

    /// `handler`, wrapped so that it does nothing once the object has gone.
    template <class Handler>
    auto guard(Handler handler) const
    {
        return [living = std::weak_ptr{living_},
                handler = std::move(handler)](auto&&... arguments) mutable -> void {
            if (!living.expired()) {
                handler(std::forward<decltype(arguments)>(arguments)...);
            }
        };
    }

    /// Expires with the object, at renew() and at expire().
    std::weak_ptr<const bool> watch() const { return living_; }

    /// Disables all guarded handlers, also those that are guarded later.
    void expire() noexcept { living_.reset(); }
    /// Disables the handlers guarded so far; those guarded later work. No effect after expire().
    void renew()
    {
        if (living_) {
            living_ = std::make_shared<const bool>(true);
        }
    }

private:
    std::shared_ptr<const bool> living_ = std::make_shared<const bool>(true);
};

/// The same for an object that is shared, and lives on while `handler` runs.
template <class Object, class Handler>
auto guard(std::weak_ptr<Object> object, Handler handler)
{
    return [object = std::move(object),
            handler = std::move(handler)](auto&&... arguments) mutable -> void {
        if (const auto living = object.lock()) {
            handler(std::forward<decltype(arguments)>(arguments)...);
        }
    };
}

}  // namespace restante
