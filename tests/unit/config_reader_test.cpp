#include "core/base/edit_distance.h"
#include "core/config/config_reader.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace restante {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using namespace std::chrono_literals;

std::vector<std::string> problemsOf(const tl::expected<Config, std::vector<ConfigError>>& reading)
{
    std::vector<std::string> lines;
    if (!reading) {
        for (const auto& problem : reading.error()) {
            lines.push_back(problem.toString());
        }
    }
    return lines;
}

std::vector<std::string> problemsIn(std::string_view toml)
{
    return problemsOf(readConfigText(toml, "r.toml"));
}

Config configOf(std::string_view toml)
{
    auto reading = readConfigText(toml, "r.toml");
    EXPECT_THAT(problemsOf(reading), ElementsAre());
    return reading.value_or(Config{});
}

TEST(ReadConfig, givesTheDefaultsForAnEmptyText)
{
    EXPECT_EQ(configOf(""), Config{});
}

TEST(ReadConfig, refusesASectionThatHasNoName)
{
    for (const auto* text : {"[)sip]\nlisten = 1\n", "[", "[.]", "[a.)]", "[[)]]", ")"}) {
        EXPECT_THAT(problemsIn(text), ElementsAre(HasSubstr("r.toml:1"))) << text;
    }
}

TEST(ReadConfig, refusesANameWithLettersBeyondAsciiAndTakesThemInTexts)
{
    for (const auto* text : {"\u0291ip\n", "\u0291ip = 1\n", "a\u0141 = 1\n", "[s\u0141p]\n"}) {
        EXPECT_THAT(problemsIn(text), ElementsAre(HasSubstr("r.toml:1"))) << text;
    }
    EXPECT_EQ(configOf("# \u0291\nstate_dir = \"\"\"\\\n /\u0291\u0141\"\"\"  # \u0141\n").stateDir,
              "/\u0291\u0141");
}

TEST(ReadConfig, readsEveryKindOfValue)
{
    const auto config = configOf(R"toml(
state_dir = "/srv/restante"
[sip]
listen = ["udp:127.0.0.1:5070", "tcp:[::1]:0"]
registrar = false
retry = "exponential(base=10s,cap=1h)"
devices = "all"
trusted = ["10.0.0.0/8"]
[sip.mailbox]
max_messages = 7
keep = "2d"
[redis]
url = "unix:///run/r.sock"
fsync = "everysec"
[http]
listen = "[::1]:9277"
[log]
level = "debug"
)toml");
    EXPECT_EQ(config.stateDir, "/srv/restante");
    ASSERT_THAT(config.sip.listen, SizeIs(2));
    EXPECT_EQ(config.sip.listen[0], (SipListen{true, false, {"127.0.0.1", 5070}}));
    EXPECT_EQ(config.sip.listen[1], (SipListen{false, true, {"::1", 0}}));
    EXPECT_FALSE(config.sip.registrar);
    EXPECT_EQ(config.sip.retry, RetrySchedule::parse("exponential(base=10s,cap=1h)").value());
    EXPECT_EQ(config.sip.devices, Config::Devices::All);
    EXPECT_THAT(config.sip.trusted, ElementsAre(Network::parse("10.0.0.0/8").value()));
    EXPECT_EQ(config.sip.mailbox.maxMessages, 7U);
    EXPECT_EQ(config.sip.mailbox.keep, 48h);
    EXPECT_EQ(config.redis.url, "unix:///run/r.sock");
    EXPECT_EQ(config.redis.fsync, Config::Fsync::EverySecond);
    EXPECT_EQ(config.http.listen, (SocketAddress{"::1", 9277}));
    EXPECT_EQ(config.log.level, log::Level::Debug);
}

TEST(ReadConfig, readsWhatAnswersMean)
{
    using Verdict = SipOutcome::Verdict;
    EXPECT_THAT(
        configOf("[sip]\noutcomes = [\"488=retry\", \"6xx=hold\"]").sip.outcomes,
        ElementsAre(SipOutcome{488, 488, Verdict::Retry}, SipOutcome{600, 699, Verdict::Hold}));
}

TEST(ReadConfig, takesAListAsOneStringToo)
{
    EXPECT_THAT(configOf("[sip]\ndomain = \"a.example, b.example\"").sip.domain,
                ElementsAre("a.example", "b.example"));
}

