#pragma once

#include "core/base/error.h"

#include <tl/expected.hpp>

#include <fmt/format.h>
#include <functional>
#include <string>
#include <utility>

namespace restante {

/// A value or the reason why there is none. For failures outside the program (Redis, peers, input);
/// a programming error asserts instead.
template <class T>
using Result = tl::expected<T, Error>;

/// Called exactly once, on the loop that made the request, never from inside the requesting call.
template <class T>
using Done = std::function<void(Result<T>)>;
/// As Done, but it may be called from inside the requesting call, which saves a turn of the loop;
/// the requester must have done everything else before.
template <class T>
using InlineDone = std::function<void(Result<T>)>;

inline tl::unexpected<Error> failure(ErrorCode code, std::string message)
{
    return tl::unexpected<Error>(Error{code, std::move(message)});
}
/// The message as fmt::format() makes it.
template <class First, class... Rest>
tl::unexpected<Error>
failure(ErrorCode code, fmt::format_string<First, Rest...> text, First&& first, Rest&&... rest)
{
    return failure(code,
                   fmt::format(text, std::forward<First>(first), std::forward<Rest>(rest)...));
}

/// The input is wrong: the message says what, and what is allowed.
inline tl::unexpected<Error> invalid(std::string message)
{
    return failure(ErrorCode::Invalid, std::move(message));
}
template <class First, class... Rest>
tl::unexpected<Error>
invalid(fmt::format_string<First, Rest...> text, First&& first, Rest&&... rest)
{
    return failure(ErrorCode::Invalid, text, std::forward<First>(first),
                   std::forward<Rest>(rest)...);
}

/// Invalid, "ttr: is 1s to 24h": one field of the input is wrong, and `allowed` says what it may
/// be.
inline tl::unexpected<Error> invalidField(std::string_view field, std::string_view allowed)
{
    return tl::unexpected<Error>(Error{
        ErrorCode::Invalid, std::string(field).append(": ").append(allowed), std::string(field)});
}
template <class First, class... Rest>
tl::unexpected<Error> invalidField(std::string_view field,
                                   fmt::format_string<First, Rest...> allowed,
                                   First&& first,
                                   Rest&&... rest)
{
    return invalidField(
        field, fmt::format(allowed, std::forward<First>(first), std::forward<Rest>(rest)...));
}

}  // namespace restante
