#include "sipplugin/regevent/reginfo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace restante::sip {
namespace {

using ::testing::HasSubstr;

std::string documentOf(const std::string& inside)
{
    return fmt::format("<?xml version=\"1.0\"?>\n<reginfo "
                       "xmlns=\"urn:ietf:params:xml:ns:reginfo\" version=\"0\" "
                       "state=\"full\">{}</reginfo>",
                       inside);
}

TEST(Reginfo, tellsWhoIsRegisteredAndWhere)
{
    const auto told = parseReginfo(documentOf(
        R"(<registration aor="sip:bob@example.org" id="1" state="active">
             <contact id="2" state="active" event="created" expires="3600">
               <uri> sip:bob@192.0.2.1:5062 </uri><display-name>Bob</display-name>
             </contact>
             <contact id="3" state="terminated" event="expired"><uri>sip:bob@old</uri></contact>
           </registration>)"));
    ASSERT_TRUE(told) << told.error().message;
    ASSERT_EQ(told->size(), 1U);
    const auto& bob = told->front();
    EXPECT_EQ(bob.aor, "sip:bob@example.org");
    ASSERT_EQ(bob.contacts.size(), 2U);
    EXPECT_EQ(bob.contacts[0].uri, "sip:bob@192.0.2.1:5062");
    EXPECT_EQ(bob.contacts[0].event, "created");
    EXPECT_TRUE(bob.isActive());
}

TEST(Reginfo, ofWhoHasGoneIsNotActive)
{
    const auto told = parseReginfo(documentOf(
        R"(<registration aor="sip:a@x" state="terminated"><contact state="terminated"/></registration>
           <registration aor="sip:b@x" state="active"><contact state="terminated"/></registration>
           <registration aor="sip:c@x" state="init"/>)"));
    ASSERT_TRUE(told) << told.error().message;
    ASSERT_EQ(told->size(), 3U);
    for (const auto& one : *told) {
        EXPECT_FALSE(one.isActive()) << one.aor;
    }
}

TEST(Reginfo, mayHavePrefixesAndElementsThatWeDoNotKnow)
{
    const auto told = parseReginfo(
        R"(<x:reginfo xmlns:x="urn:ietf:params:xml:ns:reginfo"><x:other><x:contact/></x:other>)"
        R"(<x:registration aor="sip:a@x" state="active"/></x:reginfo>)");
    ASSERT_TRUE(told) << told.error().message;
    ASSERT_EQ(told->size(), 1U);
    EXPECT_TRUE(told->front().isActive());
}

TEST(Reginfo, withADocumentTypeIsRefusedBeforeAnythingIsExpanded)
{
    const auto told = parseReginfo(
        "<!DOCTYPE r [<!ENTITY a \"x\">]><reginfo><registration aor=\"&a;\"/></reginfo>");
    ASSERT_FALSE(told);
    EXPECT_EQ(told.error().code, ErrorCode::Invalid);
    EXPECT_THAT(told.error().message, HasSubstr("document type"));
}

TEST(Reginfo, thatIsTooDeepOrTooLongIsRefused)
{
    std::string deep;
    for (int i = 0; i < 20; ++i) {
        deep += "<x>";
    }
    EXPECT_FALSE(parseReginfo(documentOf(deep)));
    std::string many = "<registration aor=\"sip:a@x\" state=\"active\">";
    for (int i = 0; i < 1'001; ++i) {
        many += "<contact state=\"active\"/>";
    }
    const auto told = parseReginfo(documentOf(many + "</registration>"));
    ASSERT_FALSE(told);
    EXPECT_THAT(told.error().message, HasSubstr("too many contacts"));
}

TEST(Reginfo, thatIsBrokenOrSomethingElseIsRefusedWithALine)
{
    EXPECT_THAT(parseReginfo("").error().message, HasSubstr("line 1"));
    EXPECT_FALSE(parseReginfo("<reginfo><registration"));
    EXPECT_FALSE(parseReginfo("<html/>"));
    EXPECT_FALSE(parseReginfo("\xff\xfe"));
}

}  // namespace
}  // namespace restante::sip
