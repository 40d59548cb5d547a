#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

/// Texts with {placeholders}, such as a gateway's URL and body. *Pure functions.*
namespace restante::sms {

/// The values of the placeholders.
struct TemplateValues {
    std::string to;
    std::string text;
    std::string from;
    std::string id;
    std::string coding;
    std::string user;
    std::string password;
    std::string reportUrl;
};

/// Escapes a value so that it cannot end the context it is inserted into.
using Escape = std::function<std::string(std::string_view)>;

/// The first thing in braces that is no placeholder, or a brace without its partner; none when the
/// template can be filled. {{ and }} are braces.
std::optional<std::string> unknownPlaceholder(std::string_view text);

/// The text with its placeholders replaced by escaped values.
std::string fill(std::string_view text, const TemplateValues& values, const Escape& escape);

/// The escaping for a content type, compared without case: JSON strings, form fields, XML text;
/// none for others.
Escape escapeFor(std::string_view contentType);

/// Whether it can be used as a regular expression (ECMAScript) whose repetitions and back
/// references have three digits at the most; an empty one can.
bool isRegularExpression(std::string_view text);

}  // namespace restante::sms
