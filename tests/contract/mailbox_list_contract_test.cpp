// Lists of mailboxes for people: the fullest ones, and the messages of one.

#include "core/queue/mailbox.h"
#include "tests/contract/store_contract.h"

#include <fmt/format.h>
#include <set>

namespace restante::test {
namespace {

const std::string kDave = "sip:dave@example.org";

class Mailboxes : public StoreContract {
protected:
    Result<MailboxPage> queryMailboxes(MailboxQuery query)
    {
        return await<MailboxPage>([&](auto done) { inspector().mailboxes(query, done); });
    }
    MailboxPage page(const MailboxQuery& query = {})
    {
        auto page = queryMailboxes(query);
        EXPECT_DONE(page);
        return page.value_or(MailboxPage{});
    }
    MailboxContent content(const std::string& recipient, std::uint32_t limit = 200)
    {
        auto found = await<MailboxContent>([&](auto done) {
            inspector().mailbox({recipient, limit}, done);
        });
        EXPECT_DONE(found);
        return found.value_or(MailboxContent{});
    }
    static std::vector<std::string> recipientsOf(const MailboxPage& page)
    {
        std::vector<std::string> recipients;
        for (const auto& view : page.mailboxes) {
            recipients.push_back(view.recipient);
        }
        return recipients;
    }
    /// Holds messages to `recipient`, the first for the longest time; returns their ids.
    std::vector<std::string> hold(const std::string& recipient, int count)
    {
        std::vector<std::string> ids;
        for (int i = 0; i < count; ++i) {
            ids.push_back(storeHeldJob(messageTo(recipient)).id);
            clock().advance(1s);
        }
        return ids;
    }
};
INSTANTIATE_TEST_SUITE_P(Store, Mailboxes, ::testing::ValuesIn(storeFactories()), nameOfStore);

TEST_P(Mailboxes, areListedFromTheFullestOn)
{
    hold(kBob, 1);
    hold(kCarol, 3);
    hold(kDave, 2);
    storeJob(newJob());
    const auto found = page();
    EXPECT_EQ(recipientsOf(found), (std::vector{kCarol, kDave, kBob}));
    EXPECT_EQ(found.mailboxes[0].waiting, 3U);
    EXPECT_EQ(found.total, 3U);
    EXPECT_EQ(found.messages, 6U);
    EXPECT_TRUE(found.complete);
    EXPECT_EQ(found.cursor, "");
}

TEST_P(Mailboxes, tellWhenTheirMessagesCameAndWhenTheyAreTriedAgain)
{
    const auto first = now();
    storeHeldJob(messageTo(kBob), 10min);
    clock().advance(1min);
    auto last = messageTo(kBob);
    last.expires = now() + 1h;
    storeHeldJob(last, 20min);
    const auto bob = page().mailboxes.at(0);
    EXPECT_EQ(bob.oldest, first);
    EXPECT_EQ(bob.newest, first + 1min);
    EXPECT_EQ(bob.next, first + 10min);
    EXPECT_EQ(bob.expires, std::nullopt) << "the oldest does not";
    EXPECT_TRUE(bob.devices.empty());
    EXPECT_FALSE(bob.isRegistered());
    EXPECT_EQ(bob.awaySince(), std::nullopt);
}

TEST_P(Mailboxes, areFoundByAPartOfTheirName)
{
    hold(kBob, 1);
    hold("sip:Bobby@example.org", 2);
    hold(kCarol, 3);
    const auto found = page({.name = "bOB"});
    EXPECT_EQ(recipientsOf(found), (std::vector<std::string>{"sip:Bobby@example.org", kBob}));
    EXPECT_EQ(found.total, 2U);
    EXPECT_EQ(found.messages, 3U);
    EXPECT_TRUE(page({.name = "%"}).mailboxes.empty()) << "no pattern";
}

TEST_P(Mailboxes, comePageByPage)
{
    std::multiset<std::string> all;
    for (int i = 0; i < 7; ++i) {
        const auto recipient = fmt::format("sip:user{}@example.org", i);
        all.insert(recipient);
        hold(recipient, 1 + i % 3);
    }
    std::multiset<std::string> listed;
    std::uint64_t least = 3;
    MailboxQuery query{.limit = 2};
    for (int pages = 1; pages <= 4; ++pages) {
        const auto found = page(query);
        EXPECT_EQ(found.total, 7U);
        EXPECT_EQ(found.cursor.empty(), pages == 4);
        for (const auto& view : found.mailboxes) {
            EXPECT_LE(view.waiting, least);
            least = view.waiting;
            listed.insert(view.recipient);
        }
        query.cursor = found.cursor;
    }
    EXPECT_EQ(listed, all);
}

TEST_P(Mailboxes, refuseACursorThatIsNone)
{
    EXPECT_REFUSED(queryMailboxes({.cursor = "here"}), Invalid);
    EXPECT_REFUSED(queryMailboxes({.cursor = "3"}), Invalid);
}

TEST_P(Mailboxes, goWithTheirLastMessage)
{
    const auto id = hold(kBob, 1).at(0);
    EXPECT_DONE(trash(id));
    EXPECT_TRUE(page().mailboxes.empty());
    const auto bob = content(kBob);
    EXPECT_EQ(bob.mailbox.recipient, kBob);
    EXPECT_EQ(bob.mailbox.waiting, 0U);
    EXPECT_TRUE(bob.messages.empty());
}

TEST_P(Mailboxes, showTheirMessagesInTheOrderInWhichTheyCame)
{
    const auto ids = hold(kBob, 4);
    hold(kCarol, 1);
    ASSERT_EQ(idsOf(claimMailbox(kBob, 1)), std::vector{ids[0]});
    const auto bob = content(kBob);
    ASSERT_EQ(bob.messages.size(), 4U);
    EXPECT_EQ(bob.mailbox.waiting, 4U) << "one that is under way is in it still";
    for (std::size_t i = 0; i < ids.size(); ++i) {
        EXPECT_EQ(bob.messages[i].job.id, ids[i]);
        EXPECT_EQ(bob.messages[i].state, i == 0 ? JobState::Leased : JobState::Held);
        EXPECT_EQ(bob.messages[i].job.body, view(ids[i]).job.body);
        EXPECT_EQ(bob.messages[i].due, view(ids[i]).due);
    }
}

TEST_P(Mailboxes, showTheNewestOfManyMessages)
{
    const auto ids = hold(kBob, 120);
    const auto bob = content(kBob, 105);
    ASSERT_EQ(bob.messages.size(), 105U);
    EXPECT_EQ(bob.messages.front().job.id, ids[15]);
    EXPECT_EQ(bob.messages.back().job.id, ids[119]);
    EXPECT_TRUE(content(kBob, 0).messages.empty());
}

}  // namespace
}  // namespace restante::test
