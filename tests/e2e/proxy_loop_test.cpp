// Two operators' stores that have each other for their proxy: a message for somebody whom neither
// knows goes round until its hops are used up, and is kept.

#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/free_port.h"
#include "tests/support/pcap_file.h"
#include "tests/support/sip_phone.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

namespace restante::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ProxiesOfEachOther : public ::testing::Test {
protected:
    std::unique_ptr<Daemon> store(std::uint16_t own, std::uint16_t other, const std::string& trace)
    {
        return std::make_unique<Daemon>(
            Daemon::Settings{{"sip.listen=127.0.0.1:" + std::to_string(own),
                              "sip.proxy=sip:127.0.0.1:" + std::to_string(other), "sip.retry=0s,1h",
                              "sip.trace=pcap:" + (directory_ / trace).string()}});
    }
    /// Max-Forwards of what has come to that store from the other, each once, in the order of
    /// their first: what is answered late is sent again.
    std::vector<std::string> hopsOf(const std::string& trace, std::uint16_t own) const
    {
        std::vector<std::string> hops;
        for (const auto& packet : packetsOf(directory_ / trace)) {
            const auto text = SipText::parse(packet.bytes);
            if (packet.to == own && text && text->method() == "MESSAGE" &&
                std::ranges::find(hops, text->header("Max-Forwards")) == hops.end()) {
                hops.push_back(text->header("Max-Forwards"));
            }
        }
        return hops;
    }

    TempDir directory_;
    std::uint16_t firstPort_ = freePort();
    std::uint16_t secondPort_ = freePort();
    std::unique_ptr<Daemon> first_ = store(firstPort_, secondPort_, "first.pcap");
    std::unique_ptr<Daemon> second_ = store(secondPort_, firstPort_, "second.pcap");
};

TEST_F(ProxiesOfEachOther, endTheLoopByItsHopsAndLoseNothing)
{
    SipPhone alice({"alice", kDomain, {SipTransport::Udp, "127.0.0.1", firstPort_}});
    auto message = alice.message(Daemon::aor("bob"), "to whom it may concern");
    ASSERT_EQ(alice.ask(message.set("Max-Forwards", "6")).status, 202);

    const auto errors = [&] { return first_->lastErrors() + second_->lastErrors(); };
    EXPECT_TRUE(
        eventually([&] { return errors().find("483") != std::string::npos; }, kProcessTimeout))
        << errors();
    EXPECT_TRUE(eventually([&] { return first_->jobsInAll() + second_->jobsInAll() == 1; },
                           kProcessTimeout))
        << "it waits for the next attempt, and nothing else is left";
    EXPECT_THAT(hopsOf("first.pcap", firstPort_), ElementsAre("6", "4", "2", "0"));
    EXPECT_THAT(hopsOf("second.pcap", secondPort_), ElementsAre("5", "3", "1"));
}

}  // namespace
}  // namespace restante::test
