#include "tests/architecture/folder_graph.h"
#include "tests/architecture/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

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

/// "pages/jobs" of a file of the console.
std::string roomOf(const std::string& file)
{
    const std::string top = "gui/";
    const auto end = file.rfind('/');
    return end < top.size() ? std::string() : file.substr(top.size(), end - top.size());
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

/// The folders of core, each with those that it may know besides base: the table of
/// docs/architecture.md.
std::map<std::string, std::set<std::string>> rowsOfCore()
{
    return {
        {"base", {}},
        {"job", {}},
        {"sms", {}},
        {"auth", {}},
        {"queue", {"job"}},
        {"schedule", {"queue"}},
        {"json", {"job", "queue"}},
        {"redis/client", {}},
        {"redis/store", {"job", "queue", "redis/client"}},
        {"redis/server", {"redis/client", "redis/store"}},
        {"config", {"job", "schedule", "sms", "redis/client"}},
        {"delivery", {"job", "queue", "schedule", "json"}},
        {"delivery/sms",
         {"job", "queue", "sms", "config", "delivery", "redis/client", "redis/store"}},
        {"reminder", {"job", "queue", "schedule", "json", "config"}},
        {"assembly",
         {"queue", "config", "delivery/sms", "redis/client", "redis/server", "redis/store"}},
        {"client", {"queue", "schedule", "config", "delivery", "redis/server", "assembly"}},
        {"http/server", {}},
        {"http/api",
         {"job", "queue", "schedule", "json", "sms", "reminder", "delivery/sms", "redis/client",
          "redis/store", "http/server"}},
        {"http/classic", {"job", "queue", "schedule", "json", "http/server", "http/api"}},
        {"journal/outbox", {"redis/client", "redis/store"}},
        {"journal/sql", {"auth", "queue", "config", "redis/store", "journal/outbox"}},
        {"journal/recovery",
         {"job", "queue", "redis/client", "redis/store", "journal/outbox", "journal/sql"}},
        {"journal/recorder",
         {"queue", "config", "redis/client", "redis/store", "journal/outbox", "journal/sql",
          "journal/recovery"}},
        {"journal",
         {"queue", "config", "redis/client", "redis/store", "assembly", "journal/sql",
          "journal/recovery", "journal/recorder"}},
        {"cli",
         {"job", "auth", "queue", "schedule", "json", "reminder", "config", "delivery",
          "delivery/sms", "redis/client", "redis/server", "redis/store", "assembly", "http/server",
          "journal", "journal/sql", "journal/recovery"}},
    };
}
}  // namespace

