#include "sipplugin/registration/binding_record.h"

#include <gtest/gtest.h>

#include <string>

namespace restante::sip {
namespace {

Binding someBinding()
{
    Binding binding;
    binding.contact = "sip:bob@192.0.2.1:5070;transport=tcp";
    binding.instance = "urn:uuid:1";
    binding.regId = "2";
    binding.q = 500;
    binding.path = {"<sip:a@p1;lr>", "<sip:p2;lr>"};
    binding.source = "[2001:db8::1]:5060";
    binding.flow = "daemon/7";
    binding.behindNat = true;
    binding.transport = "tcp";
    binding.callId = std::string("call\0\xff", 6);
    binding.cseq = 0xffff'ffff;
    binding.updated = fromEpochMs(1'763'700'000'123);
    binding.expires = fromEpochMs(1'763'700'600'123);
    return binding;
}

TEST(BindingRecord, bringsBackEveryField)
{
    EXPECT_EQ(decodeBinding(encodeBinding(someBinding())).value(), someBinding());
    EXPECT_EQ(decodeBinding(encodeBinding(Binding{})).value(), Binding{});
}

TEST(BindingRecord, isLessThanHalfOfWhatJsonTook)
{
    Binding binding = someBinding();
    binding.path.clear();
    EXPECT_LT(encodeBinding(binding).size(), 160U);
}

TEST(BindingRecord, endsWithWhatARefreshDoesNotChange)
{
    const auto before = encodeBinding(someBinding());
    auto refreshed = someBinding();
    refreshed.cseq = 1;
    refreshed.updated += Millis{5'000};
    refreshed.expires += Millis{5'000};
    const auto after = encodeBinding(refreshed);
    ASSERT_EQ(after.size(), before.size());
    constexpr std::size_t kHead = 1 + 6 + 6 + 4;
    EXPECT_EQ(after.substr(kHead), before.substr(kHead));
}

TEST(BindingRecord, thatIsCutOrOfAnotherVersionIsRefused)
{
    const auto record = encodeBinding(someBinding());
    for (std::size_t size = 0; size < record.size(); ++size) {
        EXPECT_FALSE(decodeBinding(record.substr(0, size))) << size;
    }
    EXPECT_FALSE(decodeBinding(record + "x"));
    EXPECT_FALSE(decodeBinding('\2' + record.substr(1)));
    EXPECT_FALSE(decodeBinding("{}"));
    EXPECT_FALSE(decodeBinding("{"));
}

}  // namespace
}  // namespace restante::sip
