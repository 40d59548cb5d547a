#include "core/json/export_json.h"
#include "tests/integration/http/v1_fixture.h"

#include <gmock/gmock.h>

#include <future>
#include <set>
#include <sstream>

namespace restante::test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<std::string> idsIn(const json& page)
{
    std::vector<std::string> ids;
    for (const auto& job : page.value("jobs", json::array())) {
        ids.push_back(job.value("id", ""));
    }
    return ids;
}

class V1List : public V1Fixture {
protected:
    std::vector<std::string> ids(const std::string& query)
    {
        return idsIn(get("/v1/jobs" + query).json);
    }
};

TEST_F(V1List, findsWhatAllItsParametersSay)
{
    push({{"id", "a"}, {"biz_key", "k 1"}});
    push({{"id", "b"}, {"biz_key", "k 1"}, {"delay", "1h"}});
    push({{"id", "c"}, {"topic", "invoice"}, {"sender", "shop"}});
    EXPECT_THAT(ids(""), UnorderedElementsAre("a", "b", "c"));
    EXPECT_THAT(ids("?topic=order"), UnorderedElementsAre("a", "b"));
    EXPECT_THAT(ids("?state=scheduled"), ElementsAre("b"));
    EXPECT_THAT(ids("?state=scheduled,ready&topic=order"), UnorderedElementsAre("a", "b"));
    EXPECT_THAT(ids("?biz_key=k%201&state=ready"), ElementsAre("a"));
    EXPECT_THAT(ids("?filter=topic:invoice"), ElementsAre("c"));
    EXPECT_THAT(ids("?filter=id:a%20OR%20id:b&state=ready"), ElementsAre("a"));
    EXPECT_THAT(ids("?sender=shop"), ElementsAre("c"));
    EXPECT_THAT(ids("?sender=nobody"), IsEmpty());
}

TEST_F(V1List, goesOnByCursorUntilThereIsNone)
{
    for (int i = 0; i < 25; ++i) {
        push({{"delay", std::to_string(i + 1) + "h"}});
    }
    std::vector<std::string> all;
    std::string cursor;
    int pages = 0;
    do {
        auto page =
            get("/v1/jobs?state=scheduled&limit=10" + (cursor.empty() ? "" : "&cursor=" + cursor));
        ASSERT_EQ(page.status, 200) << page.raw.body;
        for (const auto& id : idsIn(page.json)) {
            all.push_back(id);
        }
        cursor.clear();
        if (page.json["cursor"].is_string()) {
            for (const char c : page.json["cursor"].get<std::string>()) {
                cursor += c == ' ' ? std::string("%20") : std::string(1, c);
            }
        }
        ++pages;
    } while (!cursor.empty() && pages < 10);
    EXPECT_EQ(all.size(), 25U);
    EXPECT_EQ(std::set(all.begin(), all.end()).size(), 25U);
    std::vector<std::string> descending = ids("?state=scheduled&sort=-due&limit=100");
    EXPECT_EQ(descending, std::vector(all.rbegin(), all.rend()));
}

TEST_F(V1List, countsWhatItLists)
{
    for (int i = 0; i < 7; ++i) {
        push({{"delay", "1h"}});
    }
    push();
    auto page = get("/v1/jobs?state=scheduled&limit=2&count=true");
    EXPECT_EQ(page.json["jobs"].size(), 2U) << page.raw.body;
    EXPECT_EQ(page.json["count"], 7);
    EXPECT_EQ(page.json["count_complete"], true);
}

TEST_F(V1List, exportsALineForEachJob)
{
    for (int i = 0; i < 450; ++i) {
        push({{"delay", "1h"}});
    }
    HttpClient client = connect();
    client.send("GET /v1/jobs HTTP/1.1\r\nHost: localhost\r\nAccept: application/x-ndjson\r\n\r\n");
    const auto answer = client.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->header("Content-Type"), "application/x-ndjson");
    std::istringstream lines(answer->body);
    std::set<std::string> seen;
    for (std::string line; std::getline(lines, line);) {
        seen.insert(json::parse(line).at("id").get<std::string>());
    }
    EXPECT_EQ(seen.size(), 450U);
}

