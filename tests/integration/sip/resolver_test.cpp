#include "sipplugin/sofia/su_loop.h"
#include "sipplugin/transport/request_sender.h"
#include "sipplugin/transport/resolver.h"
#include "tests/integration/sip/listen_sockets.h"
#include "tests/integration/sip/sip_client.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <netinet/in.h>
#include <optional>
#include <set>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace restante::sip::test {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

constexpr int kA = 1;
constexpr int kAaaa = 28;
constexpr int kSrv = 33;
constexpr int kNaptr = 35;

std::string number(unsigned value)
{
    return {static_cast<char>(value >> 8U), static_cast<char>(value & 0xffU)};
}

std::string labels(const std::string& name)
{
    std::string out;
    for (std::size_t at = 0; at < name.size();) {
        const auto end = std::min(name.find('.', at), name.size());
        out += static_cast<char>(end - at) + name.substr(at, end - at);
        at = end + 1;
    }
    return out + '\0';
}

/// A <character-string> of RFC 1035 section 3.3.
std::string characterString(const std::string& text)
{
    return static_cast<char>(text.size()) + text;
}

/// A name server on the test's loop that knows what it was told.
class NameServer {
public:
    explicit NameServer(EventLoop& loop, const char* host = "127.0.0.1", std::uint16_t port = 0)
        : fd_(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        inet_pton(AF_INET, host, &address.sin_addr);
        address.sin_port = htons(port);
        socklen_t size = sizeof address;
        ::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), size);
        ::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&address), &size);
        port_ = ntohs(address.sin_port);
        address_ = std::string{host} + ":" + std::to_string(port_);
        watch_ = Watch(loop, fd_.get(), Readiness::Readable, [this](Readiness) { answer(); });
    }

    void a(const std::string& name, const std::string& address)
    {
        std::string bytes(4, '\0');
        inet_pton(AF_INET, address.c_str(), bytes.data());
        records_[{name, kA}].push_back(bytes);
    }
    void srv(const std::string& name,
             unsigned priority,
             unsigned weight,
             unsigned port,
             const std::string& target)
    {
        records_[{name, kSrv}].push_back(number(priority) + number(weight) + number(port) +
                                         labels(target));
    }
    void naptr(const std::string& name,
               unsigned order,
               const std::string& service,
               const std::string& replacement)
    {
        records_[{name, kNaptr}].push_back(number(order) + number(10) + characterString("s") +
                                           characterString(service) + characterString("") +
                                           labels(replacement));
    }
    const std::string& address() const { return address_; }
    std::uint16_t port() const { return port_; }
    int questions() const { return questions_; }
    /// The types of the records that were asked for.
    const std::vector<int>& asked() const { return asked_; }
    void fallSilent() { silent_ = true; }
    /// It does not answer questions for records of this type, as some routers do not.
    void ignore(int type) { ignored_.insert(type); }

private:
    void answer()
    {
        std::array<char, 1'500> bytes{};
        sockaddr_in from{};
        socklen_t size = sizeof from;
        const auto got = ::recvfrom(fd_.get(), bytes.data(), bytes.size(), 0,
                                    reinterpret_cast<sockaddr*>(&from), &size);
        if (got < 17) {
            return;
        }
        ++questions_;
        const std::string query(bytes.data(), static_cast<std::size_t>(got));
        std::string name;
        std::size_t at = 12;
        while (query[at] != '\0') {
            name += (name.empty() ? "" : ".") +
                    query.substr(at + 1, static_cast<std::size_t>(query[at]));
            at += static_cast<std::size_t>(query[at]) + 1;
        }
        const int type = query[at + 2];
        asked_.push_back(type);
        if (silent_ || ignored_.contains(type)) {
            return;
        }
        const auto found = records_.find({name, type});
        const auto count = found == records_.end() ? 0 : found->second.size();
        std::string reply = query.substr(0, 2) + number(0x8180) + number(1) +
                            number(static_cast<unsigned>(count)) + number(0) + number(0) +
                            query.substr(12, at + 5 - 12);
        for (std::size_t i = 0; i < count; ++i) {
            const auto& data = found->second[i];
            reply += number(0xc00c) + number(static_cast<unsigned>(type)) + number(1) + number(0) +
                     number(60) + number(static_cast<unsigned>(data.size())) + data;
        }
        ::sendto(fd_.get(), reply.data(), reply.size(), 0, reinterpret_cast<const sockaddr*>(&from),
                 size);
    }

    FileDescriptor fd_;
    std::string address_;
    std::uint16_t port_ = 0;
    std::map<std::pair<std::string, int>, std::vector<std::string>> records_;
    int questions_ = 0;
    std::vector<int> asked_;
    bool silent_ = false;
    std::set<int> ignored_;
    Watch watch_;
};

