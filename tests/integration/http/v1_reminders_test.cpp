#include "tests/integration/http/v1_fixture.h"

#include <gmock/gmock.h>

namespace restante::test {
namespace {

using nlohmann::json;

class V1Reminders : public V1Fixture {};

TEST_F(V1Reminders, comeAsAJobForEachTimeAndGoTogether)
{
    auto made = ask("POST", "/v1/reminders",
                    json{{"to", "sip:bob@example.org"},
                         {"text", "Your membership ends soon"},
                         {"event", "2030-12-31"},
                         {"offsets", "15d,3d"},
                         {"biz_key", "member-17"}});
    ASSERT_EQ(made.status, 201) << made.raw.body;
    ASSERT_EQ(made.json["reminders"].size(), 2U);
    EXPECT_EQ(made.json["biz_key"], "member-17");
    EXPECT_EQ(made.json["recurring"], false);
    const std::string id = made.json["reminders"][0]["id"];
    EXPECT_EQ(get("/v1/jobs/" + id).json["due_ms"], made.json["reminders"][0]["due_ms"]);
    EXPECT_EQ(ask("DELETE", "/v1/reminders?biz_key=member-17").json["cancelled"], 2);
    EXPECT_EQ(get("/v1/jobs/" + id).json["state"], "trashed");
    expectProblem(ask("DELETE", "/v1/reminders?biz_key=member-17"), 404);
}

TEST_F(V1Reminders, areStoredOnceHoweverOftenTheyAreSent)
{
    const json order{{"id", "r1"},
                     {"to", "https://example.org/hook"},
                     {"text", "x"},
                     {"at", "2030-01-01T09:00:00Z"}};
    auto first = ask("POST", "/v1/reminders", order);
    EXPECT_EQ(first.status, 201) << first.raw.body;
    EXPECT_EQ(ask("POST", "/v1/reminders", order).status, 200);
}

TEST_F(V1Reminders, recurOnceHoweverOftenTheyAreSent)
{
    const json order{
        {"id", "r2"}, {"to", "https://example.org/hook"}, {"text", "x"}, {"every", "2h"}};
    const auto first = ask("POST", "/v1/reminders", order);
    EXPECT_EQ(first.status, 201) << first.raw.body;
    const auto again = ask("POST", "/v1/reminders", order);
    EXPECT_EQ(again.status, 200) << again.raw.body;
    EXPECT_EQ(again.json["reminders"], first.json["reminders"]);
}

TEST_F(V1Reminders, recurByARule)
{
    auto made = ask("POST", "/v1/reminders",
                    json{{"to", "https://example.org/hook"}, {"text", "x"}, {"every", "daily"}});
    ASSERT_EQ(made.status, 201) << made.raw.body;
    EXPECT_EQ(made.json["recurring"], true);
}

TEST_F(V1Reminders, areRefusedByTheirField)
{
    const json sound{{"to", "https://example.org/hook"}, {"text", "x"}, {"in", "1h"}};
    const auto before = keys();
    for (const auto& [field, value] :
         std::vector<std::pair<std::string, json>>{{"to", "bob"},
                                                   {"to", 7},
                                                   {"text", 7},
                                                   {"channel", "pigeon"},
                                                   {"in", "soon"},
                                                   {"in", 60},
                                                   {"every", "sometimes"},
                                                   {"time_zone", "Mars/Olympus"},
                                                   {"retry", "often"},
                                                   {"id", "a b"},
                                                   {"at_ms", -1},
                                                   {"colour", "red"}}) {
        auto wrong = sound;
        wrong[field] = value;
        if (field == "at_ms") {
            wrong.erase("in");
        }
        expectProblem(ask("POST", "/v1/reminders", wrong), 400, field);
    }
    expectProblem(ask("POST", "/v1/reminders", json{{"text", "x"}, {"in", "1h"}}), 400, "to");
    expectProblem(ask("DELETE", "/v1/reminders"), 400, "biz_key");
    EXPECT_EQ(keys(), before);
}

}  // namespace
}  // namespace restante::test
