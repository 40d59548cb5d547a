#include "tests/integration/http/v1_fixture.h"

#include <gmock/gmock.h>

#include <fstream>
#include <unistd.h>

namespace restante::test {
namespace {

using nlohmann::json;

/// What a field takes, and so what it refuses.
enum class Kind {
    Text,   ///< without control characters
    Bytes,  ///< any UTF-8
    Base64,
    Duration,
    Time,
    Number,
    Flag,
    Headers,
    Word,  ///< one of a list
    Schedule,
};

struct Field {
    const char* name;
    Kind kind;
    std::size_t longest = 0;  ///< of a text: one more is refused
};

/// An endpoint with a body that it would take, but for the field under test.
struct Endpoint {
    const char* name;
    const char* method;
    const char* target;
    json sound;
    std::vector<Field> fields;
};

void PrintTo(const Endpoint& endpoint, std::ostream* out)
{
    *out << endpoint.name;
}

/// As JSON text, because some of it cannot be made with a library.
std::vector<std::string> wrongFor(const Field& field)
{
    const std::vector<std::string> noNumber{"NaN", "Infinity", "1e999", "01", "--1", "0x10"};
    const std::vector<std::string> broken{"\"\xff\"",    "\"\xc0\x80\"", "\"\xed\xa0\x80\"",
                                          "\"\\ud800\"", "\"\n\"",       "\"open"};
    std::vector<std::string> wrong{"1.5", "9223372036854775808", "-9223372036854775809"};
    const auto add = [&wrong](std::vector<std::string> more) {
        wrong.insert(wrong.end(), more.begin(), more.end());
    };
    add(noNumber);
    add(broken);
    if (field.kind != Kind::Headers) {
        add({"{}", "[]", "[\"a\"]"});
    }
    if (field.kind != Kind::Flag) {
        add({"true"});
    }
    switch (field.kind) {
    case Kind::Text: add({"\"\"", "\"a\\u0000b\"", "\"a\\nb\"", "7"}); break;
    case Kind::Bytes: add({"7"}); break;
    case Kind::Base64: add({"\"%%%\"", "\"AP/\"", "\"AP/+=\"", "7"}); break;
    case Kind::Duration:
        add({"\"\"", "\"soon\"", "\"-1s\"", "\"1\"", "60", "-1", "\"2m \"", "\"101y\"",
             "\"99999999999999999999s\"", "\"1s\\u0000\""});
        break;
    case Kind::Time:
        add({"\"\"", "\"tomorrow\"", "\"2026-02-30T00:00:00Z\"", "\"2026-13-01T00:00:00Z\"",
             "\"1969-12-31T23:59:59Z\"", "\"99999-01-01T00:00:00Z\""});
        break;
    case Kind::Number: add({"-1", "\"1\"", "\"\"", "1.0", "4294967296000"}); break;
    case Kind::Flag: add({"0", "1", "\"true\"", "\"\""}); break;
    case Kind::Headers:
        add({"7", "\"a: b\"", "{\"a b\": \"c\"}", "{\"a\": 7}", "{\"a\": \"b\\r\\nc: d\"}",
             "{\"\": \"c\"}", "[{\"name\": \"a\"}]", "[7]"});
        break;
    case Kind::Word: add({"\"\"", "\"pigeon\"", "7"}); break;
    case Kind::Schedule:
        add({"\"\"", "\"often\"", "\"0s,\"", "\"0s,-1m\"", "7", "\"exponential(base=x)\""});
        break;
    }
    if (field.longest > 0) {
        wrong.push_back("\"" + std::string(field.longest + 1, 'x') + "\"");
    }
    return wrong;
}

/// The sound body with this text as the field's value.
std::string bodyWith(const json& sound, const std::string& field, const std::string& value)
{
    auto rest = sound;
    rest.erase(field);
    auto text = rest.dump();
    text.pop_back();
    return text + (rest.empty() ? "" : ",") + "\"" + field + "\":" + value + "}";
}

class V1BadInput : public V1Fixture, public ::testing::WithParamInterface<Endpoint> {
protected:
    void SetUp() override
    {
        push({{"id", "leased"}});
        pop();
        before_ = fingerprint();
    }
    /// Changes with everything that is stored or moved: every transition is told to a stream.
    std::string fingerprint() const
    {
        std::string text = std::to_string(keys());
        for (const char* stream : {"rst:{s0}:events", "rst:{s1}:events"}) {
            text += " " + std::to_string(*redis_.send({"XLEN", stream}).integer());
        }
        return text;
    }
    void expectRefused(const std::string& body, const std::string& field)
    {
        const auto& endpoint = GetParam();
        const auto shown = body.substr(0, 200);
        const auto answer = ask(endpoint.method, endpoint.target, std::string_view(body));
        EXPECT_EQ(answer.status, 400) << shown << "\n" << answer.raw.body;
        EXPECT_EQ(answer.raw.header("Content-Type"), "application/problem+json") << shown;
        const auto named = answer.json.is_object() ? answer.json.value("field", "") : "";
        EXPECT_TRUE(field.empty() || named == field || named.starts_with(field + ".") ||
                    named.starts_with(field + "["))
            << shown << "\n"
            << answer.raw.body;
    }

