#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

/// Texts with {placeholders}, such as a gateway's URL and body. *Pure functions.*
namespace restante::sms {

/// What the placeholders stand for.
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

/// How a value is written so that it cannot end what it stands in.
using Escape = std::function<std::string(std::string_view)>;

/// The first thing in braces that is no placeholder, or a brace without its partner; none when the
/// template can be filled. {{ and }} are braces.
std::optional<std::string> unknownPlaceholder(std::string_view text);

/// The text with its placeholders replaced by escaped values.
std::string fill(std::string_view text, const TemplateValues& values, const Escape& escape);

/// What fits the content type: JSON strings, form fields, XML text; anything else is left alone.
Escape escapeFor(std::string_view contentType);

/// Whether it can be used as a regular expression (ECMAScript) whose repetitions and back
/// references have three digits at the most; an empty one can.
bool isExpression(std::string_view text);

}  // namespace restante::sms
