// What docs/security.md promises of a running daemon and of the set-up that doctor grades.

#include "core/base/file_descriptor.h"
#include "tests/support/daemon_phones.h"
#include "tests/support/eventually.h"
#include "tests/support/http_client.h"
#include "tests/support/redis_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace restante::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

unsigned modeOf(const std::filesystem::path& path)
{
    return static_cast<unsigned>(std::filesystem::status(path).permissions());
}

TEST(Security, keepsMessagesForKnownUsersOnly)
{
    const TempDir directory;
    std::ofstream(directory / "users") << "# ours\ncarol\n";
    const Daemon daemon({{"sip.users=bob," + (directory / "users").string()}});
    auto alice = phoneOf(daemon, "alice");
    EXPECT_EQ(alice.say(Daemon::aor("bob"), "hi"), 202);
    EXPECT_EQ(alice.say(Daemon::aor("carol"), "hi"), 202);
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(alice.say(Daemon::aor("invented" + std::to_string(i)), "hi"), 404);
    }
    EXPECT_EQ(daemon.jobsInAll(), 2U);
}

TEST(Security, knowsANewUserAfterASignalAndKeepsTheOldOnesWhenTheFileIsWrong)
{
    const TempDir directory;
    const auto users = directory / "users";
    std::ofstream(users) << "carol\n";
    Daemon daemon({{"sip.users=" + users.string()}});
    auto alice = phoneOf(daemon, "alice");
    EXPECT_EQ(alice.say(Daemon::aor("bob"), "hi"), 404);
    std::ofstream(users) << "bob\n";
    daemon.process().signal(SIGHUP);
    ASSERT_TRUE(daemon.process().waitForLine("reloaded"));
    EXPECT_EQ(alice.say(Daemon::aor("bob"), "hi"), 202);
    EXPECT_EQ(alice.say(Daemon::aor("carol"), "hi"), 404) << "she is there no longer";

    std::ofstream(users) << "a name with spaces\n";
    daemon.process().signal(SIGHUP);
    ASSERT_TRUE(daemon.process().waitForLine("not reloaded"));
    EXPECT_EQ(alice.say(Daemon::aor("bob"), "hi again"), 202);
}

TEST(Security, closesWhatTheDaemonKeepsToOthers)
{
    const Daemon daemon;
    const auto state = daemon.directory() / "state";
    EXPECT_EQ(modeOf(state), 0700U);
    EXPECT_EQ(modeOf(state / "journal.db"), 0600U);
    EXPECT_EQ(modeOf(state / "redis"), 0700U);
}

TEST(Security, boundsTheEmbeddedRedis)
{
    const Daemon daemon({{"redis.max_memory=100000000"}});
    const auto told =
        run({{"redis-cli", "-s", daemon.redisSocket(), "config", "get", "maxmemory"}, {}, {}});
    EXPECT_THAT(told.output, HasSubstr("100000000"));
    const Daemon automatic;
    const auto half =
        run({{"redis-cli", "-s", automatic.redisSocket(), "config", "get", "maxmemory"}, {}, {}});
    EXPECT_EQ(half.output.find("\n0\n"), std::string::npos) << half.output;
}