TEST(ReadConfig, listensOnSipsOwnPortWhenNoneIsGiven)
{
    EXPECT_THAT(configOf("[sip]\nlisten = [\"192.0.2.1\", \"udp:[::1]\", \"tls:[::1]\"]\n"
                         "[sip.tls]\ncertificate = \"/etc/restante/sip.pem\"")
                    .sip.listen,
                ElementsAre(SipListen{true, true, {"192.0.2.1", 5060}},
                            SipListen{true, false, {"::1", 5060}},
                            SipListen{false, false, {"::1", 5061}, true}));
}

TEST(ReadConfig, turnsSipOffByAnEmptyList)
{
    EXPECT_THAT(configOf("[sip]\nlisten = []").sip.listen, ElementsAre());
}

TEST(ReadConfig, takesTheWordEmbeddedForNoUrl)
{
    EXPECT_EQ(configOf("[redis]\nurl = \"embedded\"").redis.url, "");
}

struct BadValue {
    const char* toml;
    const char* where;
    const char* wrong;
    const char* allowed;
};

void PrintTo(const BadValue& value, std::ostream* out)
{
    *out << value.toml;
}

class RefusedValue : public ::testing::TestWithParam<BadValue> {};

TEST_P(RefusedValue, isNamedWithItsLineAndWhatIsAllowed)
{
    const auto& bad = GetParam();
    EXPECT_THAT(problemsIn(bad.toml), ElementsAre(AllOf(HasSubstr(bad.where), HasSubstr(bad.wrong),
                                                        HasSubstr(bad.allowed))));
}