class V1Export : public V1List {
protected:
    /// The answer to one call of the store, from the server's loop.
    template <class T>
    Result<T> answered(const std::function<void(Done<T>)>& call)
    {
        const auto promise = std::make_shared<std::promise<Result<T>>>();
        auto answer = promise->get_future();
        onLoop(
            [&] { call([promise](Result<T> result) { promise->set_value(std::move(result)); }); });
        return answer.get();
    }
    std::string stored(Job job, Placement placement)
    {
        PushOptions order{.job = std::move(job), .placement = placement};
        const auto outcome =
            answered<PushOutcome>([&](auto done) { queue_->queue().push(order, std::move(done)); });
        EXPECT_TRUE(outcome) << outcome.error().message;
        return outcome ? outcome->id : "";
    }
    /// The lines of an export by the ids of their jobs.
    std::map<std::string, json> exported()
    {
        HttpClient client = connect();
        client.send(
            "GET /v1/jobs HTTP/1.1\r\nHost: localhost\r\nAccept: application/x-ndjson\r\n\r\n");
        const auto answer = client.receive();
        EXPECT_TRUE(answer);
        std::istringstream lines(answer ? answer->body : "");
        std::map<std::string, json> found;
        for (std::string line; std::getline(lines, line);) {
            auto document = json::parse(line);
            const auto id = document.at("id").get<std::string>();
            found.emplace(id, std::move(document));
        }
        return found;
    }
    void import(const json& line)
    {
        const auto read = restante::json::exportedOf(line);
        ASSERT_TRUE(read) << read.error().field << " " << read.error().detail;
        const auto& view = std::get<JobView>(*read);
        ASSERT_TRUE(isForStore(view)) << line;
        const auto outcome = answered<PushOutcome>([&](auto done) {
            importJob(queue_->store(), view, ImportMode::KeepExisting, {{}, "olga", "move"},
                      std::move(done));
        });
        ASSERT_TRUE(outcome) << outcome.error().message;
    }
    std::vector<std::string> mailbox(const std::string& recipient)
    {
        const auto claimed = answered<std::vector<ClaimedJob>>([&](auto done) {
            queue_->store().claimMailbox({.recipient = recipient, .max = 10}, std::move(done));
        });
        std::vector<std::string> found;
        for (const auto& one : claimed.value_or(std::vector<ClaimedJob>{})) {
            found.push_back(one.job.id);
        }
        return found;
    }
};

TEST_F(V1Export, isWhatAnImportPutsBackWhereItWas)
{
    push({{"id", "over"}});
    pop();
    ASSERT_EQ(ask("POST", "/v1/jobs/over/finish", json{{"attempt", 1}}).status, 200);
    push({{"id", "gone"}, {"delay", "2h"}});
    ASSERT_EQ(ask("DELETE", "/v1/jobs/gone").status, 200);
    Job odd;
    odd.id = "odd";
    odd.topic = "order";
    odd.sender = "caf\xe9";
    odd.body = "\xff\x00";
    stored(odd, Placement::Lane);
    const std::string bob = "sip:bob@example.org";
    std::vector<std::string> messages;
    for (int i = 0; i < 3; ++i) {
        Job message;
        message.topic = "im";
        message.channel = Channel::Sip;
        message.recipient = bob;
        message.body = "hello";
        messages.push_back(stored(message, Placement::Mailbox));
    }
    const auto before = exported();
    ASSERT_EQ(before.size(), 6U);

    ASSERT_EQ(ask("DELETE", "/v1/jobs?all=true&purge=true").json["done"], 6);
    ASSERT_THAT(exported(), IsEmpty());
    for (auto line = before.rbegin(); line != before.rend(); ++line) {
        import(line->second);
    }
    EXPECT_EQ(exported(), before);
    EXPECT_EQ(mailbox(bob), messages);
    EXPECT_EQ(ask("POST", "/v1/jobs/gone/restore").json["state"], "scheduled");
    EXPECT_EQ(get("/v1/jobs/over").json["state"], "done");
}