TEST(Security, keepsMemoryForOthersWhenInventedRecipientsGetLargeMessages)
{
    constexpr std::size_t kMemory = 64'000'000;
    const Daemon daemon({{"redis.max_memory=" + std::to_string(kMemory), "journal.mode=off"}});
    auto mallory = phoneOf(daemon, "mallory", SipTransport::Tcp);
    const std::string large(60'000, 'x');
    std::size_t stored = 0;
    int status = 202;
    while (stored < kMemory / large.size()) {
        status = mallory.say(Daemon::aor("invented" + std::to_string(stored)), large);
        if (status != 202) {
            break;
        }
        ++stored;
    }
    EXPECT_EQ(status, 503);
    EXPECT_GT(stored, kMemory / 2 / large.size() * 9 / 10);
    EXPECT_LE(stored, kMemory / 2 / large.size());
    const auto pushed = HttpClient(daemon.httpPort()).ask("POST", "/v1/jobs", R"({"topic":"a"})");
    EXPECT_EQ(pushed.status, 201) << pushed.body;
    // What leaves makes room: it is delivered, and the next one is taken.
    auto reached = registeredPhone(daemon, "invented0", SipTransport::Tcp);
    ASSERT_TRUE(reached.receive(1));
    EXPECT_TRUE(
        eventually([&] { return mallory.say(Daemon::aor("bob"), large) == 202; }, kProcessTimeout));
}

TEST(Security, hasNoRouteForReportsWithoutAGateway)
{
    const Daemon daemon;
    const auto report = "/v1/sms/reports?id=a&attempt=1&token=x&status=1";
    EXPECT_EQ(HttpClient(daemon.httpPort()).ask("GET", report).status, 404);
    EXPECT_EQ(HttpClient(daemon.httpPort()).ask("POST", report).status, 404);
}

/// A service manager's end of the socket.
class Manager {
public:
    explicit Manager(const std::string& path)
        : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0))
    {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        EXPECT_EQ(
            ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
        ::setenv("WATCHDOG_USEC", "400000", 1);
    }
    Manager(const Manager&) = delete;
    Manager& operator=(const Manager&) = delete;
    ~Manager()
    {
        ::unsetenv("NOTIFY_SOCKET");
        ::unsetenv("WATCHDOG_USEC");
    }
    /// Whether that comes; what comes before it is dropped.
    bool hears(const std::string& words) const
    {
        return eventually([&] {
            std::array<char, 4'096> text{};
            const auto size = ::recv(socket_.get(), text.data(), text.size(), 0);
            return size > 0 &&
                   std::string_view(text.data(), static_cast<std::size_t>(size)).find(words) !=
                       std::string_view::npos;
        });
    }

private:
    FileDescriptor socket_;
};

TEST(Security, tellsTheServiceManagerHowItStands)
{
    const TempDir directory;
    const Manager manager(directory / "notify");
    Daemon daemon;
    EXPECT_TRUE(manager.hears("READY=1\nSTATUS=ready sip="));
    EXPECT_TRUE(manager.hears("WATCHDOG=1"));
    EXPECT_TRUE(manager.hears("WATCHDOG=1"));
    EXPECT_EQ(daemon.stop(), 0);
    EXPECT_TRUE(manager.hears("STOPPING=1"));
}

class SecurityGrade : public testing::Test {
protected:
    /// What `doctor --security --json` says with these keys.
    json graded(const std::vector<std::string>& set)
    {
        Process::Command command{{builtProgram("restantectl"), "doctor", "--security", "--json",
                                  "--set", "state_dir=" + (directory_ / "state").string()},
                                 {},
                                 {}};
        for (const auto& word : set) {
            command.words.insert(command.words.end(), {"--set", word});
        }
        return json::parse(run(command).output, nullptr, false);
    }
    std::string file(const std::string& name, const std::string& text, unsigned mode)
    {
        std::ofstream(directory_ / name) << text;
        std::filesystem::permissions(directory_ / name, std::filesystem::perms{mode});
        return directory_ / name;
    }
    std::vector<std::string> sound()
    {
        return {"http.token_file=" + file("tokens", "a admin 0123456789abcdef\n", 0600),
                "webhook.secret_file=" + file("secrets", "a secret\n", 0600),
                "sip.limits.per_sender=100"};
    }

    TempDir directory_;
};

TEST_F(SecurityGrade, isTheBestWithoutAGap)
{
    const auto report = graded(sound());
    EXPECT_EQ(report["grade"], "A") << report.dump(1);
}

TEST_F(SecurityGrade, namesEachGap)
{
    auto set = sound();
    set.insert(set.end(), {"sip.listen=udp:0.0.0.0:5060", "sip.trusted=10.0.0.0/8",
                           "sip.mailbox.max_bytes=0", "redis.url=redis://u:secret@192.0.2.1"});
    const auto report = graded(set);
    EXPECT_EQ(report["grade"], "C") << report.dump(1);
    for (const auto* about : {"sip.trusted", "sip.users", "sip.mailbox.max_bytes", "redis.url"}) {
        EXPECT_THAT(report["findings"].dump(),
                    HasSubstr("\"about\":\"" + std::string(about) + "\",\"advice\""));
    }
    EXPECT_EQ(report.dump().find("u:secret"), std::string::npos);
}

