// Who is told what about which message: receipts (RFC 5438) and notices.

#include "core/job/cpim.h"
#include "sipplugin/message/sip_message_codec.h"
#include "sipplugin/receipts/sender_reports.h"
#include "tests/unit/sip/examples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::sip {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

std::string cpim(const std::string& wanted,
                 const std::string& more = {},
                 const std::string& type = "text/plain")
{
    return "From: Alice <im:alice@example.com>\r\n"
           "To: Bob <im:bob@example.com>\r\n"
           "DateTime: 2006-04-04T12:16:49-05:00\r\n"
           "NS: i <urn:ietf:params:imdn>\r\n"
           "i.Message-ID: 34jk<324j\r\n"
           "i.Disposition-Notification: " +
           wanted + "\r\n" + more + "\r\nContent-Type: " + type + "\r\n\r\nHello World";
}

Job messageJob(std::string body, std::string type = "message/cpim")
{
    Job job;
    job.id = "m1";
    job.channel = Channel::Sip;
    job.topic = kSipTopic;
    job.sender = kAlice;
    job.recipient = kBob;
    job.headers = {{"From", "<sip:alice@example.com>"}};
    job.contentType = std::move(type);
    job.body = std::move(body);
    job.created = kNow - 1h;
    return job;
}

ReportRules everything()
{
    ReportRules rules;
    rules.settings.receipts = {Disposition::Stored, Disposition::Delivered, Disposition::Failed};
    return rules;
}

ReportRules notices()
{
    ReportRules rules;
    rules.settings.notice = Config::Notice::Both;
    return rules;
}

bool isReceipted(const std::string& wanted, Disposition what)
{
    return receiptFor(messageJob(cpim(wanted)), what, everything(), kNow).has_value();
}

TEST(Receipt, isOnlyWhatTheMessageAsksFor)
{
    EXPECT_TRUE(isReceipted("processing", Disposition::Stored));
    EXPECT_FALSE(isReceipted("processing", Disposition::Delivered));
    EXPECT_FALSE(isReceipted("processing", Disposition::Failed));
    EXPECT_TRUE(isReceipted("positive-delivery, negative-delivery", Disposition::Delivered));
    EXPECT_TRUE(isReceipted("positive-delivery, negative-delivery", Disposition::Failed));
    EXPECT_FALSE(isReceipted("positive-delivery, negative-delivery", Disposition::Stored));
    EXPECT_FALSE(isReceipted("display", Disposition::Delivered));
    EXPECT_TRUE(isReceipted("display, Processing;x=y", Disposition::Stored));
}

TEST(Receipt, isOnlyWhatIsConfigured)
{
    const auto all = messageJob(cpim("processing, positive-delivery, negative-delivery"));
    ReportRules rules;
    EXPECT_TRUE(receiptFor(all, Disposition::Stored, rules, kNow));
    EXPECT_TRUE(receiptFor(all, Disposition::Failed, rules, kNow));
    EXPECT_FALSE(receiptFor(all, Disposition::Delivered, rules, kNow))
        << "by default that is left to the device (RFC 5438 section 8)";
    rules.settings.receipts.clear();
    EXPECT_FALSE(receiptFor(all, Disposition::Stored, rules, kNow));
    EXPECT_FALSE(receiptFor(all, Disposition::Failed, rules, kNow));
}

TEST(Receipt, goesIntoTheSendersMailboxFromTheRecipient)
{
    const auto order =
        receiptFor(messageJob(cpim("processing")), Disposition::Stored, everything(), kNow);
    ASSERT_TRUE(order);
    EXPECT_EQ(order->placement, Placement::Mailbox);
    EXPECT_EQ(order->job.recipient, kAlice);
    EXPECT_EQ(order->job.sender, kBob);
    EXPECT_EQ(order->job.contentType, "message/cpim");
    EXPECT_FALSE(order->onceKey.empty());
}

TEST(Receipt, ofAnEditedMessageIsNotTakenForThatOfTheEarlierOne)
{
    auto message = messageJob(cpim("positive-delivery, processing"));
    const auto once = [&](Disposition what) {
        return receiptFor(message, what, everything(), kNow).value().onceKey;
    };
    const auto delivered = once(Disposition::Delivered);
    const auto stored = once(Disposition::Stored);
    message.created += 1ms;
    EXPECT_NE(once(Disposition::Delivered), delivered);
    EXPECT_EQ(once(Disposition::Stored), stored) << "its sender may have repeated it";
}

