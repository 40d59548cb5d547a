#include "core/json/field_error.h"

#include <fmt/format.h>

namespace restante::json {

Error errorOf(const FieldError& problem)
{
    return {ErrorCode::Invalid, problem.field.empty()
                                    ? fmt::format("the document {}", problem.detail)
                                    : fmt::format("{}: {}", problem.field, problem.detail)};
}

FieldError fieldErrorOf(const Error& error)
{
    const auto colon = error.message.find(": ");
    const auto isField = colon != std::string::npos && colon > 0 &&
                         error.message.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == colon;
    if (!isField) {
        return {{}, error.message};
    }
    return {error.message.substr(0, colon), error.message.substr(colon + 2)};
}

}  // namespace restante::json
