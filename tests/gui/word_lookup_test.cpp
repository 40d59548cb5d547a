// A word in the search that is an id or a key leads to its job without looking at the others.

#include "gui/pages/jobs/filter_text.h"
#include "gui/pages/jobs/jobs_page.h"
#include "tests/gui/support/open_session.h"
#include "tests/gui/support/whole_console.h"
#include "tests/support/redis_server.h"

#include <QLineEdit>
#include <QTest>
#include <gtest/gtest.h>

namespace restante::gui::test {

namespace {

using restante::test::RedisServer;

class WordLookup : public testing::Test {
protected:
    void SetUp() override
    {
        redis.send({"HSET", "rst:meta", "schema", "1", "shards", "1"});
        whole.preferences.setLanguage(QStringLiteral("en"));
        whole.show();
        whole.window().showPage(PageId::Jobs);
        whole.console.open(redisProfile("unix://" + redis.socketPath()));
        ASSERT_TRUE(until([this] { return whole.jobs().feed().answered(); }));
        push("order-17", "");
        push("01J9ZZZZZZZZZZZZZZZZZZZZZA", "customer-9");
        for (int n = 0; n < 2'000; ++n) {
            push("filler-" + std::to_string(n), "");
        }
    }
    void push(const std::string& id, const std::string& key)
    {
        PushOptions order;
        order.job.id = id;
        order.job.topic = "order";
        order.job.body = "mentions order-17 and customer-9";
        order.job.bizKey = key;
        order.delay = std::chrono::hours{1};
        ++expected;
        whole.window().session()->commands().push(
            order, {&receiver, [this](const Result<Pushed>& pushed) {
                        EXPECT_TRUE(pushed) << (pushed ? "" : pushed.error().message);
                        ++stored;
                    }});
        if (expected - stored > 200) {
            ASSERT_TRUE(until([this] { return stored == expected; }));
        }
    }
    void search(const char* word)
    {
        ASSERT_TRUE(until([this] { return stored == expected; }));
        whole.jobs().showFilter({});
        auto* box = whole.jobs().findChild<QLineEdit*>(QStringLiteral("filterEdit"));
        ASSERT_NE(box, nullptr);
        box->setText(QString::fromLatin1(word));
        QTest::keyClick(box, Qt::Key_Return);
    }
    bool finds(const char* id, const char* filter)
    {
        return until([&] {
            const auto& feed = whole.jobs().feed();
            return feed.view().filter.text() == filter && feed.answered() && !feed.busy() &&
                   feed.total() == 1 && feed.row(0) != nullptr && feed.row(0)->id == id;
        });
    }

    RedisServer redis;
    WholeConsole whole;
    QObject receiver;
    int expected = 0;
    int stored = 0;
};

}  // namespace

TEST_F(WordLookup, findsAJobByTheIdThatItsProgramGaveIt)
{
    search("order-17");
    EXPECT_TRUE(finds("order-17", R"(id:"order-17")")) << whole.jobs().feed().view().filter.text();
    EXPECT_LE(whole.jobs().feed().scan().examined, 1U)
        << "2,000 others mention it, and none was looked at";
}

TEST_F(WordLookup, findsAJobByItsKey)
{
    search("customer-9");
    EXPECT_TRUE(finds("01J9ZZZZZZZZZZZZZZZZZZZZZA", R"(biz_key:"customer-9")"))
        << whole.jobs().feed().view().filter.text();
}

TEST_F(WordLookup, inQuotesItIsAText)
{
    search("\"order-17\"");
    EXPECT_TRUE(until([this] {
        return whole.jobs().feed().view().filter.text() == "\"order-17\"" &&
               whole.jobs().feed().total() > 100;
    }));
}

TEST_F(WordLookup, aWordThatIsNeitherIsSearchedFor)
{
    search("mentions");
    EXPECT_TRUE(until([this] {
        return whole.jobs().feed().view().filter.text() == "mentions" &&
               whole.jobs().feed().total() > 100;
    }));
}

TEST_F(WordLookup, isOverWhenAnotherViewIsShownMeanwhile)
{
    search("mentions");
    whole.jobs().showTopic("order");
    push("filler-last", "");  // answered after the look-up would have been
    ASSERT_TRUE(until([this] { return stored == expected; }));
    push("filler-after-it", "");
    ASSERT_TRUE(until([this] { return stored == expected && whole.jobs().feed().answered(); }));
    EXPECT_EQ(whole.jobs().shownView().filter.text(), "");
    EXPECT_EQ(whole.jobs().shownView().topic, "order");
}

TEST(WordAlone, isOneWithoutFieldQuotesOrSign)
{
    EXPECT_EQ(singleWord(QStringLiteral(" order-17 ")), QStringLiteral("order-17"));
    for (const auto* no : {"a b", "to:bob", "\"order-17\"", "-order", "ord*", "NOT", ""}) {
        EXPECT_EQ(singleWord(QString::fromLatin1(no)), QString()) << no;
    }
}

}  // namespace restante::gui::test
