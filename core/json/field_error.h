#pragma once

#include "core/base/result.h"

#include <string>

namespace restante::json {

/// What is wrong with a document that somebody sent. *Value.*
struct FieldError {
    std::string field;   ///< "ttr", "headers[2].name", "[17].topic"; empty = the document itself
    std::string detail;  ///< what is allowed: "is a duration such as \"1500ms\" or \"2m\""
};

/// A value read from JSON, or the first thing that is wrong with it.
template <class T>
using Parsed = tl::expected<T, FieldError>;

/// Invalid, "ttr: is a duration such as ...".
Error errorOf(const FieldError& problem);

/// The other way round: an Invalid error of the domain begins with the field it is about
/// ("topic: is 1-128 ..."), which is taken off.
FieldError fieldErrorOf(const Error& error);

}  // namespace restante::json
