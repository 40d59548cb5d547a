#include "core/base/file_descriptor.h"
#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/free_port.h"
#include "tests/support/kannel.h"
#include "tests/support/redis_server.h"
#include "tests/support/test_authority.h"
#include "tests/support/tls_redis.h"

#include <gmock/gmock.h>

#include <arpa/inet.h>
#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace restante::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// What doctor said: its findings as "error redis: what -> advice", and its exit status.
struct Report {
    int status = -1;
    bool ok = false;
    std::vector<std::string> findings;
    std::vector<std::string> errors() const
    {
        std::vector<std::string> found;
        std::copy_if(findings.begin(), findings.end(), std::back_inserter(found),
                     [](const auto& one) { return one.starts_with("error "); });
        return found;
    }
};

Report reportOf(const Finished& finished)
{
    Report report;
    report.status = finished.status;
    const auto told = json::parse(finished.output, nullptr, false);
    EXPECT_TRUE(told.is_object()) << finished.output << finished.errors;
    report.ok = told.value("ok", false);
    for (const auto& finding : told.value("findings", json::array())) {
        const auto text = [&](const char* field) { return finding[field].get<std::string>(); };
        report.findings.push_back(text("grade") + " " + text("about") + ": " + text("what") +
                                  " -> " + text("advice"));
        EXPECT_EQ(text("advice").empty(), text("grade") == "ok") << report.findings.back();
    }
    return report;
}

Report doctor(std::vector<std::string> words)
{
    words.insert(words.begin(), builtProgram("restantectl").string());
    words.insert(words.end(), {"doctor", "--json"});
    return reportOf(run({std::move(words), {}, {}}));
}

Report doctorOf(const RedisServer& redis)
{
    return doctor({"--redis", "unix://" + redis.socketPath()});
}