TEST(Receipt, saysWhatBecameOfWhichMessage)
{
    const auto order =
        receiptFor(messageJob(cpim("processing")), Disposition::Stored, everything(), kNow);
    ASSERT_TRUE(order);
    const auto receipt = CpimMessage::parse(order->job.body);
    ASSERT_TRUE(receipt);
    EXPECT_EQ(receipt->header({}, "From"), "Bob <im:bob@example.com>");
    EXPECT_EQ(receipt->header({}, "To"), "Alice <im:alice@example.com>");
    EXPECT_EQ(receipt->header({}, "DateTime"), "2023-11-14T22:13:20.000Z");
    EXPECT_TRUE(receipt->header(kImdnNamespace, "Message-ID"));
    EXPECT_EQ(receipt->header(kImdnNamespace, "Disposition-Notification"), std::nullopt);
    EXPECT_EQ(receipt->contentHeader("Content-Type"), "message/imdn+xml");
    EXPECT_EQ(receipt->contentHeader("Content-Disposition"), "notification");
    EXPECT_EQ(receipt->contentHeader("Content-Length"), std::to_string(receipt->content().size()));
    const std::string xml{receipt->content()};
    EXPECT_THAT(xml, HasSubstr("<imdn xmlns=\"urn:ietf:params:xml:ns:imdn\">"));
    EXPECT_THAT(xml, HasSubstr("<message-id>34jk&lt;324j</message-id>"));
    EXPECT_THAT(xml, HasSubstr("<datetime>2006-04-04T12:16:49-05:00</datetime>"));
    EXPECT_THAT(xml, HasSubstr("<recipient-uri>im:bob@example.com</recipient-uri>"));
    EXPECT_THAT(xml, HasSubstr("<processing-notification><status><stored/></status>"));
}

TEST(Receipt, tellsADeliveryAndAFailureAsDeliveryNotifications)
{
    const auto all = messageJob(cpim("positive-delivery, negative-delivery"));
    const auto delivered = receiptFor(all, Disposition::Delivered, everything(), kNow);
    const auto failed = receiptFor(all, Disposition::Failed, everything(), kNow);
    ASSERT_TRUE(delivered && failed);
    EXPECT_THAT(delivered->job.body,
                HasSubstr("<delivery-notification><status><delivered/></status>"));
    EXPECT_THAT(failed->job.body, HasSubstr("<delivery-notification><status><failed/></status>"));
    EXPECT_NE(delivered->onceKey, failed->onceKey);
}

TEST(Receipt, hasTheSameOnceKeyEachTime)
{
    const auto one = messageJob(cpim("processing"));
    const auto first = receiptFor(one, Disposition::Stored, everything(), kNow);
    const auto second = receiptFor(one, Disposition::Stored, everything(), kNow + 1min);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->onceKey, second->onceKey);
}

/// With delivery to every device the report is due again for each that comes.
TEST(Receipt, isRememberedAsLongAsADeviceMayComeForTheMessage)
{
    const auto one = messageJob(cpim("positive-delivery"));
    auto rules = everything();
    rules.settings.mailbox.keep = 240h;
    EXPECT_EQ(receiptFor(one, Disposition::Delivered, rules, kNow)->onceFor, 24h);
    rules.settings.devices = Config::Devices::All;
    EXPECT_EQ(receiptFor(one, Disposition::Delivered, rules, kNow)->onceFor, 240h);
    const auto failed = messageJob(cpim("negative-delivery"));
    EXPECT_EQ(receiptFor(failed, Disposition::Failed, rules, kNow)->onceFor, 24h)
        << "no device that comes later repeats it";
    rules.settings.mailbox.keep = 1h;
    EXPECT_EQ(receiptFor(one, Disposition::Delivered, rules, kNow)->onceFor, 24h);
}

