#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <variant>

namespace restante {

/// The type of `sum` for answers that carry no value, only success or an error.
using NoValue = std::monostate;

/// Combines the answers to several requests into one: the sum of all, or the first error. Shared by
/// the handlers of the answers. *One loop.*
template <class T>
struct ResultGathering {
    Done<T> done;
    std::size_t awaited;  ///< answers that have not come yet
    T sum = {};
    std::optional<Error> error = {};

    explicit ResultGathering(Done<T> then, std::size_t answers = 0)
        : done(std::move(then)),
          awaited(answers)
    {
    }

    /// Takes one answer, a Result: adds its value with `add(sum, answer)`, or keeps its error.
    template <class Answer, class Add>
    void take(Answer&& answer, Add add)
    {
        if (answer) {
            add(sum, *answer);
        } else if (!error) {
            error = answer.error();
        }
        if (--awaited == 0) {
            done(error ? Result<T>(tl::unexpected(*error)) : Result<T>(std::move(sum)));
        }
    }
};

}  // namespace restante
