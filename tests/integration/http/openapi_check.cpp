#include "tests/integration/http/openapi_check.h"

#include "core/base/text.h"

#include <algorithm>
#include <cctype>

namespace restante::test {

namespace {

using nlohmann::json;

bool hasType(const json& value, const std::string& type)
{
    if (type == "object") {
        return value.is_object();
    }
    if (type == "array") {
        return value.is_array();
    }
    if (type == "string") {
        return value.is_string();
    }
    if (type == "integer") {
        return value.is_number_integer();
    }
    if (type == "number") {
        return value.is_number();
    }
    if (type == "boolean") {
        return value.is_boolean();
    }
    return type == "null" && value.is_null();
}

bool fitsType(const json& value, const json& types)
{
    if (types.is_string()) {
        return hasType(value, types.get<std::string>());
    }
    return std::any_of(types.begin(), types.end(),
                       [&](const json& type) { return hasType(value, type.get<std::string>()); });
}

}  // namespace

std::vector<std::string> OpenApiCheck::operations() const
{
    std::vector<std::string> all;
    for (const auto& [path, methods] : document_.at("paths").items()) {
        for (const auto& [method, operation] : methods.items()) {
            std::string capitals = method;
            std::transform(capitals.begin(), capitals.end(), capitals.begin(),
                           [](unsigned char c) { return std::toupper(c); });
            all.push_back(capitals + " " + path);
        }
    }
    return all;
}

const json& OpenApiCheck::resolved(const json& node) const
{
    if (!node.is_object() || !node.contains("$ref")) {
        return node;
    }
    return document_.at(json::json_pointer(node.at("$ref").get<std::string>().substr(1)));
}

std::vector<std::string> OpenApiCheck::problemsOf(const Seen& seen) const
{
    const auto& operation = document_.at("paths").at(seen.pattern).at(lowered(seen.method));
    const auto& answers = operation.at("responses");
    const auto status = std::to_string(seen.status);
    if (!answers.contains(status)) {
        return {"status " + status + " is not documented: " + seen.body};
    }
    const auto& answer = resolved(answers.at(status));
    const auto type = seen.contentType.substr(0, seen.contentType.find(';'));
    const auto content = answer.value("content", json::object());
    if (content.empty() && type.empty()) {
        return seen.body.empty() ? std::vector<std::string>{}
                                 : std::vector<std::string>{"has a body: " + seen.body};
    }
    if (!content.contains(type)) {
        return {"content type " + type + " is not documented for " + status};
    }
    std::vector<std::string> problems;
    if (type.ends_with("json")) {
        const auto value = json::parse(seen.body, nullptr, false);
        if (value.is_discarded()) {
            return {"is no JSON: " + seen.body};
        }
        check(content.at(type).at("schema"), value, "", problems);
    }
    return problems;
}

void OpenApiCheck::check(const json& node,
                         const json& value,
                         const std::string& where,
                         std::vector<std::string>& problems) const
{
    const auto& schema = resolved(node);
    if (schema.contains("oneOf")) {
        const auto& choices = schema.at("oneOf");
        const bool fits = std::any_of(choices.begin(), choices.end(), [&](const json& choice) {
            std::vector<std::string> own;
            check(choice, value, where, own);
            return own.empty();
        });
        if (!fits) {
            problems.push_back(where + " is none of the documented shapes: " + value.dump());
        }
        return;
    }
    if (schema.contains("type") && !fitsType(value, schema.at("type"))) {
        problems.push_back(where + " is not of type " + schema.at("type").dump() + ": " +
                           value.dump());
        return;
    }
    if (schema.contains("enum")) {
        const auto& words = schema.at("enum");
        if (std::find(words.begin(), words.end(), value) == words.end()) {
            problems.push_back(where + " is no documented word: " + value.dump());
        }
    }
    if (value.is_array() && schema.contains("items")) {
        for (std::size_t i = 0; i < value.size(); ++i) {
            check(schema.at("items"), value[i], where + "[" + std::to_string(i) + "]", problems);
        }
    }
    if (value.is_object()) {
        checkObject(schema, value, where, problems);
    }
}

void OpenApiCheck::checkObject(const json& schema,
                               const json& value,
                               const std::string& where,
                               std::vector<std::string>& problems) const
{
    for (const auto& name : schema.value("required", json::array())) {
        if (!value.contains(name.get<std::string>())) {
            problems.push_back(where + "/" + name.get<std::string>() + " is missing");
        }
    }
    // Answers are documented whole: a field that no schema names is a mistake of one of the two.
    const auto properties = schema.value("properties", json::object());
    for (const auto& [name, field] : value.items()) {
        if (properties.contains(name)) {
            check(properties.at(name), field, where + "/" + name, problems);
        } else if (!properties.empty()) {
            problems.push_back(where + "/" + name + " is not documented");
        }
    }
}

}  // namespace restante::test
