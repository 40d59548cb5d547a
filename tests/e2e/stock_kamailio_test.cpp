// Debian's own kamailio.cfg, changed as the README says and by nothing else.

#include "core/base/text.h"
#include "tests/support/daemon.h"
#include "tests/support/daemon_phones.h"
#include "tests/support/file_content.h"
#include "tests/support/kamailio.h"
#include "tests/support/pcap_file.h"
#include "tests/support/sip_login.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace restante::test {

namespace {

using Lines = std::vector<std::string>;

constexpr auto kRestante = "127.0.0.2";
constexpr auto kSubscriberPassword = "secret";

/// The changes of the README, one list of lines each.
std::vector<Lines> changesOfTheReadme()
{
    const auto readme = contentOf(sourceDirectory() / "README.md");
    const auto begin = readme.find("```diff\n tcp_connection_lifetime");
    const auto end = readme.find("\n```", begin + 1);
    if (begin == std::string::npos || end == std::string::npos) {
        throw std::runtime_error("the README has no changes of kamailio.cfg");
    }
    std::vector<Lines> changes(1);
    for (auto& line : linesOf(readme.substr(begin + 8, end - begin - 8))) {
        if (line == "...") {
            changes.emplace_back();
        } else {
            changes.back().push_back(std::move(line));
        }
    }
    return changes;
}

/// Makes one of them in the only place where it fits; throws when there is none, or another.
void change(Lines& file, const Lines& wanted)
{
    Lines before;
    Lines after;
    for (const auto& line : wanted) {
        if (line.front() != '+') {
            before.emplace_back(trimmed(std::string_view(line).substr(1)));
        }
        if (line.front() != '-') {
            after.push_back(line.substr(1));
        }
    }
    const auto fits = [&](const std::string& a, const std::string& b) { return trimmed(a) == b; };
    const auto at = std::search(file.begin(), file.end(), before.begin(), before.end(), fits);
    if (at == file.end() ||
        std::search(at + 1, file.end(), before.begin(), before.end(), fits) != file.end()) {
        throw std::runtime_error("not in the stock file, or not once: " + before.front());
    }
    const auto place = file.erase(at, at + static_cast<std::ptrdiff_t>(before.size()));
    file.insert(place, after.begin(), after.end());
}

void replace(std::string& text, const std::string& from, const std::string& to)
{
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
}

}  // namespace

/// With WITH_AUTH, or without.
class StockKamailio : public ::testing::TestWithParam<bool> {
protected:
    StockKamailio()
    {
        auto file = linesOf(contentOf("/etc/kamailio/kamailio.cfg"));
        for (const auto& wanted : changesOfTheReadme()) {
            change(file, wanted);
        }
        std::string text;
        for (const auto& line : file) {
            text += line + "\n";
        }
        // What is this machine's instead of the README's.
        replace(text, "sip:192.0.2.20:5060", "sip:" + restante_.udp().hostPort());
        replace(text, "192.0.2.20", kRestante);
        replace(text, "/usr/share/restante/kamailio",
                (sourceDirectory() / "resources/kamailio").string());
        const auto configuration = directory_ / "kamailio.cfg";
        std::ofstream(configuration) << text;
        // The file that the stock one reads for what is local.
        std::ofstream local(directory_ / "kamailio-local.cfg");
        local << "listen=LISTEN_UDP\nlisten=LISTEN_TCP\nalias=DOMAIN\nauto_aliases=no\n";
        if (GetParam()) {
            const auto database = directory_ / "users.sqlite";
            makeUsers(database);
            local << "#!define WITH_AUTH\n#!define DBURL \"sqlite:///" << database.string()
                  << "\"\nloadmodule \"db_sqlite.so\"\n";
        }
        local.close();
        Kamailio::Settings settings;
        settings.domain = kDomain;
        settings.configuration = configuration;
        kamailio_.start(settings);
    }
    static void makeUsers(const std::filesystem::path& database)
    {
        std::string users;
        for (const std::string user : {"alice", "bob"}) {
            users += "INSERT INTO subscriber (username, domain, password) VALUES ('" + user +
                     "', '" + kDomain + "', '" + kSubscriberPassword + "');";
        }
        const auto made = run({{"sh", "-c",
                                "(cd /usr/share/kamailio/db_sqlite && cat standard-create.sql "
                                "auth_db-create.sql; echo \"$2\") | sqlite3 \"$1\"",
                                "sh", database.string(), users},
                               {},
                               {}});
        ASSERT_EQ(made.status, 0) << made.errors;
    }
    SipPhone phone(const std::string& user) const
    {
        return SipPhone({user, kDomain, kamailio_.tcp()});
    }
    /// The request with the answer to a challenge by MD5 and without qop, as the stock file asks.
    static SipText
    withPassword(const std::string& user, SipText request, const SipPhone::Outcome& refusal)
    {
        const bool proxy = refusal.status == 407;
        const auto challenge =
            refusal.response.header(proxy ? "Proxy-Authenticate" : "WWW-Authenticate");
        const SipLogin login{user, kSubscriberPassword, "MD5"};
        const SipLogin::Nonce nonce{parameterOf(challenge, "realm"),
                                    parameterOf(challenge, "nonce"), ""};
        auto via = request.header("Via");
        via.replace(via.find(request.branch()), request.branch().size(), "z9hG4bK" + uniqueToken());
        request.set("Via", via);
        request.set("CSeq", std::to_string(std::stoul(request.header("CSeq")) + 1) + " " +
                                request.method());
        request.set(proxy ? "Proxy-Authorization" : "Authorization",
                    "Digest username=\"" + user + "\", realm=\"" + nonce.realm + "\", nonce=\"" +
                        nonce.nonce + "\", uri=\"" + request.requestUri() + "\", response=\"" +
                        login.response(nonce, request, 0) + "\", algorithm=MD5");
        return request;
    }
    /// With a password where one is asked for.
    static int ask(SipPhone& phone, const std::string& user, const SipText& request)
    {
        const auto first = phone.ask(request);
        EXPECT_EQ(first.status == 401 || first.status == 407, GetParam());
        return GetParam() ? phone.ask(withPassword(user, request, first)).status : first.status;
    }
    /// The Via of the newest MESSAGE that has come to Restante.
    std::string cameBy() const
    {
        std::string via;
        for (const auto& packet : packetsOf(directory_ / "trace.pcap")) {
            if (packet.to == restante_.udp().port && packet.bytes.starts_with("MESSAGE ")) {
                const auto at = packet.bytes.find("\r\nVia: ") + 2;
                via = packet.bytes.substr(at, packet.bytes.find("\r\n", at) - at);
            }
        }
        return via;
    }
    std::string logs()
    {
        return "kamailio:\n" + kamailio_.log() + "\nrestanted:\n" + restante_.process().allOutput();
    }

