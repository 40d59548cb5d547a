#include "core/json/document.h"
#include "core/json/export_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace restante::json {
namespace {

using ::testing::HasSubstr;

JobView messageView()
{
    JobView view;
    view.job.id = "m-1";
    view.job.topic = "sip";
    view.job.channel = Channel::Sip;
    view.job.recipient = "sip:bob@example.org";
    view.job.body = std::string("a\0\xff", 3);
    view.job.headers = {{"Subject", "caf\xe9"}, {"X-A", "1"}};
    view.job.created = fromEpochMs(1'700'000'000'000);
    view.state = JobState::Leased;
    view.due = fromEpochMs(1'700'000'060'000);
    view.attempt = 7;
    view.attemptOffset = 3;
    view.lastError = "486 \xff";
    view.position = JobPosition{0, 12, fromEpochMs(1'700'000'070'000), {}};
    return view;
}

Parsed<Exported> readBack(const nlohmann::json& object)
{
    return exportedOf(*parseDocument(toString(object)));
}

TEST(ExportJson, bringsEveryByteOfAJobBack)
{
    const auto before = messageView();
    const auto read = readBack(exportOf(before));
    ASSERT_TRUE(read) << read.error().field << read.error().detail;
    const auto& view = std::get<JobView>(*read);
    EXPECT_EQ(view.job, before.job);
    EXPECT_EQ(view.state, before.state);
    EXPECT_EQ(view.due, before.due);
    EXPECT_EQ(view.attempt, before.attempt);
    EXPECT_EQ(view.attemptOffset, before.attemptOffset);
    EXPECT_EQ(view.lastError, before.lastError);
    ASSERT_TRUE(view.position);
    EXPECT_EQ(view.position->arrival, 12U);
    EXPECT_EQ(view.position->mailboxNext, before.position->mailboxNext);
}

TEST(ExportJson, bringsEveryHeaderOfAMessageBack)
{
    auto before = messageView();
    for (int i = 0; i < 500; ++i) {
        before.job.headers.emplace_back("X-" + std::to_string(i), "1");
    }
    const auto read = readBack(exportOf(before));
    ASSERT_TRUE(read) << read.error().field << read.error().detail;
    EXPECT_EQ(std::get<JobView>(*read).job, before.job);
    before.job.headers.emplace_back("X-Long", std::string(16'384, 'x'));
    const auto wrong = readBack(exportOf(before));
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().field, "headers");
}

TEST(ExportJson, bringsLongTextsBackThatAreNotUtf8)
{
    const std::string text(1'024, '\xe9');
    auto before = messageView();
    before.job.channel = Channel::Pull;
    before.job.recipient = before.job.sender = before.job.contentType = before.job.bizKey = text;
    before.position.reset();
    for (const auto member : {&Job::recipient, &Job::sender, &Job::contentType, &Job::bizKey}) {
        const auto read = readBack(exportOf(before));
        ASSERT_TRUE(read) << read.error().field << read.error().detail;
        EXPECT_EQ(std::get<JobView>(*read).job, before.job);
        before.job.*member += '\xe9';
        EXPECT_FALSE(readBack(exportOf(before)));
        before.job.*member = text;
    }

    const TopicSetting topic{"order", TopicPause{fromEpochMs(1), "\xff", text}, {}};
    const auto again = readBack(exportOf(topic));
    ASSERT_TRUE(again) << again.error().field << again.error().detail;
    const auto& pause = std::get<TopicSetting>(*again).pause;
    ASSERT_TRUE(pause);
    EXPECT_EQ(pause->actor, "\xff");
    EXPECT_EQ(pause->reason, text);
}

TEST(ExportJson, bringsBackThatAnIdIsRememberedAndAJobHeldByItself)
{
    auto before = messageView();
    before.job.rememberId = true;
    before.state = JobState::Held;
    before.heldOutsideMailbox = true;
    before.position = JobPosition{0, 0, TimePoint::max(), "scheduled 1700000060000 - -"};
    const auto read = readBack(exportOf(before));
    ASSERT_TRUE(read) << read.error().field << read.error().detail;
    const auto& view = std::get<JobView>(*read);
    EXPECT_EQ(view.job, before.job);
    EXPECT_TRUE(view.job.rememberId);
    EXPECT_TRUE(view.heldOutsideMailbox);
    EXPECT_EQ(view.due, before.due);
    EXPECT_EQ(view.position->origin, before.position->origin);
}

TEST(ExportJson, bringsBackThatAJobIsNotFoundByItsKey)
{
    auto before = messageView();
    before.job.channel = Channel::Webhook;
    before.job.recipient = "https://example.org/hook";
    before.job.bizKey = "order-1";
    before.job.headers.clear();
    before.position.reset();
    for (const bool isFound : {false, true}) {
        before.job.findByKey = isFound;
        const auto read = readBack(exportOf(before));
        ASSERT_TRUE(read) << read.error().field << read.error().detail;
        EXPECT_EQ(std::get<JobView>(*read).job, before.job);
    }
}

TEST(ExportJson, cutsAnErrorHoweverItIsWritten)
{
    auto view = messageView();
    view.lastError = std::string(100'000, 'x') + "\xff";
    const auto read = readBack(exportOf(view));
    ASSERT_TRUE(read) << read.error().field << read.error().detail;
    const auto& cut = std::get<JobView>(*read).lastError;
    EXPECT_EQ(cut, std::string(65'536, 'x'));
    const auto again = readBack(exportOf(std::get<JobView>(*read)));
    ASSERT_TRUE(again) << again.error().field << again.error().detail;
    EXPECT_EQ(std::get<JobView>(*again).lastError, cut);
}

TEST(ExportJson, bringsTopicsAndOnceKeysBack)
{
    TopicSetting topic{"order",
                       TopicPause{fromEpochMs(1'700'000'000'000), "olga@vm", "down"},
                       {4, {10, Millis{1'000}}}};
    const auto read = readBack(exportOf(topic));
    ASSERT_TRUE(read) << read.error().field << read.error().detail;
    const auto& its = std::get<TopicSetting>(*read);
    EXPECT_EQ(its.topic, "order");
    ASSERT_TRUE(its.pause);
    EXPECT_EQ(its.pause->since, topic.pause->since);
    EXPECT_EQ(its.pause->actor, "olga@vm");
    EXPECT_EQ(its.limits, topic.limits);

    const OnceKey once{std::string("k\0\xff", 3), "id-1", Millis{60'000}, fromEpochMs(120'000)};
    const auto again = readBack(exportOf(once));
    ASSERT_TRUE(again) << again.error().field << again.error().detail;
    EXPECT_EQ(std::get<OnceKey>(*again).key, once.key);
    EXPECT_EQ(std::get<OnceKey>(*again).since, once.since);
}

TEST(ExportJson, bringsTheShapeOfAStoreBack)
{
    const auto read = readBack(exportOf(StoreShape{16}));
    ASSERT_TRUE(read) << read.error().field << read.error().detail;
    EXPECT_EQ(std::get<StoreShape>(*read).shards, 16U);
    for (const nlohmann::json& shards :
         {nlohmann::json(0), nlohmann::json(1'025), nlohmann::json("4"), nlohmann::json(nullptr)}) {
        const auto wrong = readBack({{"kind", "store"}, {"shards", shards}});
        ASSERT_FALSE(wrong) << shards;
        EXPECT_EQ(wrong.error().field, "shards");
    }
    EXPECT_EQ(readBack({{"kind", "store"}, {"shards", 4}, {"prefix", "x"}}).error().field,
              "prefix");
    EXPECT_EQ(readBack({{"kind", "house"}}).error().field, "kind");
}

TEST(ExportJson, refusesAPlaceThatNoExportHasWritten)
{
    const auto refusal = [](const char* name, const nlohmann::json& value) {
        auto object = exportOf(messageView());
        object["place"][name] = value;
        const auto read = readBack(object);
        EXPECT_FALSE(read) << name << value;
        return read ? std::string() : read.error().field;
    };
    EXPECT_EQ(refusal("order", 4'096), "place.order");
    EXPECT_EQ(refusal("arrival", 0), "place.arrival");
    EXPECT_EQ(refusal("arrival", "12"), "place.arrival");
    EXPECT_EQ(refusal("origin", "scheduled soon - -"), "place.origin");
    EXPECT_EQ(refusal("origin", "leased 1 - -"), "place.origin");
    EXPECT_EQ(refusal("elsewhere", 1), "place.elsewhere");
}

TEST(ExportJson, knowsAnOrigin)
{
    for (const char* origin : {"", "scheduled 1763745600000.25 - -", "held inf 12 1763745600000",
                               "held +inf 12 inf", "dead 1763745600000 - - held inf 12 -"}) {
        EXPECT_TRUE(isOrigin(origin)) << origin;
    }
    for (const char* origin : {"scheduled", "scheduled 1 -", "scheduled 1 - - ", "ready 1 - -",
                               "held inf x -", "scheduled -1 - -", "scheduled 1..2 - -"}) {
        EXPECT_FALSE(isOrigin(origin)) << origin;
    }
}

TEST(Refusals, sayTheStateAndWhatIsAllowed)
{
    EXPECT_EQ(refusalOf(Transition::RunNow, JobState::Leased),
              "it is leased; run_now takes jobs that are scheduled, held or dead");
    EXPECT_EQ(refusalOf(Transition::Release, JobState::Ready),
              "it is ready; release takes jobs that are held");
}

}  // namespace
}  // namespace restante::json
