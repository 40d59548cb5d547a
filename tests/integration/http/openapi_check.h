#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace restante::test {

/// Holds real answers against openapi.json: documented status, content type, and body, as far as
/// type, required, properties, additionalProperties, items, enum, oneOf and $ref go. *Value.*
class OpenApiCheck {
public:
    OpenApiCheck() = default;
    explicit OpenApiCheck(nlohmann::json document) : document_(std::move(document)) {}

    bool loaded() const { return document_.is_object(); }
    const nlohmann::json& document() const { return document_; }
    /// "GET /v1/jobs" of every operation.
    std::vector<std::string> operations() const;

    struct Seen {
        std::string method;
        std::string pattern;
        int status = 0;
        std::string contentType;
        std::string body;
    };
    /// What of an answer is not as documented; empty = nothing.
    std::vector<std::string> problemsOf(const Seen& seen) const;

private:
    const nlohmann::json& resolved(const nlohmann::json& node) const;
    void check(const nlohmann::json& schema,
               const nlohmann::json& value,
               const std::string& where,
               std::vector<std::string>& problems) const;
    void checkObject(const nlohmann::json& schema,
                     const nlohmann::json& value,
                     const std::string& where,
                     std::vector<std::string>& problems) const;

    nlohmann::json document_;
};

}  // namespace restante::test
