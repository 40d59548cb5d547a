// What a daemon says and does while the journal's database hangs, is away or is taken away.

#include "core/journal/sql/sql_journal.h"
#include "tests/fault/patience.h"
#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/http_client.h"
#include "tests/support/sql_server.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace restante::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;

class JournalDatabase : public ::testing::Test {
protected:
    void startDaemon(const std::string& url, const std::string& mode)
    {
        url_ = url;
        daemon_.emplace(Daemon::Settings{
            {"sip.listen=", "journal.mode=" + mode, "journal.url=" + url}, "127.0.0.1"});
        ASSERT_TRUE(eventually([&] { return push("first") / 100 == 2; }, kSoon));
        ASSERT_TRUE(recorded("first"));
    }
    HttpAnswer ask(const std::string& method, const std::string& path, const std::string& body = {})
    {
        return HttpClient(daemon_->httpPort()).ask(method, path, body);
    }
    int push(const std::string& id)
    {
        return ask("POST", "/v1/jobs",
                   fmt::format(R"({{"topic":"order","id":"{}","delay":"1h","body":"x"}})", id))
            .status;
    }
    bool recorded(const std::string& id)
    {
        return eventually(
            [&] {
                journal::SqlJournal journal(journal::parseJournalUrl(url_).value());
                const auto rows = journal.history(id);
                return rows && !rows->empty();
            },
            kSoon);
    }
    double up()
    {
        const auto text = ask("GET", "/metrics").body;
        const auto at = text.find("\nrestante_journal_up ");
        return at == std::string::npos ? -1 : std::stod(text.substr(text.find(' ', at)));
    }
    bool comesUp(double value)
    {
        return eventually([&] { return up() == value; }, kSoon);
    }
    /// As `restantectl top` tells it.
    std::int64_t behindMs()
    {
        const auto told = daemon_->control({"top", "--once", "--json"});
        return json::parse(told.output).at("journal").at("behind_ms").get<std::int64_t>();
    }
    json readiness(int status)
    {
        const auto answer = ask("GET", "/readyz");
        EXPECT_EQ(answer.status, status) << answer.body;
        return json::parse(answer.body);
    }

    std::string url_;
    std::optional<Daemon> daemon_;
};

class HangingDatabase : public JournalDatabase, public ::testing::WithParamInterface<SqlKind> {
protected:
    SqlServer sql_{GetParam()};
};

