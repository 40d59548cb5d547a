#include "sipplugin/regevent/regevent_subscriber.h"

#include <gtest/gtest.h>

namespace restante::sip {
namespace {

const std::vector<TransportAddress> kEverywhere{{Transport::Udp, "0.0.0.0", 5060}};

TEST(ContactForNotifies, isASocketThatIsBoundToAnAddress)
{
    EXPECT_EQ(contactFor("sip:registrar.invalid", {{Transport::Udp, "192.0.2.1", 5070}}),
              "sip:restante@192.0.2.1:5070");
    EXPECT_EQ(
        contactFor("sip:registrar.invalid;transport=tcp",
                   {{Transport::Udp, "192.0.2.1", 5070}, {Transport::Tcp, "2001:db8::1", 5071}}),
        "sip:restante@[2001:db8::1]:5071;transport=tcp");
}

TEST(ContactForNotifies, isTheAddressOnTheWayToTheServer)
{
    EXPECT_EQ(contactFor("sip:127.0.0.1:5080", kEverywhere), "sip:restante@127.0.0.1:5060");
}

TEST(ContactForNotifies, isLeftOpenForANameThatIsNotLookedUpHere)
{
    // Names of .invalid lead nowhere (RFC 6761): whoever looked it up would find no way.
    EXPECT_EQ(contactFor("sip:registrar.invalid", kEverywhere), "");
    EXPECT_EQ(contactFor("sip:localhost", kEverywhere), "");
}

TEST(ContactForNotifies, needsASocketOfTheTransport)
{
    EXPECT_FALSE(contactFor("sip:127.0.0.1;transport=tcp", kEverywhere));
    EXPECT_FALSE(contactFor("127.0.0.1", kEverywhere));
}

}  // namespace
}  // namespace restante::sip