INSTANTIATE_TEST_SUITE_P(
    OfEveryKey,
    RefusedValue,
    ::testing::Values(
        BadValue{"state_dir = \"here\"", "r.toml:1: ", "state_dir = \"here\"", "an absolute path"},
        BadValue{"[sip]\nlisten = \"nowhere\"", "r.toml:2: ", "\"nowhere\"", "127.0.0.1:5060"},
        BadValue{"[sip]\nlisten = [\"127.0.0.1:99999\"]", "r.toml:2: ", "99999", "127.0.0.1:5060"},
        BadValue{"[sip]\nlisten = [\"127.0.0.1:1\",\n  \"ws:1.2.3.4:5\"]",
                 "r.toml:3: ", "\"ws:1.2.3.4:5\"", "udp:ADDRESS:PORT"},
        BadValue{"[sip]\ndomain = [\"a b\"]", "r.toml:2: ", "\"a b\"", "host names"},
        BadValue{"[sip]\nproxy = \"192.0.2.1\"", "r.toml:2: ", "\"192.0.2.1\"", "a SIP URI"},
        BadValue{"[sip]\ntrusted = [\"10.0.0.0/33\"]", "r.toml:2: ", "10.0.0.0/33", "10.0.0.0/8"},
        BadValue{"[sip]\nregistrar = \"yes\"", "r.toml:2: ", "yes", "true or false"},
        BadValue{"[journal]\nsample_every = \"20ms\"", "r.toml:2: ", "\"20ms\"",
                 "0s, or a duration"},
        BadValue{"[sip]\nretry = \"soon\"", "r.toml:2: ", "\"soon\"", "0s,2m,10m,1h"},
        BadValue{"[sip]\ndevices = \"both\"", "r.toml:2: ", "\"both\"", "first or all"},
        BadValue{"[sip]\nheaders = [\"X Y\"]", "r.toml:2: ", "\"X Y\"", "header names"},
        BadValue{"[sip]\nheaders_dropped = [\"Subject\", \"from\"]", "r.toml:2: ", "\"from\"",
                 "none that a message needs"},
        BadValue{"[sip]\noutcomes = [\"488=retry\", \"200=retry\"]", "r.toml:2: ", "\"200=retry\"",
                 "from 300 to 699"},
        BadValue{"[sip]\noutcomes = [\"4xx=maybe\"]", "r.toml:2: ", "\"4xx=maybe\"",
                 "delivered, retry, hold or dead"},
        BadValue{"[sip]\noutcomes = [\"48x=dead\"]", "r.toml:2: ", "\"48x=dead\"", "class 3xx"},
        BadValue{"[sip]\nschedule_header = \"x-restante-store\"",
                 "r.toml:2: ", "\"x-restante-store\"", "that SIP does not use"},
        BadValue{"[sip]\nredirects = 11", "r.toml:2: ", "= 11", "from 0 to 10"},
        BadValue{"[sip]\nhold = \"1s\"", "r.toml:2: ", "\"1s\"", "from 1m"},
        BadValue{"[sip.mailbox]\nmax_messages = -1", "r.toml:2: ", "-1", "a whole number from 0"},
        BadValue{"[sip.mailbox]\nkeep = \"3\"", "r.toml:2: ", "\"3\"", "a duration from 1m"},
        BadValue{"[sip.registration]\nmax_contacts = 0", "r.toml:2: ", "= 0", "from 1 to 100"},
        BadValue{"[sip.registration]\nmin_expires = \"2d\"", "r.toml:2: ", "\"2d\"", "from 1s"},
        BadValue{"[sip.registration]\nmin_expires = \"2h\"", "r.toml:2: ", "min_expires",
                 "<= default_expires <="},
        BadValue{"[sip.limits]\nper_sender = \"many\"", "r.toml:2: ", "many", "a whole number"},
        BadValue{"[sip]\nlive_timeout = \"21s\"", "r.toml:2: ", "21s", "a duration from 0s to 20s"},
        BadValue{"[http]\nlisten = \"localhost\"", "r.toml:2: ", "\"localhost\"", "off, 127.0.0.1"},
        BadValue{"[http]\n\nlisten = \"0.0.0.0:80\"", "r.toml:3: ", "0.0.0.0:80", "token_file"},
        BadValue{"[http.tls]\nkey = \"/etc/key.pem\"", "r.toml:2: ", "http.tls.certificate",
                 "set both"},
        BadValue{"[http]\ntoken_file = \"t\"", "r.toml:2: ", "\"t\"", "an absolute path"},
        BadValue{"[webhook]\nallow = [\"a/b\"]", "r.toml:2: ", "\"a/b\"", "networks or host names"},
        BadValue{"[redis]\nurl = \"mysql://x\"", "r.toml:2: ", "\"mysql\"", "redis[s]://"},
        BadValue{"[redis]\nprefix = \"a{b}\"", "r.toml:2: ", "a{b}", "1 to 64 letters"},
        BadValue{"[redis]\nshards = 0", "r.toml:2: ", "= 0", "from 1 to 1024"},
        BadValue{"[redis]\nfsync = \"maybe\"", "r.toml:2: ", "maybe", "always, everysec or no"},
        BadValue{"[journal]\nurl = \"oracle://x\"", "r.toml:2: ", "oracle", "sqlite:///path"},
        BadValue{"[journal]\nmode = \"on\"", "r.toml:2: ", "\"on\"", "off, async or durable"},
        BadValue{"[limits]\nbody = 0", "r.toml:2: ", "= 0", "a whole number from 1"},
        BadValue{"[limits]\nattempts = 1.5", "r.toml:2: ", "limits.attempts", "a whole number"},
        BadValue{"[retention]\ntrash = \"11000d\"", "r.toml:2: ", "11000d", "a duration"},
        BadValue{"[retention]\ndone = 5", "r.toml:2: ", "\"5\"", "a duration"},
        BadValue{"[log]\nlevel = \"loud\"", "r.toml:2: ", "loud", "debug, info, warning"}));

TEST(ReadConfig, repeatsNoSecretOfAValueThatItRefuses)
{
    for (const auto* text :
         {"[journal]\nurl = \"oracle://ops:s3cret@db/j\"", "[journal]\nurl = \"ops:s3cret@db/j\"",
          "[journal]\nurl = \"sqlite://s3cret\"", "[sip.auth]\nsql = \"mysqls://ops:s3cret@db/j\"",
          "[sms]\nurl = \"gateway/send?key=s3cret\"",
          "[sms]\nurl = \"http://gateway/send?key=s3cret&to={too}\"",
          "[sms]\nbody = \"{\\\"key\\\":\\\"s3cret\\\"}\"",
          "[sms]\nheaders = [\"Authorization Bearer s3cret\"]"}) {
        const auto problems = problemsIn(text);
        ASSERT_THAT(problems, SizeIs(1)) << text;
        EXPECT_THAT(problems.front(), AllOf(HasSubstr("; write "), Not(HasSubstr("s3cret"))));
    }
    EXPECT_THAT(problemsIn("[journal]\nurl = \"oracle://ops:s3cret@db/j\""),
                ElementsAre(HasSubstr("journal.url: \"oracle\" is no database")));
    EXPECT_THAT(problemsIn("[sms]\nbody = \"key=s3cret&to={too}\""),
                ElementsAre(HasSubstr("sms.body: {too} is no placeholder; write {to}")));
}

