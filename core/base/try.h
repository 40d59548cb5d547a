#pragma once

#include <tl/expected.hpp>

#include <utility>

namespace restante {

template <class T, class Failure>
T valueOf(tl::expected<T, Failure>&& result)
{
    return *std::move(result);
}
template <class Failure>
void valueOf(tl::expected<void, Failure>&& /*result*/)
{
}

}  // namespace restante

/// The value of a Result, json::Parsed or other tl::expected; if there is none, the enclosing
/// function returns the error. Use it alone, as a statement, an initializer or the right side of an
/// assignment: other temporaries of the expression would not be destroyed. For .cpp files, as a
/// macro has no namespace.
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): only a macro can return from where it stands
#define TRY(...)                                                                                   \
    __extension__({                                                                                \
        auto tried = __VA_ARGS__;                                                                  \
        if (!tried) {                                                                              \
            return tl::unexpected(std::move(tried).error());                                       \
        }                                                                                          \
        ::restante::valueOf(std::move(tried));                                                     \
    })