TEST(Receipt, namesTheOriginalRecipientAndTheWayBack)
{
    const auto one =
        messageJob(cpim("processing", "i.Original-To: <im:group@example.com>\r\n"
                                      "i.IMDN-Record-Route: <sip:s1@elsewhere.net>\r\n"
                                      "i.IMDN-Record-Route: <sip:s2@elsewhere.net>\r\n"));
    auto rules = everything();
    rules.isLocalDomain = [](const std::string& aor) { return aor.ends_with("@example.com"); };
    const auto order = receiptFor(one, Disposition::Stored, rules, kNow);
    ASSERT_TRUE(order);
    EXPECT_EQ(order->job.recipient, kAlice) << "a foreign server is none of our errands";
    const auto receipt = CpimMessage::parse(order->job.body);
    ASSERT_TRUE(receipt);
    EXPECT_THAT(receipt->headers(kImdnNamespace, "IMDN-Route"),
                ElementsAre("<sip:s1@elsewhere.net>", "<sip:s2@elsewhere.net>"));
    EXPECT_THAT(std::string{receipt->content()},
                HasSubstr("<original-recipient-uri>im:group@example.com</original-recipient-uri>"));
}

TEST(Receipt, goesByTheServerThatWantsToSeeItWhenThatIsOurs)
{
    const auto one =
        messageJob(cpim("processing", "i.IMDN-Record-Route: <sip:list@example.com;lr>\r\n"));
    const auto order = receiptFor(one, Disposition::Stored, everything(), kNow);
    ASSERT_TRUE(order);
    EXPECT_EQ(order->job.recipient, "sip:list@example.com");
}

TEST(Receipt, isNeverForAReceiptOrForComposing)
{
    for (const auto* type : {"message/imdn+xml", "Message/IMDN+XML; charset=utf-8",
                             "application/im-iscomposing+xml"}) {
        const auto one = messageJob(cpim("processing", {}, type));
        EXPECT_FALSE(receiptFor(one, Disposition::Stored, everything(), kNow)) << type;
    }
    EXPECT_FALSE(receiptFor(messageJob(cpim("processing"), "message/imdn+xml"), Disposition::Stored,
                            everything(), kNow));
}

TEST(Receipt, ofAReceiptOfOursIsNeverSent)
{
    auto order =
        receiptFor(messageJob(cpim("processing")), Disposition::Stored, everything(), kNow);
    ASSERT_TRUE(order);
    EXPECT_FALSE(receiptFor(order->job, Disposition::Stored, everything(), kNow));
    EXPECT_FALSE(noticeFor(order->job, Disposition::Failed, "expired", notices(), kNow));
    order->job.headers.emplace_back("From", "<sip:bob@example.com>");  // as it comes elsewhere
    EXPECT_FALSE(receiptFor(order->job, Disposition::Stored, everything(), kNow));
    EXPECT_FALSE(noticeFor(order->job, Disposition::Failed, "expired", notices(), kNow));
}

TEST(Receipt, isNotForWhatHasNoMessageId)
{
    const auto body = "From: a\r\nNS: imdn <urn:ietf:params:imdn>\r\n"
                      "imdn.Disposition-Notification: processing\r\n\r\n\r\nhi";
    EXPECT_FALSE(receiptFor(messageJob(body), Disposition::Stored, everything(), kNow));
}

TEST(Receipt, isNotForAReminderOrAPlainMessage)
{
    auto reminder = messageJob(cpim("processing"));
    reminder.headers.clear();
    EXPECT_FALSE(receiptFor(reminder, Disposition::Stored, everything(), kNow));
    EXPECT_FALSE(
        receiptFor(messageJob("hi", "text/plain"), Disposition::Failed, everything(), kNow));
}

TEST(Receipt, isNotForSomebodyWhoCannotBeReached)
{
    auto rules = everything();
    rules.isReachable = [](const std::string&) { return false; };
    EXPECT_FALSE(receiptFor(messageJob(cpim("processing")), Disposition::Stored, rules, kNow));
    auto anonymous = messageJob(cpim("processing"));
    anonymous.sender = "tel:+4917012345678";
    EXPECT_FALSE(receiptFor(anonymous, Disposition::Stored, everything(), kNow));
}

TEST(Notice, saysInPlainWordsWhoWasNotReached)
{
    const auto order = noticeFor(messageJob("hi", "text/plain"), Disposition::Failed,
                                 "refused by the recipient: 415 Unsupported", notices(), kNow);
    ASSERT_TRUE(order);
    EXPECT_EQ(order->job.recipient, kAlice);
    EXPECT_EQ(order->job.sender, kBob);
    EXPECT_EQ(order->job.contentType, "text/plain;charset=UTF-8");
    EXPECT_EQ(order->job.body, "Your message to sip:bob@example.com could not be delivered: "
                               "refused by the recipient: 415 Unsupported");
    EXPECT_THAT(order->job.headers,
                ElementsAre(std::pair{std::string{"Auto-Submitted"}, std::string{"auto-replied"}}));
}