TEST_P(HangingDatabase, isToldWithNothingToRecordAndCostsNobodyAnything)
{
    startDaemon(sql_.url("hangs"), "async");
    EXPECT_EQ(up(), 1);
    EXPECT_EQ(readiness(200)["journal"], "ok");
    EXPECT_TRUE(eventually([&] { return behindMs() == 0; }, kSoon));

    sql_.pause();
    EXPECT_TRUE(comesUp(0));
    EXPECT_EQ(behindMs(), 0) << "nothing waits";
    EXPECT_EQ(readiness(200)["journal"], "down");
    EXPECT_EQ(push("meanwhile") / 100, 2);
    EXPECT_TRUE(eventually([&] { return behindMs() > 2'000; }, kSoon));
    EXPECT_EQ(up(), 0);

    sql_.resume();
    EXPECT_TRUE(comesUp(1));
    EXPECT_EQ(readiness(200)["journal"], "ok");
    EXPECT_TRUE(recorded("meanwhile"));
    EXPECT_TRUE(eventually([&] { return behindMs() == 0; }, kSoon));
}

TEST_P(HangingDatabase, makesADurableDaemonUnready)
{
    startDaemon(sql_.url("hangs"), "durable");
    readiness(200);

    sql_.pause();
    EXPECT_TRUE(eventually([&] { return ask("GET", "/readyz").status == 503; }, kSoon));
    EXPECT_THAT(readiness(503)["detail"].get<std::string>(), HasSubstr("journal"));
    EXPECT_EQ(push("refused"), 503);
    EXPECT_EQ(ask("GET", "/v1/jobs/refused").status, 404) << "refused before it is stored";
    EXPECT_EQ(up(), 0);

    sql_.resume();
    EXPECT_TRUE(eventually([&] { return ask("GET", "/readyz").status == 200; }, kSoon));
    EXPECT_TRUE(eventually([&] { return push("after") / 100 == 2; }, kSoon));
    EXPECT_TRUE(recorded("after"));
    EXPECT_EQ(up(), 1);
}

TEST_P(HangingDatabase, isNotWaitedForAtTheEnd)
{
    startDaemon(sql_.url("hangs"), "async");
    sql_.pause();
    EXPECT_EQ(push("meanwhile") / 100, 2);
    EXPECT_TRUE(comesUp(0));
    EXPECT_EQ(daemon_->stop(), 0);
    sql_.resume();
    daemon_->start();
    EXPECT_TRUE(recorded("meanwhile"));
}

TEST_P(HangingDatabase, isMissedWhenItIsKilledWithNothingToRecord)
{
    startDaemon(sql_.url("hangs"), "async");
    EXPECT_TRUE(eventually([&] { return behindMs() == 0; }, kSoon));  // what the start has told
    sql_.kill9();
    EXPECT_TRUE(comesUp(0));
    EXPECT_EQ(readiness(200)["journal"], "down");
    EXPECT_EQ(behindMs(), 0);
    sql_.restart();
    EXPECT_TRUE(comesUp(1));
    EXPECT_EQ(readiness(200)["journal"], "ok");
}

INSTANTIATE_TEST_SUITE_P(Server,
                         HangingDatabase,
                         ::testing::Values(SqlKind::Mariadb, SqlKind::Postgresql),
                         [](const auto& test) { return std::string(name(test.param)); });

class DeletedFile : public JournalDatabase {
protected:
    void deleteFile()
    {
        deleted_ = std::filesystem::exists(path());
        std::filesystem::remove(path());
    }
    std::string path() const { return url_.substr(std::string("sqlite://").size()); }
    /// Files of a journal that the daemon has open, though nobody else finds them.
    std::vector<std::string> openedAndGone()
    {
        std::vector<std::string> gone;
        const auto files = fmt::format("/proc/{}/fd", daemon_->process().id());
        for (const auto& file : std::filesystem::directory_iterator(files)) {
            std::error_code closed;
            const auto name = std::filesystem::read_symlink(file, closed).string();
            if (name.find(path()) != std::string::npos && name.ends_with("(deleted)")) {
                gone.push_back(name);
            }
        }
        return gone;
    }
    std::size_t living()
    {
        journal::SqlJournal journal(journal::parseJournalUrl(url_).value(),
                                    journal::SqlJournal::Schema::Require);
        return journal.countJobsInRedis().value_or(0);
    }

    TempDir directory_;
    bool deleted_ = false;
};

TEST_F(DeletedFile, isMadeAnewWithWhatIsInRedisThoughNothingHappens)
{
    startDaemon("sqlite://" + (directory_ / "j.db").string(), "async");
    ASSERT_EQ(push("second") / 100, 2);
    ASSERT_TRUE(recorded("second"));
    const auto before = std::chrono::steady_clock::now();
    deleteFile();
    ASSERT_TRUE(deleted_);
    EXPECT_TRUE(daemon_->process().waitForLine("was deleted or exchanged"));
    EXPECT_TRUE(
        eventually([&] { return std::filesystem::exists(path()) && living() == 2; }, kSoon));
    EXPECT_LT(std::chrono::steady_clock::now() - before, 30s);
    EXPECT_TRUE(comesUp(1));
    EXPECT_TRUE(eventually([&] { return openedAndGone().empty(); }, kSoon));
    journal::SqlJournal journal(journal::parseJournalUrl(url_).value());
    EXPECT_TRUE(eventually([&] { return journal.fact("shards").value_or("") == "1"; }, kSoon));

    EXPECT_EQ(push("third") / 100, 2);
    EXPECT_TRUE(recorded("third")) << "history goes on";
    daemon_->kill9();
    daemon_->start();
    EXPECT_EQ(living(), 3U);
}

TEST_F(DeletedFile, getsNothingMoreThatIsAcknowledged)
{
    startDaemon("sqlite://" + (directory_ / "j.db").string(), "durable");
    std::vector<std::string> acknowledged;
    for (int i = 0; i < 60; ++i) {
        if (i % 20 == 10) {
            deleteFile();
            ASSERT_TRUE(deleted_);
        }
        const auto id = fmt::format("order-{}", i);
        ASSERT_TRUE(eventually([&] { return push(id) / 100 == 2; }, kSoon)) << id;
        acknowledged.push_back(id);
    }
    EXPECT_TRUE(eventually([&] { return living() == acknowledged.size() + 1; }, kSoon));
    EXPECT_TRUE(eventually([&] { return openedAndGone().empty(); }, kSoon));
    journal::SqlJournal journal(journal::parseJournalUrl(url_).value());
    EXPECT_EQ(journal.rowsOf(acknowledged).value().size(), acknowledged.size());
    // The look at the database, each second, may yet find the file that is gone.
    EXPECT_TRUE(eventually([&] { return ask("GET", "/readyz").status == 200; }, kSoon));
}

}  // namespace
}  // namespace restante::test