TEST(Layers, coreKnowsOnlyCore)
{
    const Layer core{"core", std::regex(R"(^"core/)"), "core knows only core"};
    EXPECT_THAT(includesOutsideTheLayer(core), testing::IsEmpty());
}

TEST(Layers, aCycleOfIncludesIsFound)
{
    const FolderGraph tree{{"a", {{"b", "ab"}, {"c", "ac"}}}, {"b", {{"c", "bc"}}}, {"c", {}}};
    EXPECT_THAT(cyclesIn(tree), testing::IsEmpty());
    auto knotted = tree;
    knotted["c"]["a"] = "ca";
    EXPECT_THAT(cyclesIn(knotted), testing::ElementsAre("ab, bc, ca"));
}

TEST(Layers, includesBetweenFoldersRunInNoCycle)
{
    for (const char* tree : {"core", "sipplugin", "gui"}) {
        EXPECT_FALSE(foldersOf(tree).empty());
        EXPECT_THAT(cyclesIn(foldersOf(tree)), testing::IsEmpty());
    }
    // Nor does a folder of core with its rooms, taken as one.
    EXPECT_TRUE(wholeFoldersOf("core").contains("core/redis"));
    EXPECT_THAT(cyclesIn(wholeFoldersOf("core")), testing::IsEmpty());
}

TEST(Layers, eachFolderOfCoreKnowsOnlyThoseBelowIt)
{
    const auto rows = rowsOfCore();
    const auto folders = foldersOf("core");
    for (const auto& [folder, below] : rows) {
        ASSERT_TRUE(folders.contains("core/" + folder)) << folder << " has gone";
        for (const auto& [other, include] : folders.at("core/" + folder)) {
            const auto name = other.substr(other.find('/') + 1);
            EXPECT_TRUE(name == "base" || below.contains(name))
                << include << ": docs/architecture.md names what " << folder << " knows";
        }
    }
    EXPECT_EQ(folders.size(), rows.size()) << "each folder has a row";
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
        {"settings", "message"},
        {"transport", "message|trace"},
        {"auth", "message|settings|lua"},
        {"registration", "message|settings|lua|transport|outbound"},
        {"outbound", "message|settings|transport|auth|registration"},
        {"receipts", "message|settings"},
        {"delivery", "message|lua|outbound|receipts|registration"},
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
    const Layer gui{"gui", std::regex(R"(^"(core|gui)/)"), "gui knows only core and itself"};
    EXPECT_THAT(includesOutsideTheLayer(gui), testing::IsEmpty());
}

/// The rooms of the console, each with those that it may know besides core: the floors of
/// docs/architecture.md. No page knows another one, but those of jobs and mailboxes have what tells
/// of one job beside their lists.
TEST(Layers, eachRoomOfTheConsoleKnowsOnlyThoseBelowIt)
{
    const std::string below = "base|theme|session|actions|operations";
    const std::map<std::string, std::string> rooms{
        {"base", ""},
        {"theme", "base"},
        {"session", "base"},
        {"actions", "base|theme"},
        {"operations", "base|theme|session"},
        {"pages", below},
        {"pages/audit", below + "|pages"},
        {"pages/detail", below + "|pages"},
        {"pages/dialogs", below + "|pages"},
        {"pages/jobs", below + "|pages|pages/detail"},
        {"pages/mailboxes", below + "|pages|pages/detail"},
        {"pages/monitor", below + "|pages"},
        {"pages/overview", below + "|pages"},
        {"pages/queues", below + "|pages"},
        {"commands", below + "|pages|pages/dialogs"},
        {"tasks", below + "|commands"},
        {"shell", below + "|pages|pages/[a-z]+|commands|tasks"},
    };
    std::vector<std::string> loose;
    for (const auto& file : filesBelow("gui", {".h", ".cpp"})) {
        if (!rooms.contains(roomOf(file))) {
            loose.push_back(file);
        }
    }
    EXPECT_THAT(loose, testing::IsEmpty()) << "each file has a room";
    std::vector<std::string> violations;
    for (const auto& [room, known] : rooms) {
        const auto own = known.empty() ? room : room + "|" + known;
        const Layer layer{"gui/" + room, std::regex("^\"(core/|gui/(" + own + ")/[^/]+$)"),
                          "docs/architecture.md names what " + room + " knows"};
        for (const auto& violation : includesOutsideTheLayer(layer)) {
            // A folder's own rule is not that of the folders in it.
            if (roomOf(violation.substr(0, violation.find(' '))) == room) {
                violations.push_back(violation);
            }
        }
    }
    EXPECT_THAT(violations, testing::IsEmpty());
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
        {std::regex("^<hiredis"), std::regex(R"(^(core/redis/client/.*\.cpp|tests/.*\.cpp)$)")},
        {std::regex("^<sofia-sip"), std::regex("^(sipplugin|tests)/")},
        {std::regex("^<ares"), std::regex(R"(^sipplugin/transport/resolver\.cpp$)")},
        {std::regex("^<toml"), std::regex(R"(^core/config/.*\.cpp$)")},
        {std::regex("^<CLI"),
         std::regex(
             R"(^(core/cli/command\.cpp$|(sipplugin/daemon|sipplugin/phone|gui/shell|tests/bench)/))")},
        {std::regex("^<spdlog"), std::regex(R"(^core/base/log\.cpp$)")},
        {std::regex("^<curl"), std::regex(R"(^core/delivery/http_client\.cpp$)")},
        {std::regex("^<expat"), std::regex(R"(^sipplugin/registration/regevent/reginfo\.cpp$)")},
        {std::regex("^<openssl/ssl"),
         std::regex(
             R"(^(core/http/server/transport\.cpp|core/redis/client/tls_session\.cpp|sipplugin/transport/.*\.cpp|tests/.*\.cpp)$)")},
        // Hashes, codes and random bytes; the others handle keys and certificates.
        {std::regex("^<openssl/(crypto|evp|hmac|md5|rand|sha)"),
         std::regex(
             R"(^(core/base/crypto|sipplugin/transport/tls/tls_contexts|tests/support/test_authority)\.cpp$)")},
        {std::regex("^<(Q[A-Z]|Qt)"), std::regex("^(gui|tests/gui)/")},
        {std::regex("^<qt6keychain"), std::regex(R"(^gui/session/.*\.cpp$)")},
        {std::regex("^<soci"), std::regex(R"(^core/journal/sql/.*\.cpp$)")},
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