FileDescriptor boundTo(std::uint16_t port, in_addr_t host = INADDR_LOOPBACK)
{
    FileDescriptor fd{socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(host);
    EXPECT_EQ(bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    return fd;
}

/// A configuration without a daemon, whose ports are free.
class Doctor : public ::testing::Test {
protected:
    Report examine(std::vector<std::string> settings)
    {
        std::vector<std::string> words;
        const auto set = [&words](const std::string& setting) {
            words.insert(words.end(), {"--set", setting});
        };
        set("state_dir=" + state_);
        set(fmt::format("sip.listen=127.0.0.1:{}", freePort()));
        set("http.listen=127.0.0.1:0");
        for (const auto& setting : settings) {
            set(setting);
        }
        return doctor(std::move(words));
    }
    std::string file(const std::string& name, const std::string& content, mode_t mode)
    {
        const auto path = (directory_ / name).string();
        std::ofstream(path) << content << '\n';
        EXPECT_EQ(chmod(path.c_str(), mode), 0);
        return path;
    }

    TempDir directory_;
    std::string state_ = directory_ / "state";
};

TEST(DoctorOfADaemon, findsNothingWrongWithWhatWorks)
{
    Daemon daemon;
    Report report;
    // The journal begins a moment after the daemon.
    EXPECT_TRUE(eventually(
        [&] {
            report = reportOf(daemon.control({"doctor", "--json"}));
            return report.errors().empty();
        },
        kProcessTimeout))
        << json(report.findings).dump(1);
    EXPECT_EQ(report.status, 0);
    EXPECT_TRUE(report.ok);
    EXPECT_THAT(
        report.findings,
        AllOf(Contains(HasSubstr(fmt::format("ok daemon: process {}", daemon.process().id()))),
              Contains(HasSubstr("is held by restanted (process ")),
              Contains(HasSubstr("ok readyz: ")), Contains(HasSubstr("ok disk: ")),
              Contains(HasSubstr("ok time zones: ")), Contains(HasSubstr("ok clock: ")),
              Contains(HasSubstr("ok redis: appendfsync is always")),
              Contains(HasSubstr("journal.db, tables of version "))));
    EXPECT_THAT(daemon.control({"doctor"}).output, HasSubstr("\nno errors, "));
}

TEST(DoctorOfADaemon, doesNotTakeAProgramForItThatHasThePortOfAnotherAddress)
{
    Daemon daemon;
    const auto elsewhere = boundTo(daemon.udp().port, INADDR_LOOPBACK + 1);
    const auto report = reportOf(daemon.control({"doctor", "--json"}));
    EXPECT_THAT(report.findings, Contains(AllOf(HasSubstr("ok sip.listen: udp:127.0.0.1:"),
                                                HasSubstr("is held by restanted (process "))));
    EXPECT_THAT(report.errors(), Not(Contains(HasSubstr("sip.listen"))));
}

TEST(DoctorOfADaemon, seesThatItHangs)
{
    Daemon daemon;
    daemon.process().signal(SIGSTOP);
    const auto report = reportOf(daemon.control({"doctor", "--json"}));
    daemon.process().signal(SIGCONT);
    EXPECT_EQ(report.status, 1);
    EXPECT_THAT(report.errors(), Contains(HasSubstr("error readyz: ")));
}

TEST(DoctorOfADaemon, seesThatItDied)
{
    Daemon daemon;
    daemon.kill9();
    const auto report = reportOf(daemon.control({"doctor", "--json"}));
    EXPECT_EQ(report.status, 1);
    EXPECT_THAT(report.errors(), Contains(HasSubstr("error daemon: no restanted runs")));
    EXPECT_THAT(report.findings,
                Contains(AllOf(HasSubstr("ok redis: "), HasSubstr("evicts nothing"))))
        << "the embedded one lives on";
}

TEST_F(Doctor, namesEachMistakeInTheConfiguration)
{
    const auto path = file("bad.toml", "[sip]\nlisten = [\"x\"]\n[redis]\nshard = 2", 0644);
    const auto report = doctor({"--config", path});
    EXPECT_EQ(report.status, 1);
    EXPECT_THAT(report.errors(), AllOf(Contains(HasSubstr("bad.toml:2: sip.listen")),
                                       Contains(HasSubstr("did you mean redis.shards"))));
}

TEST_F(Doctor, changesNothing)
{
    const auto report = examine({});
    EXPECT_EQ(report.status, 1);
    EXPECT_THAT(report.errors(), ElementsAre(HasSubstr("error daemon: no restanted")));
    EXPECT_THAT(report.findings, AllOf(Contains(HasSubstr("restanted makes it when it starts")),
                                       Contains(HasSubstr("is free for restanted"))));
    EXPECT_FALSE(std::filesystem::exists(state_));

    const auto& redis = sharedRedis();
    doctorOf(redis);
    EXPECT_EQ(*redis.send({"DBSIZE"}).integer(), 0);
}

TEST_F(Doctor, refusesARedisThatEvicts)
{
    const RedisServer redis({.appendOnly = RedisServer::AppendOnly::Yes,
                             .tcp = false,
                             .extra = {"--maxmemory-policy", "allkeys-lru"},
                             .password = {}});
    const auto report = doctorOf(redis);
    EXPECT_EQ(report.status, 1);
    EXPECT_THAT(report.errors(),
                Contains(AllOf(HasSubstr("allkeys-lru"), HasSubstr("noeviction"))));
}

TEST_F(Doctor, warnsOfARedisThatForgets)
{
    const RedisServer forgetful;
    const auto report = doctorOf(forgetful);
    EXPECT_EQ(report.status, 0);
    EXPECT_THAT(report.findings,
                Contains(AllOf(HasSubstr("warning redis: "), HasSubstr("no append-only file"))));
    const RedisServer refused({.appendOnly = RedisServer::AppendOnly::No,
                               .tcp = false,
                               .extra = {"--maxmemory-policy", "allkeys-lru"},
                               .password = {}});
    EXPECT_THAT(doctorOf(refused).findings,
                Contains(AllOf(HasSubstr("warning redis: "), HasSubstr("no append-only file"))));
    const RedisServer lazy({.appendOnly = RedisServer::AppendOnly::Yes,
                            .tcp = false,
                            .extra = {"--appendfsync", "no"},
                            .password = {}});
    EXPECT_THAT(doctorOf(lazy).findings, Contains(HasSubstr("warning redis: appendfsync is no")));
}

TEST_F(Doctor, seesThatRedisIsFull)
{
    const RedisServer redis({.appendOnly = RedisServer::AppendOnly::Yes,
                             .tcp = false,
                             .extra = {"--maxmemory", "500kb"},
                             .password = {}});
    EXPECT_THAT(doctorOf(redis).errors(),
                Contains(AllOf(HasSubstr("error memory: "), HasSubstr("% of maxmemory"))));
}

TEST_F(Doctor, seesAReplica)
{
    const RedisServer replica({.appendOnly = RedisServer::AppendOnly::Yes,
                               .tcp = false,
                               .extra = {"--replicaof", "127.0.0.1 1"},
                               .password = {}});
    EXPECT_THAT(doctorOf(replica).errors(), Contains(HasSubstr("this is a replica")));
}

TEST_F(Doctor, tellsEachStepToRedis)
{
    TlsRedis redis;
    const auto report = doctor({"--redis", redis.url().toString()});
    EXPECT_EQ(report.status, 0);
    EXPECT_THAT(report.findings,
                AllOf(Contains(HasSubstr("ok redis: host name: 127.0.0.1")),
                      Contains(HasSubstr(fmt::format("connection: 127.0.0.1:{}", redis.port()))),
                      Contains(AllOf(HasSubstr("ok redis: TLS: TLSv1."),
                                     HasSubstr(", Test Authority, 20"))),
                      Contains(HasSubstr("ok redis: server: ")),
                      Contains(HasSubstr("ok redis: store: no daemon has used")),
                      Contains(HasSubstr("ok redis: permissions"))));
}

TEST_F(Doctor, seesARedisThatIsNotThere)
{
    const auto port = freePort();
    const auto report = examine({fmt::format("redis.url=redis://127.0.0.1:{}", port)});
    EXPECT_THAT(
        report.errors(),
        Contains(AllOf(HasSubstr(fmt::format(
                           "error redis: connection: nobody listens at 127.0.0.1:{} -> ", port)),
                       HasSubstr("start Redis there"))));
    const auto socket = doctor({"--redis", "unix://" + state_ + "/none.sock"});
    EXPECT_THAT(socket.errors(), Contains(HasSubstr("there is no socket " + state_)));
}

TEST_F(Doctor, seesAWrongPassword)
{
    const RedisServer redis(
        {.tcp = true, .extra = {"--requirepass", "secret"}, .password = "secret"});
    const auto ask = [&](const std::string& login) {
        return doctor({"--redis", fmt::format("redis://{}{}", login, redis.tcpUrl().location())});
    };
    EXPECT_THAT(ask(":wrong@").errors(),
                ElementsAre(AllOf(HasSubstr("log-in: Redis refused the password of the default"),
                                  HasSubstr("-> correct user or password"))));
    EXPECT_THAT(ask("").errors(), ElementsAre(HasSubstr("Redis wants a password -> name it in")));
    EXPECT_EQ(ask(":secret@").status, 0);
}

TEST_F(Doctor, seesWhyTlsCameToNothing)
{
    TlsRedis redis;
    auto url = redis.url();
    url.tls->ca = TestAuthority(redis.directory(), "Other Authority").file();
    EXPECT_THAT(doctor({"--redis", url.toString()}).errors(),
                ElementsAre(AllOf(HasSubstr("issued by \"Test Authority\", whom we do not know"),
                                  HasSubstr("-> name the certificate of that authority"))));
    url.tls.reset();
    EXPECT_THAT(doctor({"--redis", url.toString()}).errors(),
                ElementsAre(AllOf(HasSubstr("hangs up without a word"),
                                  HasSubstr("-> if it wants TLS, write rediss://"))));
}

TEST_F(Doctor, seesWhatTheUserMayNotDo)
{
    const RedisServer redis({.tcp = true, .extra = {}, .password = {}});
    redis.send({"ACL", "SETUSER", "reader", "on", ">secret", "~*", "&*", "+@all", "-@write"});
    const auto report =
        doctor({"--redis", fmt::format("redis://reader:secret@{}", redis.tcpUrl().location())});
    EXPECT_EQ(report.status, 1);
    EXPECT_THAT(report.errors(),
                Contains(AllOf(HasSubstr("permissions: user reader may not do this in Redis"),
                               HasSubstr("-> give the permission with ACL SETUSER"))));
}

TEST_F(Doctor, comparesTheShardsWithThoseOfTheStore)
{
    const auto& redis = sharedRedis();
    redis.send({"HSET", "rst:meta", "schema", "1", "shards", "4"});
    EXPECT_THAT(doctorOf(redis).errors(), Contains(HasSubstr("redis.shards = 4")));
}

TEST_F(Doctor, seesLeasesThatNobodyEnds)
{
    const auto& redis = sharedRedis();
    redis.send({"ZADD", "rst:{s0}:lease", "1000", "forgotten"});
    EXPECT_THAT(doctorOf(redis).errors(), Contains(HasSubstr("error leases: 1 ")));
}

TEST_F(Doctor, claimsNothingOfLeasesThatItMayNotRead)
{
    const RedisServer redis({.tcp = true, .extra = {}, .password = {}});
    redis.send({"ACL", "SETUSER", "reader", "on", ">secret", "~*", "&*", "+@all", "-zcount"});
    const auto report =
        doctor({"--redis", fmt::format("redis://reader:secret@{}", redis.tcpUrl().location())});
    EXPECT_THAT(report.errors(), Contains(HasSubstr("error leases: ")));
    EXPECT_THAT(report.findings, Not(Contains(HasSubstr("none is overdue"))));
}

TEST_F(Doctor, tellsWhoPausedATopic)
{
    const auto& redis = sharedRedis();
    ASSERT_EQ(run({{builtProgram("restantectl").string(), "--redis", "unix://" + redis.socketPath(),
                    "pause", "order", "--reason", "down"},
                   {},
                   {}})
                  .status,
              0);
    const auto report = doctorOf(redis);
    EXPECT_EQ(report.status, 0);
    EXPECT_THAT(report.findings,
                Contains(AllOf(HasSubstr("warning topic order: paused by "), HasSubstr(": down"),
                               HasSubstr(" -> restantectl resume 'order'"))));
}

TEST_F(Doctor, namesWhoHasThePort)
{
    const auto port = freePort();
    const auto taken = boundTo(port);
    const auto report = examine({fmt::format("sip.listen=udp:127.0.0.1:{}", port)});
    EXPECT_THAT(report.errors(), Contains(AllOf(HasSubstr("error sip.listen: udp:127.0.0.1:"),
                                                HasSubstr(fmt::format("(process {})", getpid())))));
}

TEST_F(Doctor, seesAnAddressThatTheMachineDoesNotHave)
{
    EXPECT_THAT(examine({"sip.listen=192.0.2.1:5060"}).errors(),
                Contains(HasSubstr("192.0.2.1:5060: Cannot assign requested address")));
}

TEST_F(Doctor, readsTheTokensAsTheDaemonDoes)
{
    const auto open = file("open", "app push,pop 0123456789abcdef", 0644);
    EXPECT_THAT(examine({"http.token_file=" + open}).errors(),
                Contains(AllOf(HasSubstr("error http.token_file: "), HasSubstr("chmod 600"))));
    const auto wrong = file("wrong", "app fly 0123456789abcdef", 0600);
    EXPECT_THAT(examine({"http.token_file=" + wrong}).errors(),
                Contains(HasSubstr("the scopes are push, pop and admin")));
    const auto right = file("right", "app push,pop 0123456789abcdef", 0600);
    EXPECT_THAT(examine({"http.token_file=" + right}).findings,
                Contains(HasSubstr("ok http.token_file: ")));
}

/// The unit's user owns its state directory, and perhaps its secrets; doctor is often run by root.
TEST_F(Doctor, doesNotAccuseAFileOfBeingTheDaemonsOwn)
{
    const auto tokens = file("tokens", "app push,pop 0123456789abcdef", 0600);
    std::filesystem::create_directory(state_);
    if (chown(tokens.c_str(), 65534, 65534) != 0) {
        EXPECT_NE(geteuid(), 0U) << "only root can give a file away";
        return;
    }
    const auto about = HasSubstr(" http.token_file: ");
    EXPECT_THAT(examine({"http.token_file=" + tokens}).errors(),
                Contains(AllOf(about, HasSubstr("belongs to user 65534"))))
        << "another user's";
    ASSERT_EQ(chown(state_.c_str(), 65534, 65534), 0);
    const auto report = examine({"http.token_file=" + tokens});
    EXPECT_THAT(report.errors(), Not(Contains(about)));
    EXPECT_THAT(report.findings,
                Contains(HasSubstr("warning http.token_file: " + tokens + " belongs to the user")));
}

TEST_F(Doctor, doesNotAccuseAGatewayOfAPasswordThatTheDaemonAloneReads)
{
    const auto password = file("password", "secret", 0600);
    std::filesystem::create_directory(state_);
    if (geteuid() == 0) {
        ASSERT_EQ(chown(password.c_str(), 65534, 65534), 0);
        ASSERT_EQ(chown(state_.c_str(), 65534, 65534), 0);
    } else {
        ASSERT_EQ(chmod(password.c_str(), 0), 0);
    }
    const auto report =
        examine({"sms.gateway=kannel", "sms.user=us", "sms.password_file=" + password,
                 fmt::format("sms.url=http://127.0.0.1:{}/cgi-bin/sendsms", freePort())});
    EXPECT_THAT(report.errors(), Not(Contains(HasSubstr("sms."))));
    EXPECT_THAT(report.findings, Contains(AllOf(HasSubstr("warning sms.gateway: it was not asked"),
                                                HasSubstr(password))));
}

TEST_F(Doctor, readsTheCertificatesOfHttpAndOfSip)
{
    const TestAuthority authority(directory_.path(), "Test Authority");
    const auto issued = [&](const char* name, std::chrono::hours until) {
        return authority.issue(name,
                               {"localhost", {"DNS:localhost"}, std::chrono::hours{-48}, until});
    };
    const auto expired = issued("expired", std::chrono::hours{-24});
    const auto ending = issued("ending", std::chrono::hours{24 * 7});
    const auto valid = issued("valid", std::chrono::hours{24 * 365});
    for (const std::string section : {"http.tls", "sip.tls"}) {
        const auto examined = [&](const auto& certificate, const auto& key) {
            return examine({section + ".certificate=" + certificate.string(),
                            section + ".key=" + key.string()})
                .findings;
        };
        const auto about = section + ".certificate: ";
        EXPECT_THAT(examined(expired.certificate, expired.key),
                    Contains(AllOf(HasSubstr("error " + about), HasSubstr("has expired"))));
        EXPECT_THAT(examined(ending.certificate, ending.key),
                    Contains(AllOf(HasSubstr("warning " + about), HasSubstr("expires in 16"))));
        EXPECT_THAT(examined(valid.certificate, ending.key),
                    Contains(AllOf(HasSubstr("error " + about), HasSubstr("is not the key of"))));
        EXPECT_THAT(examined(valid.certificate, valid.key),
                    Contains(AllOf(HasSubstr("ok " + about), HasSubstr("belongs to its key"))));
    }
}

TEST_F(Doctor, looksAfterOtherSecrets)
{
    const auto open = file("secret", "0123456789abcdef", 0644);
    EXPECT_THAT(examine({"webhook.secret_file=" + open}).findings,
                Contains(HasSubstr("warning webhook.secret_file: everybody may read")));
    EXPECT_THAT(examine({"webhook.secret_file=" + state_ + "/none"}).errors(),
                Contains(HasSubstr("error webhook.secret_file: ")));
}

TEST_F(Doctor, warnsWhenWebhooksReachTooMuch)
{
    const auto report = examine({"webhook.allow=0.0.0.0/0,169.254.0.0/16,127.0.0.0/8,10.1.0.0/16"});
    EXPECT_THAT(
        report.findings,
        AllOf(Contains(HasSubstr("with 0.0.0.0/0 whoever may push can reach every address")),
              Contains(HasSubstr("where clouds keep credentials")),
              Contains(HasSubstr("restanted's own HTTP interface"))));
    EXPECT_THAT(report.findings, testing::Not(Contains(HasSubstr("10.1.0.0"))));
}

TEST_F(Doctor, warnsOfWhomADatagramMayPretendToBe)
{
    const auto open = examine(
        {"sip.listen=0.0.0.0:0", "sip.trusted=127.0.0.1,10.0.0.0/8,tcp:192.0.2.10,udp:192.0.2.11"});
    EXPECT_THAT(open.findings, AllOf(Contains(HasSubstr("10.0.0.0/8 is believed over UDP")),
                                     Contains(HasSubstr("udp:192.0.2.11 is believed over UDP")),
                                     testing::Not(Contains(HasSubstr("192.0.2.10 is believed"))),
                                     testing::Not(Contains(HasSubstr("127.0.0.1 is believed")))));
    const auto closed = examine({"sip.listen=127.0.0.1:0", "sip.trusted=10.0.0.0/8"});
    EXPECT_THAT(closed.findings, testing::Not(Contains(HasSubstr("believed over UDP"))));
}

TEST_F(Doctor, warnsOfATimeZoneThatHasNoName)
{
    const auto examined = [&](const std::string& variable, const std::string& zone) {
        return reportOf(run({{builtProgram("restantectl").string(), "doctor", "--json", "--set",
                              "state_dir=" + state_, "--set", "reminder.time_zone=" + zone},
                             {{"TZ", variable}},
                             {}}))
            .findings;
    };
    EXPECT_THAT(examined("CET-1CEST", ""),
                Contains(AllOf(HasSubstr("warning time zones: TZ says a zone"),
                               HasSubstr("reminder.time_zone"))));
    EXPECT_THAT(examined("CET-1CEST", "Asia/Tokyo"),
                Contains(HasSubstr("ok time zones: the data are there; reminders without a zone "
                                   "go by Asia/Tokyo")));
    EXPECT_THAT(examined("", ""),
                Contains(HasSubstr("ok time zones: the data are there; reminders without a zone "
                                   "go by UTC")));
}

TEST_F(Doctor, warnsOfTrustInEverybody)
{
    const auto open =
        examine({"sip.listen=0.0.0.0:0", "sip.trusted=127.0.0.1,::/0", "sip.edges=0.0.0.0/0"});
    EXPECT_THAT(open.findings,
                AllOf(Contains(HasSubstr("warning sip.trusted: ::/0 trusts everybody")),
                      Contains(HasSubstr("warning sip.edges: 0.0.0.0/0 believes")),
                      Not(Contains(HasSubstr("believed over UDP"))),
                      Not(Contains(HasSubstr("nobody beyond this machine")))));
    const auto closed = examine({"sip.listen=127.0.0.1:0", "sip.trusted=::/0"});
    EXPECT_THAT(closed.findings, Not(Contains(HasSubstr("trusts everybody"))));
}

TEST_F(Doctor, seesAStateDirectoryThatIsOpen)
{
    std::filesystem::create_directory(state_);
    ASSERT_EQ(chmod(state_.c_str(), 0777), 0);
    EXPECT_THAT(examine({}).errors(),
                Contains(AllOf(HasSubstr("error state_dir: "), HasSubstr("chmod 700"))));
}

TEST_F(Doctor, asksKannelWithoutSendingAnything)
{
    Kannel kannel;
    const auto ask = [&](const std::string& password) {
        return examine({"sms.gateway=kannel", "sms.url=" + kannel.sendUrl(),
                        std::string("sms.user=") + Kannel::kUser,
                        "sms.password_file=" + file("password", password, 0600)});
    };
    EXPECT_THAT(ask(Kannel::kPassword).findings, Contains(HasSubstr("ok sms.gateway: Kannel at ")));
    EXPECT_THAT(ask("wrong").errors(), Contains(HasSubstr("answers 403")));
    EXPECT_THAT(kannel.arrived(1, Millis{0}), IsEmpty());
    kannel.stop();
    EXPECT_THAT(ask(Kannel::kPassword).errors(), Contains(HasSubstr("error sms.gateway: ")));
}

TEST_F(Doctor, seesAnotherGatewayThatIsAway)
{
    EXPECT_THAT(examine({"sms.gateway=template", "sms.body={text}",
                         fmt::format("sms.url=http://127.0.0.1:{}/send?to={{to}}", freePort())})
                    .errors(),
                Contains(HasSubstr("error sms.gateway: nobody answers at 127.0.0.1:")));
}

TEST_F(Doctor, opensTheJournal)
{
    EXPECT_THAT(examine({}).findings, Contains(HasSubstr("no tables yet")));
    std::filesystem::create_directory(state_);
    std::ofstream(state_ + "/journal.db") << std::string(4'096, 'x');
    EXPECT_THAT(examine({}).errors(), Contains(HasSubstr("error journal: sqlite:")));
    EXPECT_THAT(
        examine({fmt::format("journal.url=postgresql://127.0.0.1:{}/x", freePort())}).errors(),
        Contains(HasSubstr("error journal: postgresql:")));
    std::filesystem::remove(state_ + "/journal.db");
    ASSERT_EQ(run({{"sqlite3", state_ + "/journal.db",
                    "CREATE TABLE journal_meta (name, value);"
                    "INSERT INTO journal_meta VALUES ('schema', '99')"},
                   {},
                   {}})
                  .status,
              0);
    EXPECT_THAT(examine({}).errors(), Contains(HasSubstr("its tables have version 99")));
    EXPECT_THAT(examine({"journal.mode=off"}).findings,
                Contains(HasSubstr("warning journal: off")));
}

TEST_F(Doctor, countsDescriptors)
{
    const auto command = fmt::format("ulimit -n 300; exec '{}' --set 'state_dir={}' doctor --json",
                                     builtProgram("restantectl").string(), state_);
    EXPECT_THAT(reportOf(run({{"sh", "-c", command}, {}, {}})).findings,
                Contains(HasSubstr("warning descriptors: a process of this user may have 300")));
}

}  // namespace
}  // namespace restante::test
