// An export is a backup: brought into an empty store, everything is as it was.

#include "core/base/file.h"
#include "core/base/file_descriptor.h"
#include "tests/support/process.h"
#include "tests/support/redis_server.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace restante::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Words = std::vector<std::string>;

const std::string kRecipient = "sip:bob@example.org";

/// The command line with one Redis.
class Store {
public:
    explicit Store(RedisServer& redis) : redis_(redis) {}

    Finished ctl(Words words, std::string_view input = {}) const
    {
        words.insert(words.begin(), {builtProgram("restantectl").string(), "--redis",
                                     "unix://" + redis_.socketPath()});
        Process process({words, {{"TZ", "UTC"}}, {}});
        process.write(input);
        process.closeInput();
        const auto status = process.waitForExit();
        return {status.value_or(-1), process.output(), process.errors()};
    }
    json ctlJson(Words words, std::string_view input = {}) const
    {
        words.push_back("--json");
        const auto result = ctl(std::move(words), input);
        EXPECT_EQ(result.status, 0) << result.errors << result.output;
        return json::parse(result.output, nullptr, false);
    }
    void done(Words words, std::string_view input = {}) const
    {
        const auto result = ctl(std::move(words), input);
        EXPECT_EQ(result.status, 0) << result.errors << result.output;
    }
    json show(const std::string& id) const { return ctlJson({"show", id}); }
    std::string exported() const
    {
        const auto result = ctl({"export"});
        EXPECT_EQ(result.status, 0) << result.errors;
        return result.output;
    }
    void send(const Words& words) const { redis_.send(words); }

private:
    RedisServer& redis_;
};

std::int64_t nowMs()
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

/// A held message as an export of an earlier version has it.
std::string oldMessage(const std::string& id, const std::string& body)
{
    return json{{"id", id},
                {"topic", "sip"},
                {"channel", "sip"},
                {"recipient", kRecipient},
                {"body", body},
                {"state", "held"},
                {"attempt", 2},
                {"priority", 5},
                {"ttr", "1m"},
                {"created_ms", 1'700'000'000'000},
                {"due_ms", nowMs() + 3'600'000},
                {"last_error", "480 Temporarily Unavailable"}}
               .dump() +
           "\n";
}

/// Jobs in every state, held back topics, a mailbox and once keys of that day (since 1970).
void fill(const Store& store, const std::string& day)
{
    for (const auto* id : {"later", "later-too", "thrown-away", "given-up",
                           "given-up-and-thrown-away", "on-hold", "done-long-ago"}) {
        store.done({"push", "order", "--id", id, "--body", id, "--delay", "9h", "--biz-key", "k"});
    }
    store.done({"push", "order", "--id", "now", "--body", "now", "--header", "X-A: 1"});
    store.done({"push", "work", "--id", "taken", "--body", "taken", "--ttr", "2h"});
    store.done({"reschedule", "later", "later-too", "--at", "2034-01-01 00:00"});
    store.send({"HSET", "rst:{s0}:past", "later", "7", "given-up", "3"});
    store.done({"reschedule", "later", "--at", "2034-01-01 00:00", "--reset-attempts"});
    store.send({"HSET", "rst:{s0}:past", "later", "9"});
    EXPECT_THAT(store.ctlJson({"pop", "work"})["jobs"], SizeIs(1));
    store.done({"delete", "thrown-away", "--reason", "tidying"});
    store.done({"bury", "given-up", "given-up-and-thrown-away", "--reason", "no such address"});
    store.done({"delete", "given-up-and-thrown-away"});
    store.done({"hold", "on-hold"});
    store.send({"ZREM", "rst:{s0}:due:pull:5:order", "done-long-ago"});
    store.send({"ZADD", "rst:{s0}:done", "1763700000000", "done-long-ago"});
    store.send({"HSET", "rst:{s0}:origin", "done-long-ago", "scheduled 1763700000000 - -"});
    auto strange = json::parse(oldMessage("m-3", "third"));
    strange["headers"] = {{{"name", "Subject"}, {"value", "?"}, {"value_base64", "/w=="}}};
    store.done({"import"},
               oldMessage("m-1", "first") + oldMessage("m-2", "second") + strange.dump() + "\n");
    store.done({"delete", "m-2"});
    store.done({"pause", "order", "--reason", "the shop is down"});
    store.done({"limit", "work", "--concurrency", "3", "--rate", "10/s"});
    store.send({"HSET", "rst:{s0}:once:86400000:" + day, "key-1", "later", std::string("\xff\0", 2),
                "gone-by-now"});
    store.send({"PEXPIRE", "rst:{s0}:once:86400000:" + day, "172800000"});
}

