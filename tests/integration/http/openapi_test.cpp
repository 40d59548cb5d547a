#include "core/base/text.h"
#include "core/http/api/openapi_document.h"
#include "tests/integration/http/openapi_check.h"
#include "tests/integration/http/v1_fixture.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

namespace restante::test {
namespace {

using nlohmann::json;

class OpenApi : public V1Fixture {
protected:
    std::vector<std::string> served() const
    {
        std::vector<std::string> all;
        for (const auto& route : router_.routes()) {
            all.push_back(route.method + " " + route.pattern);
        }
        return all;
    }
    static std::string contentOf(const std::string& file)
    {
        const char* root = std::getenv("RESTANTE_SOURCE_DIR");
        std::ifstream stream(std::string(root != nullptr ? root : ".") + "/" + file);
        return {std::istreambuf_iterator<char>(stream), {}};
    }
};

TEST_F(OpenApi, namesExactlyTheRoutesThatAreServed)
{
    EXPECT_THAT(check_.operations(), testing::UnorderedElementsAreArray(served()));
}

TEST_F(OpenApi, isServedAsItIsInTheTree)
{
    EXPECT_EQ(http::openApiDocument(), contentOf("core/http/api/openapi.json"));
    EXPECT_EQ(get("/openapi.json").raw.body, http::openApiDocument());
}

TEST_F(OpenApi, saysTheScopeThatEachRouteAsksFor)
{
    for (const auto& route : router_.routes()) {
        const auto method = lowered(route.method);
        const auto& operation = check_.document().at("paths").at(route.pattern).at(method);
        const std::string scope = route.open                         ? "none"
                                  : route.scope == http::Scope::Push ? "push"
                                  : route.scope == http::Scope::Pop  ? "pop"
                                                                     : "admin";
        EXPECT_EQ(operation.at("x-scope"), scope) << route.method << " " << route.pattern;
    }
}

TEST_F(OpenApi, everyReferenceLeadsSomewhere)
{
    const auto& document = check_.document();
    const std::function<void(const json&)> walk = [&](const json& node) {
        if (node.is_object() && node.contains("$ref")) {
            const auto target = node.at("$ref").get<std::string>();
            EXPECT_TRUE(document.contains(json::json_pointer(target.substr(1)))) << target;
        }
        for (const auto& child : node) {
            if (child.is_structured()) {
                walk(child);
            }
        }
    };
    walk(document);
}

TEST_F(OpenApi, theDocumentForPeopleNamesEveryRoute)
{
    const auto text = contentOf("docs/http-api.md");
    for (const auto& route : router_.routes()) {
        EXPECT_THAT(text, testing::HasSubstr("`" + route.method + " " + route.pattern))
            << "docs/http-api.md";
    }
}

}  // namespace
}  // namespace restante::test