TEST(ReadConfig, takesBothSchemesOfPostgresql)
{
    for (const auto* scheme : {"postgresql", "postgres"}) {
        const auto url = std::string(scheme) + "://ops@db/j";
        const auto config = readConfig({{}, {"journal.url=" + url, "sip.auth.sql=" + url}});
        ASSERT_TRUE(config) << config.error().front().toString();
        EXPECT_EQ(config->journal.url, url);
        EXPECT_EQ(config->sip.auth.sql, url);
    }
}

TEST(ReadConfig, reportsEveryProblemAtOnce)
{
    EXPECT_THAT(problemsIn("[log]\nlevel = \"x\"\n[sip]\nproxy = \"y\"\nregistrar = 3"), SizeIs(3));
}

TEST(ReadConfig, namesTheKeyThatWasProbablyMeant)
{
    EXPECT_THAT(problemsIn("[sip]\nlisten = \"127.0.0.1:1\"\nlitsen = 1"),
                ElementsAre("r.toml:3: unknown key sip.litsen; did you mean sip.listen?"));
    EXPECT_THAT(problemsIn("[spi]\nlisten = \"127.0.0.1:1\""),
                ElementsAre("r.toml:2: unknown key spi.listen; did you mean sip.listen?"));
}

TEST(ReadConfig, saysWhereAllKeysAreWhenNoneIsNear)
{
    EXPECT_THAT(problemsIn("[kitchen]\nsink = 1"),
                ElementsAre(AllOf(HasSubstr("r.toml:2: unknown key kitchen.sink"),
                                  HasSubstr("--print-config"))));
}

TEST(ReadConfig, saysThatASectionIsASection)
{
    EXPECT_THAT(problemsIn("sip = 5"), ElementsAre("r.toml:1: sip is a section; write [sip]"));
}

TEST(ReadConfig, saysThatAValueCannotBeATable)
{
    EXPECT_THAT(
        problemsIn("[sip.proxy]\nx = 1"),
        ElementsAre(AllOf(HasSubstr("r.toml:1: "), HasSubstr("sip.proxy cannot be a table"))));
}

TEST(ReadConfig, reportsBrokenTomlWithItsLine)
{
    EXPECT_THAT(problemsIn("[sip]\nlisten = [\n"), ElementsAre(HasSubstr("r.toml:")));
    EXPECT_THAT(problemsIn("[sip]\nregistrar = true\nregistrar = false\n"),
                ElementsAre(HasSubstr("r.toml:3: ")));
}

TEST(ReadConfig, refusesControlCharactersInTexts)
{
    EXPECT_THAT(problemsIn("[redis]\nprefix = \"a\\u0000b\""), SizeIs(1));
    EXPECT_THAT(problemsIn("state_dir = \"/a\\nb\""), SizeIs(1));
}

TEST(ReadConfig, saysThatAFileCannotBeRead)
{
    EXPECT_THAT(problemsOf(readConfig({"/nowhere/r.toml", {}})),
                ElementsAre(HasSubstr("/nowhere/r.toml: cannot be read")));
}

TEST(ReadConfig, saysThatADirectoryIsNoFileEvenWhenItIsEmpty)
{
    const test::TempDir empty;
    for (const std::filesystem::path& folder : {std::filesystem::path("/usr"), empty.path()}) {
        EXPECT_THAT(problemsOf(readConfig({folder, {}})), ElementsAre(HasSubstr("cannot be read")));
    }
}

TEST(ReadConfig, namesTheCredentialThatLacksWhatItNeeds)
{
    const test::TempDir credentials;
    const auto key = credentials / "sip.tls.key";
    std::ofstream(key) << "x";
    ASSERT_EQ(setenv("CREDENTIALS_DIRECTORY", credentials.path().c_str(), 1), 0);
    const auto problems = problemsIn("");
    ASSERT_EQ(unsetenv("CREDENTIALS_DIRECTORY"), 0);
    EXPECT_THAT(problems, ElementsAre(AllOf(HasSubstr(key.string()),
                                            HasSubstr("needs sip.tls.certificate"))));
}

