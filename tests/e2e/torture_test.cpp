// The messages of RFC 4475 and RFC 5118 against the running daemon: it stays up, answers every
// request that can be answered, and stores nothing that it could not deliver.

#include "tests/support/daemon_phones.h"
#include "tests/support/eventually.h"
#include "tests/support/sip_path.h"
#include "tests/support/tls_socket.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <tuple>

namespace restante::test {

namespace {

constexpr auto kDomains =
    "sip.domain=restante.test,example.com,example.net,example.org,company.com,"
    "chair-dnrc.example.com";

struct Specimen {
    std::string name;
    std::string bytes;
};

std::vector<Specimen> specimens(const std::string& folder)
{
    std::vector<Specimen> all;
    const auto path = sourceDirectory() / "tests/data/sip-torture" / folder;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
        std::ifstream file(entry.path(), std::ios::binary);
        all.push_back({entry.path().stem(), {std::istreambuf_iterator<char>(file), {}}});
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return all;
}

/// The message with its top Via, if it has one, replaced by `via`.
std::string withTopVia(const std::string& bytes, const std::string& via)
{
    static const std::regex kTopVia("(^|\n)(v|via)[ \t]*:[^\n]*\n([ \t][^\n]*\n)*",
                                    std::regex::icase);
    return std::regex_replace(bytes, kTopVia, "$1Via: " + via + "\r\n",
                              std::regex_constants::format_first_only);
}

/// Not responses, nor what does not end.
bool canBeAnswered(const Specimen& specimen, const SipPath& path)
{
    // One promises more bytes than it has, so that a stream has to wait for them; the other has a
    // NUL in a header, behind which sofia does not see the end of a message in a stream.
    static const std::set<std::string> kUnfinishedStream{"clerr", "intmeth"};
    return !specimen.bytes.starts_with("SIP/2.0") &&
           (!path.isStream() || !kUnfinishedStream.contains(specimen.name));
}

/// A final answer has come, or the server has closed the stream over it.
bool isAnswered(SipSocket& socket)
{
    while (const auto arrival = socket.receive(kProcessTimeout)) {
        if (arrival->message.status() >= 200) {
            return true;
        }
    }
    return socket.takeDisconnected();
}

/// A folder of them, and how they come.
using Torture = std::tuple<const char*, SipPath>;

class TortureTest : public ::testing::TestWithParam<Torture> {
protected:
    const char* folder() const { return std::get<0>(GetParam()); }
    const SipPath& path() const { return std::get<1>(GetParam()); }
    void SetUp() override
    {
        if (skipsWithout(path())) {
            return;
        }
        daemon_ = std::make_unique<Daemon>(
            Daemon::Settings{{kDomains},
                             path().host(),
                             path().transport == SipTransport::Tls ? loopbackTls() : nullptr});
    }
    SipServer server() const { return daemon_->server(path().transport); }
    void sendAll()
    {
        const auto all = specimens(folder());
        ASSERT_GE(all.size(), 12U);
        for (const auto& specimen : all) {
            SipSocket socket(server());
            socket.send(withTopVia(specimen.bytes, socket.via("z9hG4bK" + uniqueToken())));
            if (canBeAnswered(specimen, path())) {
                EXPECT_TRUE(isAnswered(socket)) << specimen.name;
            }
            expectAlive(specimen.name);
        }
    }
    void expectAlive(const std::string& after)
    {
        auto phone = phoneOf(*daemon_, "carol", path().transport);
        const auto ping = phone.request("OPTIONS", "sip:" + daemon_->udp().hostPort());
        EXPECT_EQ(phone.ask(ping).status, 200) << "after " << after;
    }
    std::set<std::string> recipients() const
    {
        std::set<std::string> all;
        const auto listed = daemon_->control({"list", "--json", "--limit", "1000"});
        const auto jobs = nlohmann::json::parse(listed.output).at("jobs");
        for (const auto& job : jobs) {
            all.insert(job.at("recipient").get<std::string>());
        }
        return all;
    }

    std::unique_ptr<Daemon> daemon_;
};

std::string nameOfTorture(const ::testing::TestParamInfo<Torture>& info)
{
    const auto& [folder, path] = info.param;
    std::string plain = folder;
    std::erase(plain, '-');
    return plain + "_" + name(path);
}

}  // namespace

TEST_P(TortureTest, isAnsweredSurvivedAndLeavesNothingThatCannotBeDelivered)
{
    sendAll();
    std::vector<std::unique_ptr<SipPhone>> phones;
    for (const auto& recipient : recipients()) {
        const auto at = recipient.find('@');
        phones.push_back(std::make_unique<SipPhone>(
            SipPhone::Account{recipient.substr(4, at - 4), recipient.substr(at + 1), server()}));
        ASSERT_EQ(phones.back()->registerFor(kRegistration).status, 200) << recipient;
    }
    EXPECT_TRUE(eventually(
        [&] {
            for (const auto& phone : phones) {
                phone->work(Millis{0});
            }
            return daemon_->jobsInAll() == 0;
        },
        kProcessTimeout));
}

INSTANTIATE_TEST_SUITE_P(
    All,
    TortureTest,
    ::testing::Combine(::testing::Values("rfc4475", "rfc4475-message", "rfc5118"),
                       ::testing::ValuesIn(kEveryPath)),
    nameOfTorture);

}  // namespace restante::test