class Resolving : public ::testing::Test {
protected:
    bool turnUntil(const std::function<bool()>& reached)
    {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{30};
        while (!reached()) {
            if (std::chrono::steady_clock::now() > end) {
                return false;
            }
            loop_.turn(Millis{10});
        }
        return true;
    }
    std::vector<std::string> find(const std::string& uri) { return find(resolver_, uri); }
    std::vector<std::string> find(Resolver& resolver, const std::string& uri)
    {
        std::optional<std::vector<std::string>> found;
        resolver.find(nextHopOf(uri).value(), true, [&](const auto& addresses) {
            found.emplace();
            for (const auto& one : addresses.value_or(std::vector<TransportAddress>{})) {
                found->push_back(one.toString());
            }
        });
        EXPECT_TRUE(turnUntil([&] { return found.has_value(); }));
        return found.value_or(std::vector<std::string>{});
    }

    SuLoop loop_;
    NameServer names_{loop_};
    Resolver resolver_{loop_, {names_.address()}};
};

TEST_F(Resolving, takesAnAddressAsItIs)
{
    EXPECT_THAT(find("sip:192.0.2.1"), ElementsAre("udp:192.0.2.1:5060"));
    EXPECT_THAT(find("sip:[2001:db8::1]:5070;transport=TCP"),
                ElementsAre("tcp:[2001:db8::1]:5070"));
    EXPECT_THAT(find("sips:192.0.2.1"), ElementsAre("tls:192.0.2.1:5061"));
    EXPECT_EQ(names_.questions(), 0);
}

TEST_F(Resolving, followsNaptrByItsOrder)
{
    names_.naptr("two.test", 20, "SIP+D2U", "_sip._udp.two.test");
    names_.naptr("two.test", 10, "SIPS+D2T", "_sips._tcp.two.test");
    names_.srv("_sip._udp.two.test", 1, 1, 5070, "u.two.test");
    names_.srv("_sips._tcp.two.test", 1, 1, 5071, "s.two.test");
    names_.a("u.two.test", "192.0.2.1");
    names_.a("s.two.test", "192.0.2.2");
    EXPECT_THAT(find("sip:two.test"), ElementsAre("tls:192.0.2.2:5071", "udp:192.0.2.1:5070"));
}

TEST_F(Resolving, takesServersByPriorityAndWeight)
{
    names_.srv("_sip._tcp.three.test", 20, 1, 5060, "late.three.test");
    names_.srv("_sip._tcp.three.test", 10, 90, 5060, "often.three.test");
    names_.srv("_sip._tcp.three.test", 10, 10, 5060, "seldom.three.test");
    names_.a("late.three.test", "192.0.2.3");
    names_.a("often.three.test", "192.0.2.1");
    names_.a("seldom.three.test", "192.0.2.2");
    int often = 0;
    for (int i = 0; i < 300; ++i) {
        const auto found = find("sip:three.test;transport=tcp");
        ASSERT_EQ(found.size(), 3U);
        EXPECT_EQ(found.back(), "tcp:192.0.2.3:5060");
        often += found.front() == "tcp:192.0.2.1:5060" ? 1 : 0;
    }
    EXPECT_GT(often, 200);
    EXPECT_LT(often, 300);
    EXPECT_LT(names_.questions(), 10) << "kept";
}