class ConfigFile : public ::testing::Test {
protected:
    ConfigFile() : path_(std::filesystem::temp_directory_path() / "restante-config-XXXXXX")
    {
        std::string name = path_.string();
        const int fd = mkstemp(name.data());
        EXPECT_GE(fd, 0);
        ::close(fd);
        path_ = name;
    }
    ~ConfigFile() override { std::filesystem::remove(path_); }

    std::filesystem::path path_;
};

TEST_F(ConfigFile, mayBeEmpty)
{
    EXPECT_THAT(problemsOf(readConfig({path_, {}})), ElementsAre());
}

TEST_F(ConfigFile, isOverruledByOverrides)
{
    std::ofstream(path_) << "[redis]\nprefix = \"file\"\nshards = 2\n";
    const auto config = readConfig({path_, {"redis.prefix=one", "redis.prefix=two"}});
    ASSERT_TRUE(config);
    EXPECT_EQ(config->redis.prefix, "two");
    EXPECT_EQ(config->redis.shards, 2U);
}

TEST(Override, splitsAListAtCommas)
{
    const auto config = readConfig({{}, {"sip.listen=udp:127.0.0.1:1,tcp:127.0.0.1:2"}});
    ASSERT_TRUE(config);
    EXPECT_THAT(config->sip.listen, SizeIs(2));
}

TEST(Override, keepsTheCommasOfASchedule)
{
    const auto config = readConfig({{}, {"sip.retry=0s,2m,10m"}});
    ASSERT_TRUE(config);
    EXPECT_EQ(config->sip.retry.toString(), "0s,2m,10m");
}

TEST(Override, keepsEqualsSignsOfItsValue)
{
    const auto config = readConfig({{}, {"sip.proxy=sip:127.0.0.1:5080;transport=tcp"}});
    ASSERT_TRUE(config);
    EXPECT_THAT(config->sip.proxy, ElementsAre("sip:127.0.0.1:5080;transport=tcp"));
}

TEST(SipProxy, isOneServerOrSeveral)
{
    const auto proxyOf = [](const char* toml) {
        return readConfigText(std::string("[sip]\n") + toml, "r.toml").value().sip.proxy;
    };
    EXPECT_THAT(proxyOf("proxy = \"sip:192.0.2.1\""), ElementsAre("sip:192.0.2.1"));
    EXPECT_THAT(proxyOf("proxy = \"\""), IsEmpty()) << "as it was written before";
    EXPECT_THAT(proxyOf("proxy = [\"sip:192.0.2.1\", \"sips:b.example\"]"),
                ElementsAre("sip:192.0.2.1", "sips:b.example"));
    EXPECT_THAT(problemsIn("[sip]\nproxy = [\"sip:192.0.2.1\", \"192.0.2.2\"]"),
                ElementsAre(HasSubstr("192.0.2.2")));
}

TEST(Override, isRefusedWithoutAValueOrWithAnUnknownKey)
{
    EXPECT_THAT(problemsOf(readConfig({{}, {"redis.shards"}})),
                ElementsAre(HasSubstr("--set section.key=value")));
    EXPECT_THAT(problemsOf(readConfig({{}, {"redis.shard=1"}})),
                ElementsAre("--set: unknown key redis.shard; did you mean redis.shards?"));
    EXPECT_THAT(problemsOf(readConfig({{}, {"redis.shards=no"}})),
                ElementsAre(HasSubstr("--set: redis.shards = no is not allowed; write")));
}

TEST(SipHeaders, mayNotNameWhatBelongsToAHopTellsOfANetworkOrHoldsCredentials)
{
    for (const std::string name : {"Via",
                                   "v",
                                   "ROUTE",
                                   "Record-Route",
                                   "Path",
                                   "Service-Route",
                                   "Contact",
                                   "m",
                                   "Proxy-Authorization",
                                   "proxy-anything",
                                   "Authorization",
                                   "WWW-Authenticate",
                                   "P-Charging-Vector",
                                   "P-Charging-Function-Addresses",
                                   "P-Access-Network-Info",
                                   "P-Visited-Network-ID",
                                   "History-Info",
                                   "Diversion",
                                   "X-Restante-Job",
                                   "From",
                                   "l"}) {
        EXPECT_THAT(problemsOf(readConfig({{}, {"sip.headers=X-Good," + name}})),
                    ElementsAre(HasSubstr("sip.headers = \"" + name + "\" is not allowed")))
            << name;
    }
    EXPECT_TRUE(readConfig({{}, {"sip.headers=X-Via,P-Charge-Info,Pathos,s"}}));
}

