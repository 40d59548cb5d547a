#include "tests/architecture/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

namespace restante::architecture {

namespace {
/// A folder, what its files may include, and where the rule does not hold.
struct Layer {
    std::string folder;
    std::regex allowed;
    std::string reason;
};

bool isOurs(const std::string& include)
{
    return include.front() == '"';
}

/// A foreign library that one place owns, so that its types leak nowhere else.
struct Ownership {
    std::regex header;
    std::regex owner;
};

std::vector<std::string> includesOutsideTheLayer(const Layer& layer)
{
    std::vector<std::string> violations;
    for (const std::string& file : filesBelow(layer.folder, {".h", ".cpp", ".c"})) {
        for (const std::string& include : includesOf(file)) {
            if (isOurs(include) && !std::regex_search(include, layer.allowed)) {
                violations.push_back(file + " includes " + include + ": " + layer.reason);
            }
        }
    }
    return violations;
}

std::vector<std::string> includesOutsideTheOwner(const Ownership& ownership)
{
    std::vector<std::string> violations;
    for (const std::string& file : sources()) {
        for (const std::string& include : includesOf(file)) {
            if (std::regex_search(include, ownership.header) &&
                !std::regex_search(file, ownership.owner)) {
                violations.push_back(file + " includes " + include);
            }
        }
    }
    return violations;
}
}  // namespace

TEST(Layers, coreKnowsOnlyCore)
{
    const Layer core{"core", std::regex(R"(^"core/)"), "core knows only core"};
    EXPECT_THAT(includesOutsideTheLayer(core), testing::IsEmpty());
}

TEST(Layers, sippluginKnowsOnlyCoreAndItself)
{
    const Layer plugin{"sipplugin", std::regex(R"(^"(core|sipplugin)/)"),
                       "sipplugin knows only core and itself"};
    EXPECT_THAT(includesOutsideTheLayer(plugin), testing::IsEmpty());
}

/// The rooms of the plugin, each with those that it may know besides core: the floors of
/// docs/architecture.md. Only what composes them is above all.
TEST(Layers, eachRoomOfThePluginKnowsOnlyThoseBelowIt)
{
    const std::vector<std::pair<std::string, std::string>> rooms{
        {"message", ""},
        {"sofia", ""},
        {"lua", ""},
        {"trace", "message"},
        {"settings", "message|trace|transport/tls"},
        {"transport", "message|trace|sofia"},
        {"auth", "message|settings|lua"},
        {"registration", "message|settings|lua|transport|outbound"},
        {"outbound", "message|settings|transport|auth|registration"},
        {"receipts", "message|settings"},
        {"delivery", "message|outbound|receipts|registration"},
        {"inbound", "message|settings|lua|transport|auth|outbound|receipts"},
        {"mwi", "message|transport|outbound"},
    };
    for (const auto& [room, below] : rooms) {
        const auto own = below.empty() ? room : room + "|" + below;
        const Layer layer{"sipplugin/" + room, std::regex("^\"(core|sipplugin/(" + own + "))/"),
                          "docs/architecture.md names what " + room + " knows"};
        EXPECT_THAT(includesOutsideTheLayer(layer), testing::IsEmpty());
    }
    // Only regevent, the watch of another server, may look up from there.
    const Layer registrar{"sipplugin/registration",
                          std::regex(R"(^"(core/|sipplugin/(message|settings|lua|registration)/))"),
                          "the registrar and its store know nobody who sends"};
    for (const auto& violation : includesOutsideTheLayer(registrar)) {
        EXPECT_THAT(violation, testing::StartsWith("sipplugin/registration/regevent/"));
    }
    std::vector<std::string> loose;
    for (const auto& file : filesBelow("sipplugin", {".h", ".cpp"})) {
        const auto room = file.substr(0, file.rfind('/'));
        if (room == "sipplugin" && !file.starts_with("sipplugin/plugin.")) {
            loose.push_back(file);
        }
    }
    EXPECT_THAT(loose, testing::IsEmpty()) << "each file has a room";
}

TEST(Layers, guiKnowsOnlyCoreAndItself)
{
    const Layer gui{"gui", std::regex(R"(^"(core|gui)/|^"ui_)"), "gui knows only core and itself"};
    EXPECT_THAT(includesOutsideTheLayer(gui), testing::IsEmpty());
}

TEST(Layers, theValuesOfTheDomainKnowNoMachinery)
{
    const Layer base{"core/base", std::regex(R"(^"core/base/)"), "base knows nobody"};
    const Layer job{"core/job", std::regex(R"(^"core/(base|job)/)"), "a job is a pure value"};
    const Layer queue{"core/queue", std::regex(R"(^"core/(base|job|queue)/)"),
                      "the queue works on any store"};
    for (const Layer& layer : {base, job, queue}) {
        EXPECT_THAT(includesOutsideTheLayer(layer), testing::IsEmpty());
    }
}

TEST(Layers, coreIncludesNoSipNoQtAndNoBoost)
{
    std::vector<std::string> violations;
    const std::regex foreign(R"(^<(sofia-sip|boost|asio|Q[A-Z]|Qt))");
    for (const std::string& file : filesBelow("core", {".h", ".cpp"})) {
        // The HTTP server is the one part of core that stands on Boost, in a library of its own.
        const bool isHttp = file.starts_with("core/http/");
        for (const std::string& include : includesOf(file)) {
            if (std::regex_search(include, foreign) && !(isHttp && include.starts_with("<boost"))) {
                violations.push_back(file + " includes " + include);
            }
        }
    }
    EXPECT_THAT(violations, testing::IsEmpty());
}

TEST(Layers, eachForeignLibraryHasOneOwner)
{
    const std::vector<Ownership> owners{
        {std::regex("^<hiredis"), std::regex(R"(^(core/redis/.*\.cpp|tests/.*\.cpp)$)")},
        {std::regex("^<sofia-sip"), std::regex("^(sipplugin|tests)/")},
        {std::regex("^<ares"), std::regex(R"(^sipplugin/transport/resolver\.cpp$)")},
        {std::regex("^<toml"), std::regex(R"(^core/config/.*\.cpp$)")},
        {std::regex("^<CLI"),
         std::regex(R"(^(core/cli|sipplugin/daemon|sipplugin/phone|gui/app|tests/bench)/)")},
        {std::regex("^<spdlog"), std::regex(R"(^core/base/log\.cpp$)")},
        {std::regex("^<curl"), std::regex(R"(^core/delivery/http_(client|transfer)\.cpp$)")},
        {std::regex("^<expat"), std::regex(R"(^sipplugin/registration/regevent/reginfo\.cpp$)")},
        {std::regex("^<openssl/ssl"),
         std::regex(
             R"(^(core/http/transport\.cpp|core/redis/tls_session\.cpp|sipplugin/transport/.*\.cpp|tests/.*\.cpp)$)")},
        // Hashes, codes and random bytes; the others handle keys and certificates.
        {std::regex("^<openssl/(crypto|evp|hmac|md5|rand|sha)"),
         std::regex(
             R"(^(core/base/crypto|sipplugin/transport/tls/tls_contexts|tests/support/test_authority)\.cpp$)")},
        {std::regex("^<(Q[A-Z]|Qt)"), std::regex("^(gui|tests/gui)/")},
        {std::regex("^<qt6keychain"), std::regex(R"(^gui/session/.*\.cpp$)")},
        {std::regex("^<soci"), std::regex(R"(^core/journal/.*\.cpp$)")},
    };
    for (const Ownership& ownership : owners) {
        EXPECT_THAT(includesOutsideTheOwner(ownership), testing::IsEmpty());
    }
}

TEST(Layers, headersStayLight)
{
    std::vector<std::string> violations;
    const std::regex heavy(R"(^<(spdlog|nlohmann/json\.hpp|toml\+\+|CLI|hiredis|regex|iostream))");
    for (const char* folder : {"core", "sipplugin", "gui"}) {
        for (const std::string& file : filesBelow(folder, {".h"})) {
            for (const std::string& include : includesOf(file)) {
                if (std::regex_search(include, heavy)) {
                    violations.push_back(file + " includes " + include +
                                         ": forward-declare, include it in the .cpp");
                }
            }
        }
    }
    EXPECT_THAT(violations, testing::IsEmpty());
}

TEST(Layers, productionCodeKnowsNoTestCode)
{
    std::vector<std::string> violations;
    for (const char* folder : {"core", "sipplugin", "gui"}) {
        for (const std::string& file : filesBelow(folder, {".h", ".cpp"})) {
            for (const std::string& include : includesOf(file)) {
                if (include.starts_with("\"tests/") || include.starts_with("<gtest")) {
                    violations.push_back(file + " includes " + include);
                }
            }
        }
    }
    EXPECT_THAT(violations, testing::IsEmpty());
}

}  // namespace restante::architecture