TEST_F(Resolving, fallsBackToTheAddressesOfTheName)
{
    names_.a("plain.test", "192.0.2.9");
    EXPECT_THAT(find("sip:plain.test"), ElementsAre("udp:192.0.2.9:5060"));
    EXPECT_THAT(find("sip:plain.test:5080"), ElementsAre("udp:192.0.2.9:5080"));
    EXPECT_THAT(find("sip:plain.test;transport=tls"), ElementsAre("tls:192.0.2.9:5061"));
    EXPECT_THAT(find("sip:nobody.test"), ElementsAre());
}

/// Name servers that say nothing of some records, or of any.
class SilentRecords : public Resolving {
protected:
    /// Whether addresses were asked for before the last question for NAPTR records.
    bool asksForAddressesMeanwhile() const
    {
        const auto& asked = names_.asked();
        const auto address = std::ranges::find(asked, kA);
        return asked.front() == kNaptr && std::find(address, asked.end(), kNaptr) != asked.end();
    }
};

TEST_F(SilentRecords, areWaitedForWhileTheAddressesAreAskedFor)
{
    names_.a("half.test", "192.0.2.9");
    names_.ignore(kNaptr);
    EXPECT_THAT(find("sip:half.test"), ElementsAre("udp:192.0.2.9:5060"));
    EXPECT_TRUE(asksForAddressesMeanwhile());
    EXPECT_EQ(std::ranges::count(names_.asked(), kA), 1) << "what was answered is used";
}

TEST_F(SilentRecords, areNoReasonToForgetAddressesOfOneKindWhileTheOtherIsAwaited)
{
    names_.a("quarter.test", "192.0.2.9");
    names_.ignore(kNaptr);
    names_.ignore(kAaaa);
    EXPECT_THAT(find("sip:quarter.test"), ElementsAre("udp:192.0.2.9:5060"));
}

TEST_F(SilentRecords, areWaitedForNoSecondTimeWhenTheAddressesAreSilentToo)
{
    names_.fallSilent();
    EXPECT_THAT(find("sip:deaf.test"), ElementsAre());
    EXPECT_TRUE(asksForAddressesMeanwhile()) << "and not after the records";
}

TEST_F(Resolving, putsLastWhoDidNotAnswer)
{
    names_.a("pair.test", "192.0.2.1");
    names_.a("pair.test", "192.0.2.2");
    const auto before = find("sip:pair.test:5060");
    ASSERT_EQ(before.size(), 2U);
    resolver_.recordFailure({Transport::Udp, before.front().substr(4, 9), 5060});
    const auto after = find("sip:pair.test:5060");
    EXPECT_THAT(after, ElementsAre(before[1], before[0]));
}

/// A machine whose name servers stand in a file that somebody changes, as DHCP does.
class Machine : public Resolving {
protected:
    void name(const std::string& server)
    {
        // Another file of that name, as such programs write it.
        const auto fresh = directory_.path() / "fresh";
        std::ofstream(fresh) << "nameserver " << server << "\n";
        std::filesystem::rename(fresh, file_);
    }

    restante::test::TempDir directory_;
    std::filesystem::path file_ = directory_.path() / "resolv.conf";
    NameServer next_{loop_, "127.0.0.2", names_.port()};
    Resolver machine_{loop_, {}, {file_, names_.port()}};
};

TEST_F(Machine, isAskedAsItsFileSaysNow)
{
    names_.a("moved.test", "192.0.2.1");
    next_.a("moved.test", "192.0.2.2");
    name("127.0.0.1");
    ASSERT_THAT(find(machine_, "sip:moved.test:5060"), ElementsAre("udp:192.0.2.1:5060"));
    name("127.0.0.2");
    EXPECT_TRUE(turnUntil([&] {
        return find(machine_, "sip:moved.test:5060") ==
               std::vector<std::string>{"udp:192.0.2.2:5060"};
    })) << "what the other one said would be kept for half a minute";
}