TEST(Notice, isInTheWordsAndFromTheAddressOfTheOperator)
{
    auto rules = notices();
    rules.settings.noticeFrom = "sip:restante@example.com";
    rules.settings.noticeFailedText = "{recipient} ({recipient}): {reason}";
    const auto order =
        noticeFor(messageJob("hi", "text/plain"), Disposition::Failed, "expired", rules, kNow);
    ASSERT_TRUE(order);
    EXPECT_EQ(order->job.sender, "sip:restante@example.com");
    EXPECT_EQ(order->job.body, "sip:bob@example.com (sip:bob@example.com): they could not be "
                               "reached in time");
}

TEST(Notice, isOffUnlessTheOperatorWantsIt)
{
    const auto one = messageJob("hi", "text/plain");
    EXPECT_FALSE(noticeFor(one, Disposition::Failed, "expired", everything(), kNow));
    EXPECT_FALSE(noticeFor(one, Disposition::Stored, {}, everything(), kNow));
    EXPECT_FALSE(mayBeReported(one, Disposition::Failed, everything().settings));
    EXPECT_FALSE(noticeFor(one, Disposition::Delivered, {}, notices(), kNow));
}

TEST(Notice, isOneForSenderRecipientAndKindInAnInterval)
{
    const auto first =
        noticeFor(messageJob("one", "text/plain"), Disposition::Failed, "expired", notices(), kNow);
    auto other = messageJob("two", "text/plain");
    other.id = "m2";
    const auto second = noticeFor(other, Disposition::Failed, "expired", notices(), kNow);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->onceKey, second->onceKey);
    EXPECT_EQ(first->onceFor, 1h);
    other.recipient = "sip:carol@example.com";
    EXPECT_NE(noticeFor(other, Disposition::Failed, "expired", notices(), kNow)->onceKey,
              first->onceKey);
    EXPECT_NE(noticeFor(messageJob("one", "text/plain"), Disposition::Stored, {}, notices(), kNow)
                  ->onceKey,
              first->onceKey);
}

TEST(Notice, isNeverAnAnswerToAProgram)
{
    auto automatic = messageJob("hi", "text/plain");
    automatic.headers.emplace_back("auto-submitted", "auto-generated");
    EXPECT_FALSE(noticeFor(automatic, Disposition::Failed, "expired", notices(), kNow));
    automatic.headers.back().second = "no";
    EXPECT_TRUE(noticeFor(automatic, Disposition::Failed, "expired", notices(), kNow));
}

TEST(Notice, isNeverForANotice)
{
    auto order =
        noticeFor(messageJob("hi", "text/plain"), Disposition::Failed, "expired", notices(), kNow);
    ASSERT_TRUE(order);
    order->job.id = "n1";
    EXPECT_FALSE(noticeFor(order->job, Disposition::Failed, "expired", notices(), kNow));
    order->job.headers.emplace_back("From", "<sip:bob@example.com>");  // as it comes elsewhere
    EXPECT_FALSE(noticeFor(order->job, Disposition::Failed, "expired", notices(), kNow));
}

TEST(Notice, isNotForOneselfOrForTheAddressThatNoticesComeFrom)
{
    auto own = messageJob("hi", "text/plain");
    own.sender = own.recipient;
    EXPECT_FALSE(noticeFor(own, Disposition::Failed, "expired", notices(), kNow));
    auto rules = notices();
    rules.settings.noticeFrom = kAlice;
    EXPECT_FALSE(
        noticeFor(messageJob("hi", "text/plain"), Disposition::Failed, "expired", rules, kNow));
}

TEST(Notice, givesWayToTheReceiptThatSaysTheSame)
{
    EXPECT_FALSE(noticeFor(messageJob(cpim("negative-delivery")), Disposition::Failed, "expired",
                           notices(), kNow));
    EXPECT_TRUE(noticeFor(messageJob(cpim("positive-delivery")), Disposition::Failed, "expired",
                          notices(), kNow));
}

}  // namespace
}  // namespace restante::sip