    TempDir directory_;
    Kamailio kamailio_;
    Daemon restante_{
        {{"sip.proxy=sip:" + kamailio_.tcp().hostPort() + ";transport=tcp", "sip.trusted=127.0.0.1",
          "sip.retry=0s,10m", "sip.trace=pcap:" + (directory_ / "trace.pcap").string()},
         kRestante}};
};

TEST_P(StockKamailio, keepsThirtyKilobytesForSomebodyWhoIsAwayAndDeliversThem)
{
    const std::string body(30'000, 'x');
    auto alice = phone("alice");
    auto bob = phone("bob");
    ASSERT_EQ(ask(alice, "alice", alice.message(bob.aor(), body)), 202) << logs();
    EXPECT_EQ(restante_.jobsInAll(), 1U);
    EXPECT_THAT(cameBy(), ::testing::StartsWith("Via: SIP/2.0/TCP "));
    // With a password: a REGISTER that is refused tells nobody that somebody is back.
    if (GetParam()) {
        EXPECT_EQ(bob.registerFor(kRegistration).status, 401);
        EXPECT_EQ(restante_.jobsInAll(), 1U);
    }
    ASSERT_EQ(ask(bob, "bob", bob.registration(kRegistration)), 200) << logs();
    EXPECT_TRUE(bob.receive(1)) << logs();
    EXPECT_THAT(bob.bodies(), ::testing::ElementsAre(body));
    EXPECT_TRUE(bob.workUntil([&] { return restante_.jobsInAll() == 0; })) << logs();
}

TEST_P(StockKamailio, bringsWhatIsShortByTheTransportOfItsAddress)
{
    auto alice = phone("alice");
    ASSERT_EQ(ask(alice, "alice", alice.message(phone("bob").aor(), "short")), 202) << logs();
    EXPECT_THAT(cameBy(), ::testing::StartsWith("Via: SIP/2.0/UDP "));
}

TEST_P(StockKamailio, bringsWhatADeviceTakesWithoutRestante)
{
    auto alice = phone("alice");
    auto bob = phone("bob");
    ASSERT_EQ(ask(bob, "bob", bob.registration(kRegistration)), 200) << logs();
    auto request = alice.message(bob.aor(), "hello");
    if (GetParam()) {
        request = withPassword("alice", request, alice.ask(request));
    }
    const auto branch = alice.start(request);
    // One thread plays both phones.
    std::optional<SipPhone::Outcome> outcome;
    EXPECT_TRUE(bob.workUntil([&] {
        alice.work(Millis{10});
        outcome = alice.takeOutcome(branch);
        return outcome.has_value();
    })) << logs();
    EXPECT_EQ(outcome->status, 200) << logs();
    EXPECT_THAT(bob.bodies(), ::testing::ElementsAre("hello"));
    EXPECT_EQ(restante_.jobsInAll(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Debian,
                         StockKamailio,
                         ::testing::Values(false, true),
                         [](const auto& one) {
                             return std::string(one.param ? "withPasswords" : "withoutPasswords");
                         });

}  // namespace restante::test