TEST_F(Machine, isAskedAnewWhileAQueryToItsOldServerIsUnderWay)
{
    names_.a("moved.test", "192.0.2.1");
    next_.a("moved.test", "192.0.2.2");
    name("127.0.0.1");
    ASSERT_THAT(find(machine_, "sip:moved.test:5060"), ElementsAre("udp:192.0.2.1:5060"));
    names_.fallSilent();
    bool waited = false;
    machine_.find(nextHopOf("sip:slow.test:5060").value(), false,
                  [&](const auto& found) { waited = !found.has_value(); });
    name("127.0.0.2");
    EXPECT_TRUE(turnUntil([&] {
        return find(machine_, "sip:moved.test:5060") ==
               std::vector<std::string>{"udp:192.0.2.2:5060"};
    }));
    EXPECT_FALSE(waited) << "it has 4 s and more for that";
    EXPECT_TRUE(turnUntil([&] { return waited; })) << "the old server's query comes to its end";
}

/// Requests to a name behind which are two servers.
class Failover : public Resolving {
protected:
    void request(const std::string& uri, std::vector<std::string> others = {})
    {
        RequestSender::Route route{uri, "", false};
        route.otherHops = std::move(others);
        sender_.send("MESSAGE sip:bob@pair.test SIP/2.0\r\nMax-Forwards: 70\r\n"
                     "From: <sip:a@localhost>;tag=1\r\nTo: <sip:bob@pair.test>\r\nCall-ID: " +
                         restante::test::uniqueToken() +
                         "\r\nCSeq: 1 MESSAGE\r\nContent-Length: 0\r\n\r\n",
                     route, [this](const auto& answer) { answer_ = answer; });
    }
    void serve(const std::string& name, const SipSocket& first, const SipSocket& second)
    {
        const auto portOf = [](const SipSocket& socket) {
            return static_cast<unsigned>(
                std::stoi(socket.address().substr(socket.address().rfind(':') + 1)));
        };
        names_.srv(name, 1, 1, portOf(first), "here.pair.test");
        names_.srv(name, 2, 1, portOf(second), "here.pair.test");
        names_.a("here.pair.test", "127.0.0.1");
    }
    std::optional<SipSocket::Arrival> arrivalAt(SipSocket& socket)
    {
        std::optional<SipSocket::Arrival> arrival;
        turnUntil([&] { return (arrival = socket.receive(Millis{0})).has_value(); });
        return arrival;
    }