TEST_F(SecurityGrade, isTheWorstWhereWhoRegistersReachesEverythingOrThisMachine)
{
    for (const auto* hole : {"sip.contacts.allow=0.0.0.0/0", "sip.contacts.allow=::/0",
                             "sip.contacts.allow=10.0.0.0/8,127.0.0.0/8", "sip.contacts.allow=::1",
                             "sip.contacts.allow=localhost", "sip.contacts.allow=0.0.0.0/1",
                             "sip.contacts.allow=[::1]", "sip.contacts.allow=127.0.0.2",
                             "sip.contacts.allow=LocalHost.", "sip.edges=0.0.0.0/0",
                             "sip.edges=192.0.2.1,::/0", "sip.edges=0.0.0.0/1,128.0.0.0/1"}) {
        auto set = sound();
        set.emplace_back(hole);
        const auto report = graded(set);
        EXPECT_EQ(report["grade"], "D") << hole << report.dump(1);
    }
    auto set = sound();
    set.insert(set.end(), {"sip.contacts.allow=10.0.0.0/8,phones.example.org",
                           "sip.edges=192.0.2.0/24,2001:db8::/32"});
    EXPECT_EQ(graded(set)["grade"], "A") << graded(set).dump(1);
}

TEST_F(SecurityGrade, namesPasswordsThatMayBeGuessedAndTokensThatMayPoseAsAnybody)
{
    auto set = sound();
    set.emplace_back("sip.auth.failures=0");
    const auto guessed = graded(set);
    EXPECT_EQ(guessed["grade"], "B");
    EXPECT_THAT(guessed["findings"].dump(), HasSubstr("\"about\":\"sip.auth.failures\""));

    const std::string shop = "shop push 0123456789abcdefg";
    set.back() = "http.token_file=" + file("pushers", shop + "\n", 0600);
    const auto anybody = graded(set);
    EXPECT_EQ(anybody["grade"], "B");
    EXPECT_THAT(anybody["findings"].dump(), HasSubstr("shop may send SIP messages in anybody's"));
    set.emplace_back("sip.listen=");
    EXPECT_EQ(graded(set)["grade"], "A") << "nobody sends SIP";
    set.pop_back();
    file("pushers", shop + " senders=sip:shop@example.org\n", 0600);
    EXPECT_EQ(graded(set)["grade"], "A") << graded(set).dump(1);
}

TEST_F(SecurityGrade, seesPasswordsOfRedisWhereverTheUrlHasThem)
{
    auto set = sound();
    set.emplace_back();
    for (const auto* url : {"unix:///run/r.sock?user=u&password=hunter-2",
                            "redis://:hunter/2@127.0.0.1", "redis://u:hunter-2@127.0.0.1"}) {
        set.back() = "redis.url=" + std::string(url);
        const auto findings = graded(set)["findings"].dump();
        EXPECT_THAT(findings, AllOf(HasSubstr("the configuration holds a password"),
                                    HasSubstr("move it to redis.password_file")))
            << url;
        EXPECT_EQ(findings.find("hunter"), std::string::npos) << url;
    }
    set.back() = "redis.url=rediss+sentinel://127.0.0.1/m?sentinel_password=hunter-2";
    EXPECT_THAT(graded(set)["findings"].dump(), HasSubstr("the password of the sentinels"));
}

TEST_F(SecurityGrade, looksAfterTheKeyThatRedisIsShown)
{
    auto set = sound();
    const auto url = "redis.url=rediss://192.0.2.1?cert=/c.pem&key=";
    set.push_back(url + file("open.key", "x\n", 0644));
    EXPECT_THAT(graded(set)["findings"].dump(),
                AllOf(HasSubstr("\"about\":\"redis.url key\""), HasSubstr("chmod 600")));
    set.back() = url + file("own.key", "x\n", 0600);
    EXPECT_THAT(graded(set)["findings"].dump(),
                HasSubstr("nobody else may read " + (directory_ / "own.key").string()));
}

TEST_F(SecurityGrade, isTheWorstOfWhatIsOpenToStrangers)
{
    auto set = sound();
    set.emplace_back("sip.trusted=0.0.0.0/0");
    EXPECT_EQ(graded(set)["grade"], "D");
    set.back() = "sip.trusted=::ffff:10.0.0.0/8";
    EXPECT_EQ(graded(set)["grade"], "D") << "it is ::/8, with all of IPv4";
    set.back() = "sip.trusted=tcp:0.0.0.0/1,128.0.0.0/1";
    EXPECT_EQ(graded(set)["grade"], "D") << "they are all of IPv4 together";
    set.back() = "sms.password_file=" + file("password", "x\n", 0644);
    const auto report = graded(set);
    EXPECT_EQ(report["grade"], "D") << report.dump(1);
}

}  // namespace
}  // namespace restante::test
