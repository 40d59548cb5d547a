#include "tests/architecture/folder_graph.h"
#include "tests/architecture/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
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

/// The folders of a tree, each with those of the same tree that it may include: the table of
/// docs/architecture.md.
using Rows = std::map<std::string, std::set<std::string>>;

/// Besides base, which every folder knows.
Rows rowsOfCore()
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
        {"cold", {"job", "queue", "redis/client", "redis/store"}},
        {"config", {"job", "schedule", "sms", "redis/client"}},
        {"delivery", {"job", "queue", "schedule", "json"}},
        {"delivery/sms",
         {"job", "queue", "sms", "config", "delivery", "redis/client", "redis/store"}},
        {"reminder", {"job", "queue", "schedule", "json", "config"}},
        {"assembly",
         {"queue", "config", "delivery/sms", "redis/client", "redis/server", "redis/store"}},
        {"client",
         {"queue", "schedule", "config", "delivery", "redis/client", "redis/server", "cold",
          "assembly"}},
        {"http/server", {}},
        {"http/api",
         {"job", "queue", "schedule", "json", "sms", "reminder", "delivery/sms", "redis/client",
          "redis/store", "http/server"}},
        {"http/classic", {"job", "queue", "schedule", "json", "http/server", "http/api"}},
        {"journal/outbox", {"redis/client", "redis/store"}},
        {"journal/sql", {"auth", "queue", "config", "redis/store", "cold", "journal/outbox"}},
        {"journal/cold",
         {"queue", "redis/client", "redis/store", "cold", "journal/outbox", "journal/sql"}},
        {"journal/client", {"config", "assembly", "client", "journal/sql", "journal/cold"}},
        {"journal/recovery",
         {"job", "queue", "redis/client", "redis/store", "journal/outbox", "journal/sql"}},
        {"journal/recorder",
         {"queue", "config", "redis/client", "redis/store", "journal/outbox", "journal/sql",
          "journal/recovery"}},
        {"journal",
         {"queue", "config", "redis/client", "redis/store", "assembly", "journal/sql",
          "journal/recovery", "journal/recorder", "journal/cold"}},
        {"cli",
         {"job", "auth", "queue", "schedule", "json", "reminder", "config", "delivery",
          "delivery/sms", "redis/client", "redis/server", "redis/store", "cold", "assembly",
          "http/server", "journal", "journal/sql", "journal/cold", "journal/recovery"}},
    };
}

Rows rowsOfThePlugin()
{
    return {
        {"message", {}},
        {"sofia", {}},
        {"lua", {}},
        {"trace", {"message"}},
        {"settings", {"message"}},
        {"transport/tls", {"message"}},
        {"transport", {"message", "trace", "transport/tls"}},
        {"auth", {"message", "lua"}},
        {"registration", {"message", "lua"}},
        {"outbound", {"message", "settings", "transport", "auth", "registration"}},
        {"regevent", {"message", "transport", "outbound"}},
        {"receipts", {"message", "settings"}},
        {"delivery", {"message", "lua", "outbound", "receipts", "registration"}},
        {"inbound", {"message", "settings", "lua", "transport", "auth", "outbound", "receipts"}},
        {"mwi", {"message", "transport", "outbound"}},
        // plugin.h and plugin.cpp compose all of them.
        {"",
         {"message", "sofia", "lua", "trace", "settings", "transport", "auth", "registration",
          "outbound", "regevent", "receipts", "delivery", "inbound", "mwi"}},
        {"hosted", {"message", "sofia", "settings", ""}},
        {"daemon", {"message", "sofia", "settings", ""}},
        {"phone", {"message", "sofia", "transport"}},
    };
}

