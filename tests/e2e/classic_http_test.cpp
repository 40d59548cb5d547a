#include "tests/support/daemon.h"
#include "tests/support/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace restante::test {

using testing::HasSubstr;

namespace {

/// A real restanted and curl, as a client of the queues before would use it.
class ClassicHttp : public testing::Test {
protected:
    static std::string curl(const Daemon& daemon,
                            const std::string& path,
                            const std::string& body = {},
                            const std::string& header = "Accept: */*")
    {
        std::vector<std::string> words{"curl",      "--silent", "--show-error", "--max-time", "60",
                                       "--noproxy", "*",        "--header",     header};
        if (!body.empty()) {
            words.insert(words.end(), {"--data", body});
        }
        words.push_back("http://127.0.0.1:" + std::to_string(daemon.httpPort()) + path);
        const auto finished = run({std::move(words), {}, {}}, std::chrono::seconds{90});
        return finished.output + finished.errors;
    }
};

constexpr auto kDone = R"({"code":0,"message":"ok","data":null})";
constexpr auto kExample =
    R"({"topic":"order","id":"15702398321","delay":3600,"ttr":120,"body":"{\"uid\": 10829378,\"created\": 1498657365 }"})";

}  // namespace

TEST_F(ClassicHttp, runsTheExamplesOfTheQueuesBefore)
{
    Daemon daemon;
    EXPECT_EQ(curl(daemon, "/push", kExample), R"({"code":0,"message":"ok","data":"15702398321"})");
    EXPECT_EQ(daemon.jobs()["scheduled"], 1U);
    EXPECT_EQ(curl(daemon, "/delete?id=15702398321"), kDone);
    EXPECT_EQ(daemon.jobs()["trashed"], 1U);
    EXPECT_EQ(curl(daemon, "/restore/15702398321"), kDone);
    EXPECT_EQ(daemon.jobs()["scheduled"], 1U);

    EXPECT_EQ(daemon.control({"run", "15702398321"}).status, 0);
    EXPECT_EQ(
        curl(daemon, "/pop", R"({"topic":"order"})"),
        R"({"code":0,"message":"ok","data":{"id":"15702398321","body":"{\"uid\": 10829378,\"created\": 1498657365 }"}})");
    EXPECT_EQ(daemon.jobs()["leased"], 1U);
    EXPECT_EQ(curl(daemon, "/finish", R"({"id":"15702398321"})"), kDone);
    EXPECT_EQ(daemon.jobsInAll(), 0U);
}

TEST_F(ClassicHttp, holdsAPopUntilTheJobIsDue)
{
    Daemon daemon;
    curl(daemon, "/push", R"({"topic":"order","id":"1","delay":1,"ttr":120,"body":"b"})");
    EXPECT_THAT(curl(daemon, "/get/order"), HasSubstr(R"("id":"1")"));
}

TEST_F(ClassicHttp, givesAJobOutAgainWhenItsTtrIsOver)
{
    Daemon daemon;
    curl(daemon, "/push", R"({"topic":"order","id":"1","delay":0,"ttr":3,"body":"b"})");
    EXPECT_THAT(curl(daemon, "/get/order"), HasSubstr(R"("id":"1")"));
    EXPECT_THAT(curl(daemon, "/get/order"), HasSubstr(R"("id":"1")"));
    EXPECT_EQ(curl(daemon, "/finish", R"({"id":"1"})"), kDone);
}

TEST_F(ClassicHttp, acknowledgesOnlyWhatSurvivesACrash)
{
    Daemon daemon;
    curl(daemon, "/push", kExample);
    daemon.kill9();
    daemon.start();
    EXPECT_THAT(curl(daemon, "/get", R"({"id":"15702398321"})"),
                HasSubstr(R"("state":"scheduled")"));
}

TEST_F(ClassicHttp, answersWhoWaitsWhenItStops)
{
    Daemon daemon;
    HttpClient client(daemon.httpPort());
    client.send(HttpClient::request("POST", "/pop", R"({"topic":"order"})"));
    // Answered behind the pop on the same loop: by then it is parked.
    EXPECT_THAT(curl(daemon, "/get", R"({"id":"x"})"), HasSubstr("code"));
    daemon.process().signal(SIGTERM);
    const auto answer = client.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, kDone);
    EXPECT_EQ(daemon.process().waitForExit(), 0) << daemon.process().allOutput();
}

TEST_F(ClassicHttp, saysThatItsPortIsTaken)
{
    Daemon first;
    const TempDir other;
    const auto second =
        run({{builtProgram("restanted"), "--set", "state_dir=" + (other / "state").string(),
              "--set", "sip.listen=127.0.0.1:0", "--set",
              "http.listen=127.0.0.1:" + std::to_string(first.httpPort())},
             {},
             {}});
    EXPECT_EQ(second.status, 1);
    EXPECT_THAT(second.errors, HasSubstr(std::to_string(first.httpPort())));
    EXPECT_THAT(second.errors, HasSubstr("http.listen"));
}

TEST_F(ClassicHttp, readsItsTokensAgainWhenItIsTold)
{
    const TempDir directory;
    const auto file = directory / "tokens";
    std::ofstream(file) << "shop push 0123456789abcdef\n";
    std::filesystem::permissions(file, std::filesystem::perms{0600});
    Daemon daemon({{"http.token_file=" + file.string()}});
    EXPECT_THAT(curl(daemon, "/push", kExample), HasSubstr("token"));
    EXPECT_THAT(curl(daemon, "/push", kExample, "Authorization: Bearer 0123456789abcdef"),
                HasSubstr(R"("code":0)"));

    std::ofstream(file) << "shop push fedcba9876543210\n";
    daemon.process().signal(SIGHUP);
    ASSERT_TRUE(daemon.process().waitForLine("reloaded"));
    EXPECT_THAT(curl(daemon, "/push", kExample, "Authorization: Bearer fedcba9876543210"),
                HasSubstr(R"("code":0)"));
    EXPECT_THAT(curl(daemon, "/push", kExample, "Authorization: Bearer 0123456789abcdef"),
                HasSubstr("not known"));
}

TEST_F(ClassicHttp, staysSmallWhateverIsThrownAtIt)
{
    Daemon daemon;
    curl(daemon, "/push", kExample);
    const std::vector<std::string> bodies{std::string(900'000, '['),
                                          "{\"body\":\"" + std::string(900'000, 'x') + "\"}",
                                          std::string(900'000, '\0')};
    const auto throwAll = [&] {
        for (int i = 0; i < 20; ++i) {
            for (const auto& body : bodies) {
                EXPECT_EQ(HttpClient(daemon.httpPort()).ask("POST", "/push", body).status, 200);
            }
            HttpClient huge(daemon.httpPort());
            huge.send("POST /push HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000000\r\n\r\n");
            huge.send(std::string(1'000'000, 'x'));
        }
    };
    throwAll();
    const auto before = daemon.residentKilobytes();
    throwAll();
    EXPECT_LT(daemon.residentKilobytes(), before + 8'000);
    EXPECT_EQ(daemon.jobsInAll(), 1U);
}

}  // namespace restante::test
