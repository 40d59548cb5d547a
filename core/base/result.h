#pragma once

#include "core/base/error.h"

#include <tl/expected.hpp>

#include <functional>
#include <string>
#include <utility>

namespace restante {

/// A value or the reason why there is none. For failures of the world (Redis, peers, input);
/// a wrong program asserts instead.
template <class T>
using Result = tl::expected<T, Error>;

/// Called exactly once, on the loop that made the request, never from inside the requesting call.
template <class T>
using Done = std::function<void(Result<T>)>;

inline tl::unexpected<Error> failure(ErrorCode code, std::string message)
{
    return tl::unexpected<Error>(Error{code, std::move(message)});
}

}  // namespace restante