    std::string before_;
};

/// Whether this text breaks the document itself, so that no field can be blamed for sure.
bool breaksDocument(const std::string& value)
{
    return json::parse("[" + value + "]", nullptr, false).is_discarded();
}

TEST_P(V1BadInput, isRefusedByItsFieldAndStoresNothing)
{
    for (const auto& field : GetParam().fields) {
        for (const auto& value : wrongFor(field)) {
            expectRefused(bodyWith(GetParam().sound, field.name, value),
                          breaksDocument(value) ? "" : field.name);
        }
    }
    EXPECT_EQ(fingerprint(), before_);
    EXPECT_EQ(get("/healthz").status, 200);
}

TEST_P(V1BadInput, isRefusedWhenAFieldIsUnknownOrComesTwice)
{
    expectRefused(bodyWith(GetParam().sound, "dealy", "\"1h\""), "dealy");
    for (const auto& field : GetParam().fields) {
        const std::string pair = "\"" + std::string(field.name) + "\":\"1\"";
        expectRefused("{" + pair + "," + pair + "}", "");
    }
    EXPECT_EQ(fingerprint(), before_);
}

TEST_P(V1BadInput, isRefusedWhenItIsNoObject)
{
    const std::vector<std::string> wrong{
        "null",
        "7",
        "\"text\"",
        "{",
        "{}}",
        "{\"a\":}",
        "{'topic':'order'}",
        std::string("\0\0\0", 3),
        std::string("{\"topic\":\"order\"}\0", 18),
        "\xef\xbb\xbf{",
        "\xff\xfe{\0}\0",
        std::string(100'000, '['),
        std::string(100'000, '[') + std::string(100'000, ']'),
        [] {
            std::string deep;
            for (int i = 0; i < 100'000; ++i) {
                deep += "{\"a\":";
            }
            return deep;
        }(),
    };
    for (const auto& body : wrong) {
        expectRefused(body, "");
    }
    EXPECT_EQ(fingerprint(), before_);
}

TEST_P(V1BadInput, isTurnedAwayAtTwentyMegabytes)
{
    HttpClient client = connect();
    client.send(std::string(GetParam().method) + " " + GetParam().target +
                " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000000\r\n\r\n");
    const auto answer = client.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 413);
    EXPECT_EQ(fingerprint(), before_);
    EXPECT_EQ(get("/healthz").status, 200);
}

const json kPush{{"topic", "order"}};
const json kAttempt{{"attempt", 1}};

INSTANTIATE_TEST_SUITE_P(
    Each,
    V1BadInput,
    testing::Values(
        Endpoint{"push",
                 "POST",
                 "/v1/jobs",
                 kPush,
                 {{"topic", Kind::Text, 128},
                  {"id", Kind::Text, 128},
                  {"channel", Kind::Word},
                  {"body", Kind::Bytes, 65'536},
                  {"body_base64", Kind::Base64},
                  {"content_type", Kind::Text, 1'024},
                  {"headers", Kind::Headers},
                  {"recipient", Kind::Text, 1'024},
                  {"sender", Kind::Text, 1'024},
                  {"biz_key", Kind::Text, 1'024},
                  {"priority", Kind::Number},
                  {"ttr", Kind::Duration},
                  {"delay", Kind::Duration},
                  {"at", Kind::Time},
                  {"expires", Kind::Time},
                  {"expires_in", Kind::Duration},
                  {"retry", Kind::Schedule},
                  {"replace", Kind::Flag}}},
        Endpoint{"finish", "POST", "/v1/jobs/leased/finish", kAttempt, {{"attempt", Kind::Number}}},
        Endpoint{
            "retry",
            "POST",
            "/v1/jobs/leased/retry",
            kAttempt,
            {{"attempt", Kind::Number}, {"delay", Kind::Duration}, {"error", Kind::Text, 1'024}}},
        Endpoint{"touch",
                 "POST",
                 "/v1/jobs/leased/touch",
                 kAttempt,
                 {{"attempt", Kind::Number}, {"ttr", Kind::Duration}}},
        Endpoint{"bury",
                 "POST",
                 "/v1/jobs/leased/bury",
                 kAttempt,
                 {{"attempt", Kind::Number}, {"reason", Kind::Text, 1'024}}},
        Endpoint{
            "run", "POST", "/v1/jobs/leased/run", json::object(), {{"reason", Kind::Text, 1'024}}},
        Endpoint{"restore",
                 "POST",
                 "/v1/jobs/leased/restore",
                 json::object(),
                 {{"reason", Kind::Text, 1'024}}},
        Endpoint{"release",
                 "POST",
                 "/v1/jobs/leased/release",
                 json::object(),
                 {{"reason", Kind::Text, 1'024}}},
        Endpoint{"reschedule",
                 "PATCH",
                 "/v1/jobs/leased",
                 json{{"delay", "1m"}},
                 {{"delay", Kind::Duration}, {"reason", Kind::Text, 1'024}}},
        Endpoint{"rescheduleAt",
                 "PATCH",
                 "/v1/jobs/leased",
                 json{{"at", "2030-01-01T00:00:00Z"}},
                 {{"at", Kind::Time}}},
        Endpoint{"pop",
                 "POST",
                 "/v1/topics/empty/pop",
                 json::object(),
                 {{"max", Kind::Number}, {"wait", Kind::Duration}}},
        Endpoint{"pause",
                 "POST",
                 "/v1/topics/order/pause",
                 json::object(),
                 {{"reason", Kind::Text, 1'024}}},
        Endpoint{
            "limit",
            "PUT",
            "/v1/topics/order",
            json{{"rate", "1/s"}},
            {{"concurrency", Kind::Number}, {"rate", Kind::Text}, {"reason", Kind::Text, 1'024}}},
        Endpoint{"register",
                 "POST",
                 "/v1/registrations",
                 json{{"aor", "sip:a@b"}},
                 {{"aor", Kind::Text, 1'024}}}),
    [](const auto& endpoint) { return endpoint.param.name; });

class V1Memory : public V1Fixture {
protected:
#ifdef __SANITIZE_ADDRESS__
    static constexpr std::size_t kSlack = 320'000'000;  ///< what is freed waits in a quarantine
#else
    static constexpr std::size_t kSlack = 32'000'000;
#endif
    static std::size_t resident()
    {
        std::ifstream statm("/proc/self/statm");
        std::size_t total = 0;
        std::size_t pages = 0;
        statm >> total >> pages;
        return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    }
};

TEST_F(V1Memory, staysFlatHoweverMuchRubbishComes)
{
    const std::string brackets(4'000'000, '[');
    const std::string values = "[" + [] {
        std::string many;
        for (int i = 0; i < 1'000'000; ++i) {
            many += "{},";
        }
        return many;
    }() + "{}]";
    for (int i = 0; i < 3; ++i) {
        ask("POST", "/v1/jobs", std::string_view(brackets));
        ask("POST", "/v1/jobs", std::string_view(values));
    }
    const auto before = resident();
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(ask("POST", "/v1/jobs", std::string_view(brackets)).status, 400);
        EXPECT_EQ(ask("POST", "/v1/jobs", std::string_view(values)).status, 400);
    }
    EXPECT_LT(resident(), before + kSlack);
}

TEST_F(V1Memory, takesAThousandJobsAtOnceAndNoMore)
{
    json orders = json::array();
    for (int i = 0; i < 1'000; ++i) {
        orders.push_back({{"topic", "order"}});
    }
    EXPECT_EQ(ask("POST", "/v1/jobs", orders).status, 201);
    orders.push_back({{"topic", "order"}});
    const auto before = keys();
    expectProblem(ask("POST", "/v1/jobs", orders), 400);
    EXPECT_EQ(keys(), before);
}

}  // namespace
}  // namespace restante::test
