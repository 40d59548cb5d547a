#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace restante::json {

/// An error in a received document. *Value.*
struct FieldError {
    std::string field;   ///< "ttr", "headers[2].name", "[17].topic"; empty = the document itself
    std::string detail;  ///< what is allowed: "is a duration such as \"1500ms\" or \"2m\""
};

/// A value read from JSON, or the first thing that is wrong with it.
template <class T>
using Parsed = tl::expected<T, FieldError>;

/// Invalid, "ttr: is a duration such as ...".
Error errorOf(const FieldError& problem);

/// The reverse: an Error with its field.
FieldError fieldErrorOf(const Error& error);

/// The limits of a received document. Whoever receives it limits its bytes.
struct DocumentLimits {
    std::size_t depth = 16;        ///< of nested objects and arrays
    std::size_t values = 200'000;  ///< a batch of 1,000 jobs has some 20,000
};

/// Reads one JSON document and nothing behind it. Refuses, naming the field at which it happened:
/// what is no JSON, broken UTF-8, numbers that no double holds, a name that appears twice in one
/// object, and what is deeper or has more values than `limits`. Memory and stack are bounded by the
/// limits whatever comes in.
Parsed<nlohmann::json> parseDocument(std::string_view text, DocumentLimits limits = {});

/// On one line; bytes that are not UTF-8 become replacement characters. Never throws for content.
std::string toString(const nlohmann::json& document);

}  // namespace restante::json