/// No page knows another one, but those of jobs, mailboxes and reminders show what the detail does,
/// and the overview says of people what the page of mailboxes does.
Rows rowsOfTheConsole()
{
    const std::set<std::string> below{"base", "theme", "session", "actions", "operations"};
    const auto with = [&](std::set<std::string> more) {
        more.insert(below.begin(), below.end());
        return more;
    };
    const std::set<std::string> pages{"pages",           "pages/audit",    "pages/detail",
                                      "pages/dialogs",   "pages/jobs",     "pages/mailboxes",
                                      "pages/monitor",   "pages/overview", "pages/topics",
                                      "pages/reminders", "commands",       "tasks"};
    return {
        {"base", {}},
        {"theme", {"base"}},
        {"session", {"base"}},
        {"actions", {"base", "theme"}},
        {"operations", {"base", "theme", "session"}},
        {"pages", below},
        {"pages/audit", with({"pages"})},
        {"pages/detail", with({"pages"})},
        {"pages/dialogs", with({"pages", "pages/detail"})},
        {"pages/jobs", with({"pages", "pages/detail"})},
        {"pages/mailboxes", with({"pages", "pages/detail"})},
        {"pages/monitor", with({"pages"})},
        {"pages/overview", with({"pages", "pages/mailboxes"})},
        {"pages/reminders", with({"pages", "pages/detail"})},
        {"pages/topics", with({"pages"})},
        {"commands", with({"pages", "pages/dialogs"})},
        {"tasks", with({"commands"})},
        {"shell", with(pages)},
    };
}