TEST(SipAuth, needsAnAlgorithmAndAProxyLoginNeedsAllItsParts)
{
    EXPECT_THAT(problemsOf(readConfig({{}, {"sip.auth.sha256=false"}})),
                ElementsAre(HasSubstr("sip.auth.md5 are both false")));
    EXPECT_THAT(problemsOf(readConfig({{}, {"sip.auth.query=DROP TABLE users"}})),
                ElementsAre(HasSubstr("write SELECT")));
    EXPECT_THAT(problemsOf(readConfig({{}, {"sip.proxy=sip:p.example", "sip.proxy_user=u"}})),
                ElementsAre(HasSubstr("need each other")));
    EXPECT_THAT(
        problemsOf(readConfig({{}, {"sip.proxy_user=u", "sip.proxy_password_file=/etc/p"}})),
        ElementsAre(HasSubstr("without sip.proxy")));
}

TEST(TrustInEverybody, isFoundInEachListWhileSipIsHeardBeyondThisMachine)
{
    const auto keysOf = [](const std::string& sip) {
        std::vector<std::string> keys;
        for (const auto& warning : trustInEverybody(configOf("[sip]\n" + sip))) {
            EXPECT_FALSE(warning.what.empty() || warning.advice.empty()) << sip;
            keys.push_back(warning.key);
        }
        return keys;
    };
    const std::string open = "listen = [\"127.0.0.1:5060\", \"0.0.0.0:5060\"]\n";
    for (const std::string word : {"0.0.0.0/0", "::/0", "::ffff:10.0.0.0/8", "tcp:::/0"}) {
        EXPECT_THAT(keysOf(open + "trusted = [\"::1\", \"" + word + "\"]\n"),
                    ElementsAre("sip.trusted"))
            << word;
    }
    EXPECT_THAT(keysOf(open + "edges = \"::/0\"\ncontacts.allow = \"0.0.0.0/0\"\n"),
                ElementsAre("sip.edges", "sip.contacts.allow"));
    EXPECT_THAT(keysOf(open + "trusted = [\"10.0.0.0/8\", \"tls:proxy.example.org\"]\n"
                              "contacts.allow = [\"10.0.0.0/8\", \"phones.example.org\"]\n"
                              "tls = {verify = \"required\", ca = \"/ca.pem\"}\n"),
                IsEmpty());
    EXPECT_THAT(keysOf("listen = \"[::1]:5060\"\ntrusted = \"0.0.0.0/0\"\n"), IsEmpty());
    EXPECT_THAT(keysOf("listen = []\ntrusted = \"0.0.0.0/0\"\n"), IsEmpty());
    const std::string certificates = "tls = {verify = \"required\", ca = \"/ca.pem\"}\n";
    EXPECT_THAT(keysOf(open + certificates + "trusted = \"tls:0.0.0.0/0\"\n"), IsEmpty())
        << "whoever comes so has a certificate of ours";
    EXPECT_THAT(keysOf(open + certificates + "trusted = \"tcp:0.0.0.0/0\"\n"),
                ElementsAre("sip.trusted"));
}

