#pragma once

#include "core/base/result.h"

#include <QObject>
#include <QPointer>

#include <cstdint>
#include <functional>
#include <utility>

namespace restante::gui {

/// A callback that passes make(answer) to `done`; errors are passed on unchanged.
template <class From, class To, class Make>
Done<From> mapped(Done<To> done, Make make)
{
    return [done = std::move(done), make = std::move(make)](Result<From> answer) {
        done(std::move(answer).map(make));
    };
}

/// Identifies a pending request, so that it can be cancelled. Never 0.
using RequestId = std::uint64_t;

/// A receiver of an answer: `take` runs once on the thread of the window, never from inside the
/// request, and not at all if `receiver` was destroyed or the request cancelled. *Value.*
template <class T>
struct Reply {
    QPointer<QObject> receiver;
    std::function<void(Result<T>)> take;

    Reply(QObject* object, std::function<void(Result<T>)> callback)
        : receiver(object),
          take(std::move(callback))
    {
    }
    void operator()(Result<T> answer) const
    {
        if (receiver != nullptr && take) {
            take(std::move(answer));
        }
    }
};

}  // namespace restante::gui
