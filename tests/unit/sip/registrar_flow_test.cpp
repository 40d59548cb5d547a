// What the registrar tells of the connection that a REGISTER came by.

#include "sipplugin/registration/registrar.h"
#include "tests/support/manual_clock.h"
#include "tests/unit/sip/examples.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace restante::sip {
namespace {

using namespace std::chrono_literals;

constexpr auto kFlow = "daemon/7";

/// Has what a test puts into it, at once.
class Contacts final : public BindingStore {
public:
    void lookup(std::string /*aor*/, Done<std::vector<Binding>> done) override { done(kept); }
    void update(BindingUpdate update, Done<Arrival> done) override
    {
        if (broken) {
            done(failure(ErrorCode::Unavailable, "broken by the test"));
            return;
        }
        if (silent) {
            unanswered.push_back(std::move(done));
            return;
        }
        if (update.removeAll || !update.removals.empty()) {
            kept.clear();
        }
        kept.insert(kept.end(), update.additions.begin(), update.additions.end());
        done(Arrival{kept});
    }

    std::vector<Binding> kept;
    bool broken = false;
    bool silent = false;
    std::vector<Done<Arrival>> unanswered;
};

class RegisterByConnection : public ::testing::Test {
protected:
    /// Borrows the contact.
    ReceivedRequest registerOf(const std::string& contact) const
    {
        ReceivedRequest request;
        request.method = "REGISTER";
        request.requestUri = "sip:example.com";
        request.headers = {{"Via", via},
                           {"From", "<sip:bob@example.com>;tag=1"},
                           {"To", "<sip:bob@example.com>"},
                           {"Call-ID", "1@example.com"},
                           {"CSeq", "1 REGISTER"},
                           {"Expires", expires}};
        if (!contact.empty()) {
            request.headers.push_back({"Contact", contact});
        }
        request.transport = transport;
        request.sourceHost = "192.0.2.7";
        request.sourcePort = 40'000;
        request.flow = kFlow;
        return request;
    }
    std::optional<ConnectionLifetime> keepAfter(const std::string& contact)
    {
        std::optional<ConnectionLifetime> kept;
        registrar_.handle(registerOf(contact),
                          [&](const SipAnswer& answer) { kept = answer.keepConnection; });
        return kept;
    }
    /// One of bob's that came by `flow`.
    void keep(const std::string& flow, std::chrono::seconds left)
    {
        Binding binding;
        binding.contact = "sip:bob@192.0.2.9";
        binding.flow = flow;
        binding.expires = clock_.now() + left;
        contacts_.kept.push_back(binding);
    }
    static ConnectionLifetime keepFor(std::chrono::seconds left) { return {kBob, left}; }

    std::string via = "SIP/2.0/TCP 192.0.2.7:40000;branch=z9hG4bK1";
    std::string expires = "600";
    Transport transport = Transport::Tcp;
    std::uint32_t nextClaim_ = 1;         ///< messages for the next who registers
    std::vector<std::uint32_t> arrived_;  ///< how many were to be claimed for whom was answered
    test::ManualClock clock_;
    Contacts contacts_;
    LocalDomains domains_{{"example.com"}, {}};
    Registrar registrar_{contacts_,
                         clock_,
                         domains_,
                         Config::Sip{},
                         {[this](const std::string&) {
                              return BindingUpdate::ClaimLimits{nextClaim_++, 0};
                          },
                          [this](const std::string&,
                                 const BindingUpdate::ClaimLimits& prepared,
                                 const Result<Arrival>&) { arrived_.push_back(prepared.messages); },
                          [](const std::string&) {}}};
};

TEST_F(RegisterByConnection, keepsItAsLongAsItsBinding)
{
    EXPECT_EQ(keepAfter("<sip:bob@192.0.2.7>;expires=60"), keepFor(60s));
}

TEST_F(RegisterByConnection, isNotFooledByTheTextOfAContact)
{
    EXPECT_EQ(keepAfter("<sip:bob@192.0.2.7>;expires=60;+sip.instance=\"<a;expires=4294967295>\""),
              keepFor(60s));
}

TEST_F(RegisterByConnection, keepsItNoLongerAfterARemoval)
{
    keep(kFlow, 3'000s);
    EXPECT_EQ(keepAfter("<sip:bob@192.0.2.9>;expires=0"), keepFor(0s));
    keep(kFlow, 3'000s);
    expires = "0";
    EXPECT_EQ(keepAfter("*"), keepFor(0s));
}

TEST_F(RegisterByConnection, doesNotCountWhatCameByOthers)
{
    keep("daemon/8", 3'000s);
    EXPECT_EQ(keepAfter("<sip:bob@192.0.2.7>;expires=60"), keepFor(60s));
    keep(kFlow, 100s);
    EXPECT_EQ(keepAfter(""), keepFor(100s)) << "a query tells of its own, too";
}

TEST_F(RegisterByConnection, saysNothingOfItWhenAProxyAskedOrTheStoreFailed)
{
    via = "SIP/2.0/TCP 192.0.2.7:5060;branch=z9hG4bK1, SIP/2.0/UDP 10.0.0.1";
    EXPECT_EQ(keepAfter("<sip:bob@192.0.2.7>"), std::nullopt);
    via = "SIP/2.0/TCP 192.0.2.7:40000;branch=z9hG4bK1";
    transport = Transport::Udp;
    EXPECT_EQ(keepAfter("<sip:bob@192.0.2.7>"), std::nullopt);
    transport = Transport::Tls;
    contacts_.broken = true;
    EXPECT_EQ(keepAfter("<sip:bob@192.0.2.7>"), std::nullopt);
}

TEST_F(RegisterByConnection, tellsWhichOfTwoIsAnswered)
{
    const std::string contact = "<sip:bob@192.0.2.7>";
    contacts_.silent = true;
    registrar_.handle(registerOf(contact), [](const SipAnswer&) {});
    registrar_.handle(registerOf(contact), [](const SipAnswer&) {});
    ASSERT_EQ(contacts_.unanswered.size(), 2U);
    contacts_.unanswered[1](failure(ErrorCode::Unavailable, "it has waited too long"));
    contacts_.unanswered[0](Arrival{});
    EXPECT_EQ(arrived_, (std::vector<std::uint32_t>{2, 1}));
}

}  // namespace
}  // namespace restante::sip