TEST(TrustInEverybody, isFoundInEntriesThatAreEverybodyTogether)
{
    const auto warningsOf = [](const std::string& sip) {
        std::vector<std::string> warnings;
        for (const auto& warning :
             trustInEverybody(configOf("[sip]\nlisten = \"0.0.0.0:5060\"\n" + sip))) {
            warnings.push_back(warning.key + ": " + warning.what);
        }
        return warnings;
    };
    EXPECT_THAT(warningsOf("trusted = [\"127.0.0.0/8\", \"128.0.0.0/1\", \"0.0.0.0/1\"]\n"),
                ElementsAre(HasSubstr("sip.trusted: 0.0.0.0/1, 128.0.0.0/1 together trust "
                                      "everybody: whoever")));
    EXPECT_THAT(warningsOf("trusted = [\"tcp:2000::/4\", \"3000::/4\"]\n"),
                ElementsAre(HasSubstr("tcp:2000::/4, 3000::/4 together trust everybody")));
    EXPECT_THAT(warningsOf("trusted = [\"::/1\", \"8000::/1\"]\n"),
                ElementsAre(HasSubstr("sip.trusted: ::/1 trusts everybody")));
    EXPECT_THAT(
        warningsOf("trusted = [\"0.0.0.0/1\", \"128.0.0.0/1\", \"2000::/4\", \"3000::/4\"]\n"),
        ElementsAre(HasSubstr("128.0.0.0/1 together"), HasSubstr("3000::/4 together")));
    EXPECT_THAT(warningsOf("trusted = [\"udp:0.0.0.0/1\", \"tcp:128.0.0.0/1\"]\n"), IsEmpty())
        << "over no transport are they all";
    EXPECT_THAT(warningsOf("trusted = [\"0.0.0.0/1\", \"2000::/4\"]\n"), IsEmpty());
    EXPECT_THAT(warningsOf("edges = [\"0.0.0.0/1\", \"128.0.0.0/1\"]\n"),
                ElementsAre(HasSubstr("sip.edges: 0.0.0.0/1, 128.0.0.0/1 together believe the "
                                      "Path of everybody")));
    EXPECT_THAT(warningsOf("contacts.allow = [\"0.0.0.0/1\", \"a.example\", \"128.0.0.0/1\"]\n"),
                ElementsAre(HasSubstr("sip.contacts.allow: 0.0.0.0/1, 128.0.0.0/1 together let "
                                      "whoever registers")));
    const std::string certificates = "tls = {verify = \"required\", ca = \"/ca.pem\"}\n";
    const std::string overTls = "trusted = [\"tls:0.0.0.0/1\", \"tls:128.0.0.0/1\"]\n";
    EXPECT_THAT(warningsOf(overTls), ElementsAre(HasSubstr("tls:128.0.0.0/1 together trust")));
    EXPECT_THAT(warningsOf(certificates + overTls), IsEmpty());
}

TEST(ReadConfig, refusesWhatTheStartCouldNotUse)
{
    const auto problem = [](std::vector<std::string> overrides) {
        const auto problems = problemsOf(readConfig({{}, std::move(overrides)}));
        return problems.size() == 1 ? problems.front()
                                    : "problems: " + std::to_string(problems.size());
    };
    EXPECT_THAT(problem({"queue.hot_horizon=1h", "journal.mode=off"}),
                HasSubstr("queue.hot_horizon needs a journal"));
    EXPECT_THAT(problem({"sip.auth.users=/etc/users", "sip.auth.sql=journal"}),
                HasSubstr("cannot both say who the users are"));
    EXPECT_THAT(problem({"redis.password_file=/etc/redis"}), HasSubstr("the embedded one has no"));
    EXPECT_TRUE(readConfig({{}, {"redis.password_file=/etc/redis", "redis.url=redis://r"}}));
    EXPECT_THAT(problem({"sms.gateway=kannel"}), HasSubstr("sms.url: is needed"));
    for (const auto* listen : {"off", "0.0.0.0:9277", "[::]:9277", "[::0]:9277"}) {
        EXPECT_THAT(problem({"sms.gateway=kannel", "sms.url=http://g/send",
                             std::string("http.listen=") + listen, "http.token_file=/etc/tokens",
                             "sms.delivery_reports=phone"}),
                    HasSubstr("sms.report_url: is needed"))
            << listen;
    }
    EXPECT_THAT(problem({"sms.gateway=kannel", "sms.url=http://g/send",
                         "sms.delivery_reports=phone", "sms.report_timeout=29s"}),
                HasSubstr("sms.report_timeout is shorter than sms.timeout"));
    EXPECT_TRUE(readConfig({{}, {"sms.report_timeout=29s"}}));
    EXPECT_TRUE(readConfig(
        {{}, {"sms.gateway=kannel", "sms.url=http://g/send", "sms.delivery_reports=phone"}}));
}

TEST(NearestName, countsASwapOfNeighboursAsOneSlip)
{
    EXPECT_EQ(editDistance("listen", "litsen"), 1U);
    EXPECT_EQ(editDistance("", "abc"), 3U);
    EXPECT_EQ(editDistance("same", "same"), 0U);
}

}  // namespace
}  // namespace restante