    std::unique_ptr<Agent> agent_ = [this] {
        Agent::Settings settings;
        settings.listen = socketsOf("127.0.0.1:0");
        settings.answerTimeout = Millis{8'000};
        settings.nameServers = {names_.address()};
        return Agent::open(loop_, settings, [](auto) {}).value();
    }();
    RequestSender sender_{*agent_};
    std::optional<RequestSender::Response> answer_;
    SipServer own_{SipTransport::Udp, "127.0.0.1", agent_->listening().front().port};
};

TEST_F(Failover, triesTheNextServerAfterA503)
{
    SipSocket first{own_};
    SipSocket second{own_};
    serve("_sip._udp.pair.test", first, second);
    request("sip:pair.test;transport=UDP");
    const auto refused = arrivalAt(first);
    ASSERT_TRUE(refused);
    first.answer(*refused, refused->message.answer(503, "Service Unavailable").toString());
    const auto taken = arrivalAt(second);
    ASSERT_TRUE(taken);
    EXPECT_NE(taken->message.header("Via"), refused->message.header("Via"))
        << "another transaction";
    second.answer(*taken, taken->message.answer(200, "OK").toString());
    ASSERT_TRUE(turnUntil([&] { return answer_.has_value(); }));
    EXPECT_EQ(answer_->status, 200);
}

TEST_F(Failover, triesTheNextServerWhenOneDoesNotAnswer)
{
    SipSocket first{own_};
    SipSocket second{own_};
    serve("_sip._udp.pair.test", first, second);
    request("sip:pair.test;transport=udp");
    ASSERT_TRUE(arrivalAt(first));
    const auto taken = arrivalAt(second);
    ASSERT_TRUE(taken);
    second.answer(*taken, taken->message.answer(200, "OK").toString());
    ASSERT_TRUE(turnUntil([&] { return answer_.has_value(); }));
    EXPECT_EQ(answer_->status, 200);
}

/// By the URI that names the transport, and by the one whose records do.
class LivingConnection : public Failover, public ::testing::WithParamInterface<const char*> {
protected:
    /// The answer of the device to a request to it.
    void deliver(SipSocket& device)
    {
        answer_.reset();
        request(GetParam());
        const auto arrival = arrivalAt(device);
        ASSERT_TRUE(arrival);
        device.answer(*arrival, arrival->message.answer(200, "OK").toString());
        ASSERT_TRUE(turnUntil([&] { return answer_.has_value(); }));
    }
    /// Questions that a request to somebody else costs, who is not there.
    int questionsFor(const std::string& name)
    {
        const auto before = names_.questions();
        answer_.reset();
        request("sip:" + name + ":5060");
        EXPECT_TRUE(turnUntil([&] { return answer_.has_value(); }));
        return names_.questions() - before;
    }
    /// The resolver keeps a thousand names: what it knew before is asked for anew after these.
    void makeTheResolverForget()
    {
        EXPECT_GT(questionsFor("control.test"), 0);
        for (int i = 0; i < 1'000; ++i) {
            questionsFor("n" + std::to_string(i) + ".test");
        }
        EXPECT_GT(questionsFor("control.test"), 0) << "so it is known that it forgets";
    }
};

TEST_P(LivingConnection, isUsedWithoutAnyQuestion)
{
    SipSocket device{{SipTransport::Tcp, "127.0.0.1", own_.port}};
    names_.naptr("pair.test", 10, "SIP+D2T", "_sip._tcp.pair.test");
    serve("_sip._tcp.pair.test", device, device);
    deliver(device);
    makeTheResolverForget();
    const auto asked = names_.questions();
    deliver(device);
    EXPECT_EQ(names_.questions(), asked);
    EXPECT_EQ(agent_->connections(), 1U);
}

INSTANTIATE_TEST_SUITE_P(To,
                         LivingConnection,
                         ::testing::Values("sip:pair.test;transport=tcp", "sip:pair.test"),
                         [](const auto& one) {
                             return std::string(one.index == 0 ? "aTransport" : "noTransport");
                         });

TEST_F(Failover, triesTheNextHopWhenTheOneOfALivingConnectionRefuses)
{
    SipSocket first{{SipTransport::Tcp, "127.0.0.1", own_.port}};
    SipSocket second{own_};
    serve("_sip._tcp.pair.test", first, first);
    request("sip:pair.test;transport=tcp");
    const auto before = arrivalAt(first);
    ASSERT_TRUE(before);
    first.answer(*before, before->message.answer(200, "OK").toString());
    ASSERT_TRUE(turnUntil([&] { return answer_.has_value(); }));

    answer_.reset();
    request("sip:pair.test;transport=tcp", {"sip:" + second.address()});
    const auto refused = arrivalAt(first);
    ASSERT_TRUE(refused);
    first.answer(*refused, refused->message.answer(503, "Service Unavailable").toString());
    const auto taken = arrivalAt(second);
    ASSERT_TRUE(taken);
    second.answer(*taken, taken->message.answer(200, "OK").toString());
    ASSERT_TRUE(turnUntil([&] { return answer_.has_value(); }));
    EXPECT_EQ(answer_->status, 200);
    EXPECT_FALSE(first.receive(Millis{0})) << "it is not asked twice";
}

TEST_F(Failover, looksUpTheNextHopOnlyWhenTheFirstHasFailed)
{
    SipSocket first{own_};
    names_.fallSilent();
    request("sip:" + first.address(), {"sip:slow.test:5060"});
    const auto taken = arrivalAt(first);
    ASSERT_TRUE(taken);
    first.answer(*taken, taken->message.answer(200, "OK").toString());
    ASSERT_TRUE(turnUntil([&] { return answer_.has_value(); }));
    EXPECT_EQ(answer_->status, 200);
    EXPECT_EQ(names_.questions(), 0);
}

TEST_F(Failover, passesOnWhatTheFirstHopSaysWhenThereIsNoOther)
{
    SipSocket first{own_};
    request("sip:" + first.address(), {"sip:absent.test:5060"});
    const auto refused = arrivalAt(first);
    ASSERT_TRUE(refused);
    first.answer(
        *refused,
        refused->message.answer(503, "Service Unavailable").set("Retry-After", "600").toString());
    ASSERT_TRUE(turnUntil([&] { return answer_.has_value(); }));
    EXPECT_EQ(answer_->status, 503);
    EXPECT_EQ(answer_->retryAfter, Millis{600'000});
    EXPECT_FALSE(answer_->locallyGenerated);
}

TEST_F(Failover, goesOnToTheNextHopWhenNobodyTellsWhereTheFirstIs)
{
    SipSocket second{own_};
    names_.fallSilent();
    request("sip:slow.test:5060", {"sip:" + second.address()});
    const auto taken = arrivalAt(second);
    ASSERT_TRUE(taken);
    second.answer(*taken, taken->message.answer(200, "OK").toString());
    ASSERT_TRUE(turnUntil([&] { return answer_.has_value(); }));
    EXPECT_EQ(answer_->status, 200);
}

TEST_F(Failover, refusesATransportThatIsNotSpokenHere)
{
    request("sip:127.0.0.1;transport=ws");
    ASSERT_TRUE(turnUntil([&] { return answer_.has_value(); }));
    EXPECT_EQ(answer_->status, 503);
    EXPECT_TRUE(answer_->locallyGenerated);
}

TEST_F(Failover, dialsNothingForAFlowThatIsGone)
{
    sender_.send("MESSAGE sip:bob@localhost SIP/2.0\r\nMax-Forwards: 70\r\n"
                 "From: <sip:a@localhost>;tag=1\r\nTo: <sip:bob@localhost>\r\nCall-ID: 1@x\r\n"
                 "CSeq: 1 MESSAGE\r\nContent-Length: 0\r\n\r\n",
                 {"sip:127.0.0.1:5060;transport=tcp", "0123456789abcdef/7", true},
                 [this](const auto& answer) { answer_ = answer; });
    ASSERT_TRUE(turnUntil([&] { return answer_.has_value(); }));
    EXPECT_EQ(answer_->status, 503) << "another daemon's";
    EXPECT_EQ(agent_->connections(), 0U);
}

TEST_F(Failover, sendsOverIpv6WhateverStandsFirst)
{
    Agent::Settings settings;
    settings.listen = {{Transport::Udp, "127.0.0.1", 0}, {Transport::Udp, "::1", 0}};
    const auto agent = Agent::open(loop_, settings, [](auto) {}).value();
    RequestSender sender{*agent};
    SipSocket device{{SipTransport::Udp, "::1", agent->listening()[1].port}};
    sender.send("MESSAGE sip:bob@localhost SIP/2.0\r\nMax-Forwards: 70\r\n"
                "From: <sip:a@localhost>;tag=1\r\nTo: <sip:bob@localhost>\r\nCall-ID: 1@x\r\n"
                "CSeq: 1 MESSAGE\r\nContent-Length: 0\r\n\r\n",
                {"sip:" + device.address(), "", false},
                [this](const auto& answer) { answer_ = answer; });
    const auto arrival = arrivalAt(device);
    ASSERT_TRUE(arrival);
    EXPECT_EQ(arrival->from, agent->listening()[1].port) << "the socket of that kind";
    device.answer(*arrival, arrival->message.answer(200, "OK").toString());
    ASSERT_TRUE(turnUntil([&] { return answer_.has_value(); }));
    EXPECT_EQ(answer_->status, 200);
}

}  // namespace
}  // namespace restante::sip::test