/// What a folder of the tree includes though its row does not name it; folders without a row, and
/// rows without a folder.
std::vector<std::string> differencesFrom(const Rows& rows, const std::string& tree)
{
    const auto pathOf = [&](const std::string& folder) {
        return folder.empty() ? tree : tree + "/" + folder;
    };
    std::map<std::string, std::set<std::string>> allowed;
    for (const auto& [folder, below] : rows) {
        auto& known = allowed[pathOf(folder)];
        std::ranges::transform(below, std::inserter(known, known.end()), pathOf);
    }
    std::vector<std::string> differences;
    const auto folders = foldersOf(tree);
    for (const auto& [folder, known] : allowed) {
        if (!folders.contains(folder)) {
            differences.push_back(folder + " has gone");
        }
    }
    for (const auto& [folder, others] : folders) {
        const auto row = allowed.find(folder);
        if (row == allowed.end()) {
            differences.push_back(folder + " has no row");
            continue;
        }
        for (const auto& [other, include] : others) {
            if (other != tree + "/base" && !row->second.contains(other)) {
                differences.push_back(include);
            }
        }
    }
    return differences;
}
/// Headers of core that may reach a quarter of the program and more, each with why.
std::map<std::string, std::string> headersOfEverybody()
{
    const std::string contract = "how parts call each other and answer";
    const std::string words = "the words for what everybody stores and moves";
    const std::string port = "a port that the parts are built on; it names other values only";
    const std::string plain = "knows nothing but the standard library and these";
    return {
        {"core/base/error.h", contract},
        {"core/base/result.h", contract},
        {"core/base/interface.h", contract},
        {"core/base/clock.h", contract},
        {"core/base/event_loop.h", contract},
        {"core/base/callback_guard.h", contract},
        {"core/base/log.h", plain},
        {"core/base/text.h", plain},
        {"core/job/job.h", words},
        {"core/job/job_state.h", words},
        {"core/job/retry_schedule.h", words},
        {"core/job/job_id.h", words},
        {"core/job/job_filter.h", words},
        {"core/queue/topic.h", words},
        {"core/queue/job_store.h", port},
        {"core/queue/job_inspector.h", port},
        {"core/queue/delay_queue.h", port},
        {"core/redis/store/shard_queues.h", plain},
    };
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

TEST(Layers, guiKnowsOnlyCoreAndItself)
{
    const Layer gui{"gui", std::regex(R"(^"(core|gui)/)"), "gui knows only core and itself"};
    EXPECT_THAT(includesOutsideTheLayer(gui), testing::IsEmpty());
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
}

TEST(Layers, aFolderTakenWithThoseInItIsInNoCycleEither)
{
    EXPECT_TRUE(wholeFoldersOf("core").contains("core/redis"));
    EXPECT_TRUE(wholeFoldersOf("sipplugin").contains("sipplugin/transport"));
    EXPECT_TRUE(wholeFoldersOf("gui").contains("gui/pages"));
    for (const char* tree : {"core", "sipplugin", "gui"}) {
        EXPECT_THAT(cyclesIn(wholeFoldersOf(tree)), testing::IsEmpty());
    }
}

TEST(Layers, eachFolderKnowsOnlyThoseBelowIt)
{
    EXPECT_THAT(differencesFrom(rowsOfCore(), "core"), testing::IsEmpty());
    EXPECT_THAT(differencesFrom(rowsOfThePlugin(), "sipplugin"), testing::IsEmpty());
    EXPECT_THAT(differencesFrom(rowsOfTheConsole(), "gui"), testing::IsEmpty());
}

TEST(Layers, aFolderThatKnowsMoreThanItsRowIsFound)
{
    auto rows = rowsOfThePlugin();
    rows["regevent"].erase("outbound");
    EXPECT_THAT(differencesFrom(rows, "sipplugin"),
                testing::ElementsAre(testing::HasSubstr("includes sipplugin/outbound/")));
    rows = rowsOfThePlugin();
    rows.erase("phone");
    rows["choir"] = {};
    EXPECT_THAT(differencesFrom(rows, "sipplugin"),
                testing::ElementsAre("sipplugin/choir has gone", "sipplugin/phone has no row"));
}

TEST(Layers, onlyWhatComposesThePluginLiesBesideItsFolders)
{
    std::vector<std::string> loose;
    for (const auto& file : filesBelow("sipplugin", {".h", ".cpp"})) {
        if (file.rfind('/') == std::string("sipplugin").size() &&
            !file.starts_with("sipplugin/plugin.")) {
            loose.push_back(file);
        }
    }
    EXPECT_THAT(loose, testing::IsEmpty()) << "each file has a folder";
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
             R"(^(core/cli/command\.cpp$|(sipplugin/daemon|sipplugin/phone|gui/shell|tests/bench|tests/soak)/))")},
        {std::regex("^<spdlog"), std::regex(R"(^core/base/log\.cpp$)")},
        {std::regex("^<curl"), std::regex(R"(^core/delivery/http_client\.cpp$)")},
        {std::regex("^<expat"), std::regex(R"(^sipplugin/regevent/reginfo\.cpp$)")},
        {std::regex("^<openssl/ssl"),
         std::regex(
             R"(^(core/http/server/(tls_context|transport)\.cpp|core/redis/client/tls_session\.cpp|sipplugin/transport/.*\.cpp|tests/.*\.cpp)$)")},
        // Hashes, codes and random bytes; the others handle keys and certificates.
        {std::regex("^<openssl/(crypto|evp|hmac|md5|rand|sha)"),
         std::regex(
             R"(^(core/base/crypto|sipplugin/transport/tls/tls_contexts|tests/support/(no_random_numbers|test_authority))\.cpp$)")},
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

/// A header that reaches more has to become lighter, or be included by fewer headers: a type that
/// is only named there is declared, and a value that others need moves to a header of its own.
TEST(Layers, aHeaderOfCoreReachesLessThanAQuarterOfTheProgram)
{
    const auto reach = reachOfCoreHeaders();
    ASSERT_GT(reach.programs, 300u);
    std::vector<std::string> violations;
    std::set<std::string> unneeded;
    for (const auto& [header, reason] : headersOfEverybody()) {
        unneeded.insert(header);
    }
    for (const auto& [header, files] : reach.of) {
        if (files * 4 >= reach.programs && unneeded.erase(header) == 0) {
            violations.push_back(header + " reaches " + std::to_string(files) + " of " +
                                 std::to_string(reach.programs) + " files");
        }
    }
    EXPECT_THAT(violations, testing::IsEmpty());
    EXPECT_THAT(unneeded, testing::IsEmpty()) << "reach less than a quarter: strike them";
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