class RestantectlBackup : public ::testing::Test {
protected:
    RestantectlBackup() { fill(first_, day_); }

    RedisServer firstRedis_;
    RedisServer secondRedis_;
    Store first_{firstRedis_};
    Store second_{secondRedis_};
    const std::string day_ = std::to_string(nowMs() / 86'400'000);
};

TEST_F(RestantectlBackup, bringsAWholeStoreBackAsItWas)
{
    const auto before = first_.exported();
    const auto outcome = second_.ctlJson({"import"}, before);
    EXPECT_EQ(outcome["wrong"], 0) << outcome;
    EXPECT_EQ(outcome["left_out"], 0);
    EXPECT_EQ(second_.exported(), before);
    // The first line is the store's own.
    EXPECT_EQ(outcome["stored"].get<int>() + outcome["settings"].get<int>() + 1,
              std::count(before.begin(), before.end(), '\n'));
}

TEST_F(RestantectlBackup, replacesAFileAndNothingElse)
{
    namespace fs = std::filesystem;
    const TempDir directory;
    const auto text = first_.exported();
    const auto real = directory / "real.jsonl";
    const auto link = directory / "link.jsonl";
    fs::create_symlink("real.jsonl", link);
    first_.done({"export", link.string()});
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_EQ(readFile(real), text);
    EXPECT_EQ(fs::status(real).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    const auto shared = fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read;
    fs::permissions(real, shared);
    std::ofstream(real) << "older";
    first_.done({"export", link.string()});
    EXPECT_EQ(readFile(real), text);
    EXPECT_EQ(fs::status(real).permissions(), shared);

    const auto fifo = directory / "fifo";
    ASSERT_EQ(::mkfifo(fifo.c_str(), S_IRUSR | S_IWUSR), 0);
    // For writing, too, so that neither side waits for the other.
    const FileDescriptor reader{::open(fifo.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)};
    ASSERT_TRUE(reader);
    first_.done({"export", fifo.string()});
    EXPECT_TRUE(fs::is_fifo(fifo));
    std::string received(65'536, '\0');
    received.resize(static_cast<std::size_t>(
        std::max<ssize_t>(0, ::read(reader.get(), received.data(), received.size()))));
    EXPECT_EQ(received, text);
    EXPECT_EQ(first_.ctl({"export", "/dev/stdout"}).output, text);

    const fs::directory_iterator all(directory.path());
    EXPECT_EQ(std::distance(begin(all), end(all)), 3);
}

TEST_F(RestantectlBackup, storesAllThatItIsGivenOrSaysThatItCannotReadIt)
{
    const auto before = first_.exported();
    const TempDir directory;
    const auto refused = second_.ctl({"import", directory.path().string()});
    EXPECT_EQ(refused.status, 1);
    EXPECT_THAT(refused.errors, HasSubstr("line 1: cannot be read"));
    // A pipe cannot be read a second time.
    EXPECT_EQ(second_.ctlJson({"import", "/dev/stdin"}, before)["wrong"], 0);
    EXPECT_EQ(second_.exported(), before);
}

TEST_F(RestantectlBackup, givesANewStoreNoOtherNumberOfShards)
{
    RedisServer fourRedis;
    const Store four(fourRedis);
    four.done({"--set", "redis.shards=4", "push", "order", "--id", "a", "--body", "x"});
    const auto before = four.exported();
    EXPECT_THAT(before, ::testing::StartsWith("{\"kind\":\"store\",\"shards\":4}\n"));

    RedisServer newRedis;
    const Store fresh(newRedis);
    for (const Words& words : {Words{"import"}, Words{"import", "--dry-run"}}) {
        const auto refused = fresh.ctl(words, before);
        EXPECT_EQ(refused.status, 1);
        EXPECT_THAT(refused.errors, HasSubstr("line 1: shards: "));
        EXPECT_THAT(refused.errors, HasSubstr("--set redis.shards=4"));
        EXPECT_EQ(*newRedis.send({"DBSIZE"}).integer(), 0);
    }
    fresh.done({"--set", "redis.shards=4", "import"}, before);
    EXPECT_EQ(fresh.exported(), before);
    // A store that is in use keeps its own number and takes what fits.
    first_.done({"import"}, before);
    EXPECT_EQ(first_.show("a")["body"], "x");
}

TEST_F(RestantectlBackup, changesNothingTheSecondTime)
{
    const auto before = first_.exported();
    second_.done({"import"}, before);
    for (const Words& words : {Words{"import"}, Words{"import", "--replace"}}) {
        const auto again = second_.ctlJson(words, before);
        EXPECT_EQ(again["stored"], 0) << again;
        EXPECT_EQ(again["settings"], 0) << again;
        EXPECT_EQ(second_.exported(), before);
    }
}

TEST_F(RestantectlBackup, keepsAttemptsErrorsAndTimesOfDeath)
{
    const auto dead = first_.show("given-up");
    second_.done({"import"}, first_.exported());
    EXPECT_EQ(second_.show("given-up"), dead);
    EXPECT_EQ(second_.show("given-up")["attempt"], 3);
    EXPECT_EQ(second_.show("given-up")["last_error"], "no such address");
    EXPECT_EQ(second_.show("later")["attempt"], 9);
    EXPECT_EQ(second_.show("later")["attempts_forgotten"], 7);
}

TEST_F(RestantectlBackup, restoresWhatHadEndedToWhereItWas)
{
    const auto due = first_.show("later")["due"];
    second_.done({"import"}, first_.exported());
    second_.done({"restore", "given-up-and-thrown-away"});
    EXPECT_EQ(second_.show("given-up-and-thrown-away")["state"], "dead");
    second_.done({"restore", "given-up-and-thrown-away", "m-2"});
    EXPECT_EQ(second_.show("given-up-and-thrown-away")["state"], "scheduled");
    EXPECT_EQ(second_.show("m-2")["state"], "held");
    const auto order = [](const RedisServer& redis) {
        std::string ids;
        const auto found = redis.send({"ZRANGE", "rst:{s0}:box:" + kRecipient, "0", "-1"});
        for (const auto& id : *found.array()) {
            ids += *id.text() + " ";
        }
        return ids;
    };
    EXPECT_EQ(order(secondRedis_), "m-1 m-2 m-3 ");
    EXPECT_EQ(second_.show("later")["due"], due);
}

TEST_F(RestantectlBackup, keepsALeaseForItsWorker)
{
    second_.done({"import"}, first_.exported());
    EXPECT_EQ(second_.ctl({"finish", "taken", "--attempt", "2"}).status, 1);
    second_.done({"finish", "taken", "--attempt", "1"});
}

TEST_F(RestantectlBackup, pausesATopicBeforeItsJobsAreThere)
{
    auto text = first_.exported();
    // Whatever the order of the lines.
    const auto end = text.find('\n') + 1;
    text = text.substr(end) + text.substr(0, end);
    second_.done({"import"}, text);
    EXPECT_THAT(second_.ctlJson({"pop", "order"})["jobs"], IsEmpty());
    const auto topics = second_.ctlJson({"topics"})["topics"];
    ASSERT_FALSE(topics.empty());
    EXPECT_EQ(topics, first_.ctlJson({"topics"})["topics"]);
}

TEST_F(RestantectlBackup, storesNothingWhenAnyPlaceIsWrong)
{
    const auto good = first_.exported();
    std::istringstream lines(good);
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        auto job = json::parse(line);
        if (!job.contains("place")) {
            continue;
        }
        job["place"]["origin"] = "nowhere 1";
        const auto refused = second_.ctl({"import"}, good + job.dump() + "\n");
        EXPECT_EQ(refused.status, 1);
        EXPECT_THAT(refused.errors, HasSubstr("place.origin"));
        EXPECT_THAT(
            refused.errors,
            HasSubstr("line " + std::to_string(std::count(good.begin(), good.end(), '\n') + 1)));
        break;
    }
    for (const char* wrong :
         {R"({"kind":"topic","topic":"a b"})",
          R"({"kind":"topic","topic":"a","limits":{"rate":"x"}})", R"({"kind":"once","id":"x"})",
          R"({"kind":"something"})", R"({"kind":"topic","topic":"a","pause":{"actor":"x"}})"}) {
        EXPECT_EQ(second_.ctl({"import"}, good + wrong + "\n").status, 1) << wrong;
    }
    EXPECT_THAT(second_.ctlJson({"list"})["jobs"], IsEmpty());
    EXPECT_THAT(second_.ctlJson({"topics"})["topics"], IsEmpty());
}

TEST_F(RestantectlBackup, countsNoSettingAsAJobWhenAnotherSettingIsRefused)
{
    second_.send({"SET", "rst:{s0}:limits", "of a foreign type"});
    const auto refused = second_.ctl({"import", "--json"}, first_.exported());
    EXPECT_EQ(refused.status, 1);
    const auto outcome = json::parse(refused.output, nullptr, false);
    EXPECT_GT(outcome["wrong"], 0) << outcome;
    EXPECT_GT(outcome["settings"], 0) << outcome;
    EXPECT_EQ(outcome["stored"], 0) << outcome;
    EXPECT_EQ(outcome["already_there"], 0) << outcome;
}

TEST_F(RestantectlBackup, leavesWhatIsNewerAloneUnlessToldOtherwise)
{
    const auto before = first_.exported();
    first_.done({"resume", "order"});
    first_.done({"pause", "order", "--reason", "again"});
    first_.done({"restore", "given-up"});
    const auto newer = first_.exported();
    EXPECT_EQ(first_.ctlJson({"import"}, before)["stored"], 0);
    EXPECT_EQ(first_.exported(), newer);
    first_.done({"import", "--replace"}, before);
    EXPECT_EQ(first_.exported(), before);
}

TEST_F(RestantectlBackup, neverTurnsTheNumberOfAnAttemptBack)
{
    const auto before = first_.exported();
    first_.send({"HSET", "rst:{s0}:past", "given-up", "8"});
    first_.done({"import", "--replace"}, before);
    EXPECT_EQ(first_.show("given-up")["attempt"], 8);
    EXPECT_EQ(first_.show("given-up")["attempts_forgotten"], 5);
}

TEST_F(RestantectlBackup, remembersOnceKeys)
{
    second_.done({"import"}, first_.exported());
    const auto found = secondRedis_.send({"HGET", "rst:{s0}:once:86400000:" + day_, "key-1"});
    ASSERT_NE(found.text(), nullptr);
    EXPECT_EQ(*found.text(), "later");
    const auto left = secondRedis_.send({"PTTL", "rst:{s0}:once:86400000:" + day_});
    EXPECT_GT(*left.integer(), 86'400'000);
}

TEST_F(RestantectlBackup, takesTheExportsOfEarlierVersions)
{
    std::istringstream lines(first_.exported());
    std::string old;
    std::size_t jobs = 0;
    for (std::string line; std::getline(lines, line);) {
        auto job = json::parse(line);
        if (!job.contains("kind")) {
            job.erase("place");
            old += job.dump() + "\n";
            ++jobs;
        }
    }
    const auto outcome = second_.ctlJson({"import"}, old);
    EXPECT_EQ(outcome["left_out"], 1);  // what is done
    EXPECT_EQ(outcome["stored"].get<std::size_t>(), jobs - 1);
    EXPECT_EQ(second_.show("taken")["state"], "ready");
    EXPECT_EQ(second_.show("given-up")["last_error"], "no such address");
    EXPECT_EQ(second_.show("m-3")["state"], "held");
}

}  // namespace
}  // namespace restante::test