TEST_F(V1List, refusesWhatItDoesNotUnderstand)
{
    expectProblem(get("/v1/jobs?state=asleep"), 400, "state");
    expectProblem(get("/v1/jobs?state="), 400, "state");
    expectProblem(get("/v1/jobs?limit=0"), 400, "limit");
    expectProblem(get("/v1/jobs?limit=1001"), 400, "limit");
    expectProblem(get("/v1/jobs?limit=9223372036854775808"), 400, "limit");
    expectProblem(get("/v1/jobs?limit=-1"), 400, "limit");
    expectProblem(get("/v1/jobs?limit=ten"), 400, "limit");
    expectProblem(get("/v1/jobs?sort=size"), 400, "sort");
    expectProblem(get("/v1/jobs?count=1"), 400, "count");
    expectProblem(get("/v1/jobs?filter=(topic:order"), 400, "filter");
    expectProblem(get("/v1/jobs?filter=colour:red"), 400, "filter");
    expectProblem(get("/v1/jobs?filter=" + std::string(5'000, 'x')), 400, "filter");
    expectProblem(get("/v1/jobs?filter=" + std::string(3'000, '(')), 400, "filter");
    expectProblem(get("/v1/jobs?topic="), 400, "topic");
    expectProblem(get("/v1/jobs?cursor=nonsense"), 400, "cursor");
    expectProblem(get("/v1/jobs?page=2"), 400, "page");
    expectProblem(get("/v1/jobs?limit=1&limit=2"), 400, "limit");
}

class V1Bulk : public V1List {};

TEST_F(V1Bulk, trashesAndRestoresWhatMatches)
{
    push({{"id", "a"}, {"biz_key", "order-17"}});
    push({{"id", "b"}, {"biz_key", "order-17"}, {"delay", "1h"}});
    push({{"id", "c"}});
    auto trashed = ask("DELETE", "/v1/jobs?biz_key=order-17&reason=cancelled");
    EXPECT_EQ(trashed.status, 200) << trashed.raw.body;
    EXPECT_EQ(trashed.json["done"], 2);
    EXPECT_THAT(ids("?state=trashed"), UnorderedElementsAre("a", "b"));
    EXPECT_EQ(ask("POST", "/v1/jobs/restore", json{{"filter", "biz_key:order-17"}}).json["done"],
              2);
    EXPECT_THAT(ids("?state=trashed"), IsEmpty());
    EXPECT_THAT(ids("?state=scheduled"), ElementsAre("b"));
}

TEST_F(V1Bulk, onlyCountsInADryRun)
{
    push({{"id", "a"}, {"delay", "1h"}});
    push({{"id", "b"}, {"delay", "1h"}});
    auto dry = ask("POST", "/v1/jobs/run?topic=order&dry_run=true");
    EXPECT_EQ(dry.json["matched"], 2) << dry.raw.body;
    EXPECT_EQ(dry.json["done"], 0);
    EXPECT_EQ(dry.json["dry_run"], true);
    EXPECT_EQ(ids("?state=scheduled").size(), 2U);
    EXPECT_EQ(ask("POST", "/v1/jobs/run", json{{"topic", "order"}}).json["done"], 2);
    EXPECT_EQ(ids("?state=ready").size(), 2U);
}

TEST_F(V1Bulk, movesMoreThanAPage)
{
    json orders = json::array();
    for (int i = 0; i < 900; ++i) {
        orders.push_back({{"topic", "order"}, {"delay", "1h"}});
    }
    ask("POST", "/v1/jobs", orders);
    const auto buried = ask("POST", "/v1/jobs/bury?state=scheduled");
    EXPECT_EQ(buried.json["done"], 900);
    EXPECT_EQ(buried.json["stopped"], false);
    EXPECT_EQ(get("/v1/stats").json["states"]["dead"], 900);
    EXPECT_EQ(ask("DELETE", "/v1/jobs?state=dead&purge=true").json["done"], 900);
    EXPECT_THAT(ids(""), IsEmpty());
}

TEST_F(V1Bulk, refusesToMeanEverythingBySilence)
{
    push({{"id", "a"}});
    expectProblem(ask("DELETE", "/v1/jobs"), 400, "filter");
    expectProblem(ask("POST", "/v1/jobs/bury"), 400, "filter");
    expectProblem(ask("POST", "/v1/jobs/bury", json{{"filter", ""}}), 400, "filter");
    expectProblem(ask("POST", "/v1/jobs/release?state=ready"), 400, "state");
    expectProblem(ask("POST", "/v1/jobs/bury?topic=order", json{{"topic", "order"}}), 400, "topic");
    expectProblem(ask("POST", "/v1/jobs/bury?purge=true"), 400, "purge");
    EXPECT_THAT(ids("?state=ready"), ElementsAre("a"));
    EXPECT_EQ(ask("DELETE", "/v1/jobs?all=true").json["done"], 1);
}

}  // namespace
}  // namespace restante::test
