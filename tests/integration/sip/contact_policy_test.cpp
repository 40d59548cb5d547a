// Contacts that lead to where only we can reach.

#include "core/base/file_descriptor.h"
#include "core/queue/job_inspector.h"
#include "tests/integration/sip/plugin_host.h"
#include "tests/support/redis_server.h"
#include "tests/support/sip_phone.h"

#include <gmock/gmock.h>

#include <arpa/inet.h>
#include <chrono>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace restante::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// A service of this machine that speaks no SIP, such as Redis.
class Bystander {
public:
    Bystander() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        EXPECT_EQ(::bind(fd_.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
        EXPECT_EQ(::listen(fd_.get(), 16), 0);
        EXPECT_EQ(::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
        port_ = std::to_string(ntohs(address.sin_port));
    }
    const std::string& port() const { return port_; }
    bool wasCalled() const
    {
        return FileDescriptor{::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC)}.get() >= 0;
    }

private:
    FileDescriptor fd_;
    std::string port_;
};

class Contacts : public ::testing::Test {
protected:
    static PluginHost::Settings settings()
    {
        auto settings = PluginHost::settings();
        settings.redis = sharedRedis().url();
        settings.sip.retry = RetrySchedule::parse("0s,1h").value();
        settings.sip.answerTimeout = Millis{2'000};
        return settings;
    }
    void serve(const PluginHost::Settings& settings)
    {
        host_ = std::make_unique<PluginHost>(settings);
        alice_ =
            std::make_unique<SipPhone>(SipPhone::Account{"alice", "localhost", host_->server()});
    }
    /// Registers that contact for bob, writes to him, and tells what the attempt came to.
    std::string failureAt(const std::string& contact)
    {
        auto request = alice_->registration(60s);
        request.set("To", "<sip:bob@localhost>").set("Contact", contact);
        EXPECT_EQ(alice_->ask(request).status, 200);
        EXPECT_EQ(alice_->say("sip:bob@localhost", "FLUSHALL"), 202);
        std::string error;
        EXPECT_TRUE(alice_->workUntil([&] { return !(error = lastError()).empty(); }, 10s));
        return error;
    }
    std::string lastError()
    {
        std::string error;
        host_->onThread([&](auto&, auto& inspector, auto done) {
            JobQuery query;
            query.state = JobState::Held;
            inspector.list(query, [&error, done](const Result<JobPage>& page) {
                error = page.value().jobs.empty() ? "" : page.value().jobs.front().lastError;
                done();
            });
        });
        return error;
    }

    Bystander bystander_;
    std::unique_ptr<PluginHost> host_;
    std::unique_ptr<SipPhone> alice_;
};

TEST_F(Contacts, neverLeadToAnotherPortOfThisMachine)
{
    serve(settings());
    EXPECT_THAT(failureAt("<sip:bob@127.0.0.1:" + bystander_.port() + ";transport=tcp>"),
                HasSubstr("127.0.0.1 is a loopback address"));
    EXPECT_FALSE(bystander_.wasCalled());
}

TEST_F(Contacts, areJudgedByTheAddressOfTheirName)
{
    serve(settings());
    EXPECT_THAT(failureAt("<sip:bob@localhost:" + bystander_.port() + ";transport=tcp>"),
                HasSubstr("is a loopback address"));
    EXPECT_FALSE(bystander_.wasCalled());
}

TEST_F(Contacts, areJudgedByThePathThatLeadsToThem)
{
    serve(settings());
    auto request = alice_->registration(60s);
    request.set("To", "<sip:bob@localhost>");
    request.headers.emplace_back("Path",
                                 "<sip:127.0.0.1:" + bystander_.port() + ";transport=tcp;lr>");
    ASSERT_EQ(alice_->ask(request).status, 200);
    ASSERT_EQ(alice_->say("sip:bob@localhost", "FLUSHALL"), 202);
    std::string error;
    EXPECT_TRUE(alice_->workUntil([&] { return !(error = lastError()).empty(); }, 10s));
    EXPECT_THAT(error, HasSubstr("127.0.0.1 is a loopback address"));
    EXPECT_FALSE(bystander_.wasCalled());
}

TEST_F(Contacts, leadWhereTheOperatorSaysThatTheyMay)
{
    auto open = settings();
    open.sip.contacts.allow = {"127.0.0.0/8"};
    serve(open);
    SipPhone bob({"bob", "localhost", host_->server()});
    auto request = alice_->registration(60s);
    request.set("To", "<sip:bob@localhost>").set("Contact", bob.contact());
    ASSERT_EQ(alice_->ask(request).status, 200);
    ASSERT_EQ(alice_->say("sip:bob@localhost", "hello"), 202);
    EXPECT_TRUE(bob.receive(1, 10s));
}

/// Where a phone that subscribes to its message-summary has the NOTIFY sent.
class Subscriptions : public Contacts {
protected:
    PluginHost::Settings withSummaries()
    {
        auto summaries = settings();
        summaries.sip.mwi = true;
        return summaries;
    }
    SipText subscription()
    {
        auto request = alice_->request("SUBSCRIBE", alice_->aor());
        request.set("Contact", alice_->contact())
            .set("Event", "message-summary")
            .set("Accept", "application/simple-message-summary")
            .set("Expires", "600");
        return request;
    }
    /// The subscription has ended since its NOTIFY could not be sent.
    bool ends(SipText request, const SipPhone::Outcome& begun)
    {
        request.set("To", begun.response.header("To"));
        int cseq = 1;
        return alice_->workUntil(
            [&] {
                request.set("CSeq", std::to_string(++cseq) + " SUBSCRIBE")
                    .set("Via", alice_->socket().via("z9hG4bK" + uniqueToken()));
                return alice_->ask(request).status == 481;
            },
            10s);
    }
    std::string bystanderUri() const
    {
        return "<sip:alice@127.0.0.1:" + bystander_.port() + ";transport=tcp;lr>";
    }
};

TEST_F(Subscriptions, areNotNotifiedAtAnotherPortOfThisMachine)
{
    serve(withSummaries());
    auto request = subscription();
    request.set("Contact", bystanderUri());
    const auto begun = alice_->ask(request);
    ASSERT_EQ(begun.status, 200);
    EXPECT_TRUE(ends(request, begun));
    EXPECT_FALSE(bystander_.wasCalled());
}

TEST_F(Subscriptions, areNotNotifiedByARecordRouteThatLeadsThere)
{
    serve(withSummaries());
    auto request = subscription();
    request.headers.emplace_back("Record-Route", bystanderUri());
    const auto begun = alice_->ask(request);
    ASSERT_EQ(begun.status, 200);
    EXPECT_TRUE(ends(request, begun));
    EXPECT_FALSE(bystander_.wasCalled());
}

TEST_F(Subscriptions, areNotifiedWhereTheOperatorSaysThatTheyMay)
{
    auto open = withSummaries();
    open.sip.contacts.allow = {"127.0.0.0/8"};
    serve(open);
    auto request = subscription();
    request.headers.emplace_back("Record-Route", bystanderUri());
    ASSERT_EQ(alice_->ask(request).status, 200);
    EXPECT_TRUE(alice_->workUntil([&] { return bystander_.wasCalled(); }, 10s));
}

}  // namespace
}  // namespace restante::test
