// Everything that openapi.json says can be sent, sent wrong, to a real daemon. What each field
// allows is read from the document that the daemon serves, so an endpoint that is added is attacked
// from its first day.

#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/http_client.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

namespace restante::test {
namespace {

using nlohmann::json;

/// One method of one path.
struct Operation {
    std::string method;
    std::string path;
    json description;

    bool isClassic() const { return !path.starts_with("/v1/"); }
    std::string name() const { return method + " " + path; }
};

/// A value as it stands in a request, and whether the request can be read at all with it: if not,
/// no field can be blamed.
struct WrongValue {
    std::string text;
    bool breaksAll = false;
};

std::string quoted(const std::string& text)
{
    return "\"" + text + "\"";
}

/// Wrong in any field: these are no JSON.
std::vector<WrongValue> brokenDocuments()
{
    std::vector<WrongValue> all;
    for (const std::string& text :
         {std::string("NaN"), std::string("Infinity"), std::string("01"), std::string("0x10"),
          std::string("\"open"), quoted("\xff"), quoted("\xc0\x80"), quoted("\xed\xa0\x80"),
          quoted("\\ud800"), quoted(std::string("a\0b", 3)), quoted("a\nb"),
          std::string(100'000, '[')}) {
        all.push_back({text, true});
    }
    return all;
}

bool isNumber(const json& schema)
{
    return schema.value("type", "") == "integer";
}
bool isFlag(const json& schema)
{
    return schema.value("type", "") == "boolean";
}

std::vector<WrongValue> wrongNumbers(const json& schema)
{
    std::vector<WrongValue> all;
    for (const char* text : {"-1", "1.5", "\"1\"", "\"\"", "true", "{}", "[1]", "1e300",
                             "9223372036854775808", "-9223372036854775809"}) {
        all.push_back({text});
    }
    if (schema.contains("maximum")) {
        all.push_back({std::to_string(schema["maximum"].get<std::int64_t>() + 1)});
    }
    if (schema.value("minimum", 0) > 0) {
        all.push_back({"0"});
    }
    return all;
}

/// `free`: any text will do, line feeds and all.
std::vector<WrongValue> wrongTexts(const json& schema, bool free)
{
    std::vector<WrongValue> all;
    for (const char* text :
         {"7", "-1", "1.5", "true", "{}", "[]", "[\"a\"]", "9223372036854775808"}) {
        all.push_back({text});
    }
    all.push_back({quoted(std::string(100'000, 'x'))});
    if (schema.contains("maxLength")) {
        all.push_back({quoted(std::string(schema["maxLength"].get<std::size_t>() + 1, 'x'))});
    }
    if (schema.value("minLength", 0) > 0) {
        all.push_back({quoted("")});
    }
    if (schema.contains("enum")) {
        all.push_back({quoted("pigeon")});
    }
    if (!free) {
        all.push_back({quoted("a\\u0000b")});
        all.push_back({quoted("a\\nb")});
    }
    return all;
}

std::vector<WrongValue> wrongFor(const std::string& name, const json& schema)
{
    auto all = brokenDocuments();
    std::vector<WrongValue> more;
    if (isNumber(schema)) {
        more = wrongNumbers(schema);
    } else if (isFlag(schema)) {
        more = {{"0"}, {"1"}, {"\"true\""}, {"\"\""}, {"{}"}, {"[true]"}};
    } else if (schema.value("type", "") == "string") {
        more = wrongTexts(schema, name == "body" || name == "text");
    } else {  // headers
        more = {{"7"},
                {"true"},
                {R"("a: b")"},
                {R"({"a":7})"},
                {R"({"a b":"c"})"},
                {R"({"":"c"})"},
                {R"({"a":"b\r\nc: d"})"},
                {"[7]"},
                {R"([{"name":"a"}])"}};
    }
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

/// As they stand behind "=" in a query.
std::vector<WrongValue> wrongParametersFor(const json& schema)
{
    std::vector<WrongValue> all{{"%00", true}, {"%", true}, {"%zz", true}};
    if (isNumber(schema)) {
        for (const char* text :
             {"", "x", "-1", "1.5", "NaN", "1e3", "9223372036854775808", "%ff", "+1"}) {
            all.push_back({text});
        }
    } else if (isFlag(schema)) {
        for (const char* text : {"yes", "2", "-1", "NaN", "%ff"}) {
            all.push_back({text});
        }
    } else {
        for (const std::string& text :
             {std::string("%ff"), std::string("%c0%80"), std::string("%ed%a0%80"),
              std::string("a%0ab"), std::string(5'000, 'x')}) {
            all.push_back({text});
        }
        if (schema.contains("enum")) {
            all.push_back({"pigeon"});
        }
    }
    return all;
}

class HttpBadInput : public ::testing::Test {
protected:
    HttpBadInput() : document_(json::parse(ask("GET", "/openapi.json").body)) {}

    HttpAnswer ask(const std::string& method, const std::string& target, std::string_view body = {})
    {
        for (int attempt = 0; attempt < 2; ++attempt) {
            if (client_) {
                if (auto answer = client_->ask(method, target, body); answer.status != 0) {
                    return answer;
                }
            }
            client_.emplace(daemon_.httpPort());  // it closes behind some refusals
        }
        return client_->ask(method, target, body);
    }

    std::vector<Operation> operations() const
    {
        std::vector<Operation> all;
        for (const auto& [path, methods] : document_["paths"].items()) {
            for (const auto& [method, description] : methods.items()) {
                std::string capitals;
                for (const char c : method) {
                    capitals += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
                }
                all.push_back({capitals, path, description});
            }
        }
        return all;
    }
    /// What a schema is behind its references; of several the first.
    json resolved(json schema) const
    {
        while (schema.contains("$ref") || (schema.contains("oneOf") && !schema.contains("type"))) {
            if (schema.contains("oneOf")) {
                if (!schema["oneOf"][0].contains("$ref")) {
                    break;  // of a field
                }
                schema = schema["oneOf"][0];
                continue;
            }
            schema = document_.at(json::json_pointer(schema["$ref"].get<std::string>().substr(1)));
        }
        return schema;
    }
    /// Of the JSON body, one for each form that it may have; empty when it takes none.
    std::vector<json> bodySchemas(const Operation& operation) const
    {
        const auto& content = operation.description.value("requestBody", json::object());
        const auto types = content.value("content", json::object());
        if (!types.contains("application/json")) {
            return {};
        }
        const auto& schema = types["application/json"]["schema"];
        std::vector<json> forms;
        for (const auto& form : schema.value("oneOf", json::array({schema}))) {
            forms.push_back(resolved(form));
        }
        return forms;
    }

    static std::string target(const Operation& operation)
    {
        auto path = operation.path;
        for (const std::string& name : {std::string("{id}"), std::string("{t}")}) {
            if (const auto at = path.find(name); at != std::string::npos) {
                path.replace(at, name.size(), "nobody");
            }
        }
        return path;
    }
    /// A body that would be taken, if what it speaks of were there, without what `field` excludes.
    static json soundBody(const Operation& operation, const std::string& field)
    {
        static const std::map<std::string, json> kSound{
            {"POST /v1/jobs", {{"topic", "order"}}},
            {"PATCH /v1/jobs/{id}", {{"delay", "1h"}}},
            {"PUT /v1/topics/{t}", {{"rate", "1/s"}}},
            {"PATCH /v1/topics/{t}", {{"rate", "1/s"}}},
            {"POST /v1/reminders", {{"to", "https://example.org/"}, {"text", "x"}, {"in", "1h"}}},
            {"POST /v1/registrations", {{"aor", "sip:bob@example.org"}}},
            {"POST /push", {{"topic", "order"}, {"id", "1"}, {"delay", 60}, {"ttr", 60}}},
            {"POST /pop", {{"topic", "order"}}}};
        auto body = json::object();
        if (const auto known = kSound.find(operation.name()); known != kSound.end()) {
            body = known->second;
        } else if (operation.path.starts_with("/v1/jobs/{id}/")) {
            body = {{"attempt", 1}};
        } else if (operation.path.starts_with("/v1/jobs/")) {
            body = {{"all", true}, {"dry_run", true}};
        } else if (operation.isClassic()) {
            body = {{"id", "nobody"}};
        }
        if (field != "attempt" && operation.path.ends_with("run")) {
            body.erase("attempt");
        }
        static const std::set<std::string> kTimes{"delay", "at", "at_ms", "in", "event"};
        if (kTimes.contains(field) && !operation.isClassic()) {
            body.erase("delay");
            body.erase("in");
        }
        if (field == "offsets") {
            body.erase("in");
            body["event"] = "2034-12-31";
        }
        body.erase(field);
        return body;
    }

    void expectRefused(const Operation& operation,
                       const std::string& sent,
                       const std::string& field,
                       const HttpAnswer& answer)
    {
        const auto what = operation.name() + " " + field + " " + sent.substr(0, 120) + " -> " +
                          std::to_string(answer.status) + " " + answer.body.substr(0, 300);
        auto said = json::parse(answer.body, nullptr, false);
        auto status = answer.status;
        if (said.is_array() && said.size() == 1) {  // of a batch, whose items are judged one by one
            EXPECT_EQ(status, 207) << what;
            said = said[0].get<json>();
            status = said.value("status", 0);
        }
        ASSERT_TRUE(said.is_object()) << what;
        if (said.contains("code")) {
            EXPECT_NE(said["code"], 0) << what;
            EXPECT_NE(said["message"].get<std::string>().find(field), std::string::npos) << what;
            return;
        }
        EXPECT_TRUE(status >= 400 && status < 500) << what;
        EXPECT_FALSE(said.value("detail", "").empty()) << what;
        auto named = said.value("field", "");
        if (named.starts_with("[0].")) {
            named.erase(0, 4);
        }
        // A body that came as body_base64 is a body by the time that it is too long.
        const bool same = named == field || (field == "body_base64" && named == "body");
        EXPECT_TRUE(field.empty() || same || named.starts_with(field + ".") ||
                    named.starts_with(field + "["))
            << what;
    }
    /// Asked for until it is told: 503 is the answer while a busy machine lets the store wait.
    json told(const std::string& path)
    {
        HttpAnswer answer;
        EXPECT_TRUE(eventually(
            [&] {
                answer = ask("GET", path);
                return answer.status == 200;
            },
            kProcessTimeout))
            << path << " " << answer.status << " " << answer.body;
        return json::parse(answer.body, nullptr, false);
    }
    /// No job, and no topic that is paused or limited.
    void expectNothingStored(const Operation& operation)
    {
        const auto topics = told("/v1/topics");
        EXPECT_TRUE(topics.at("topics").empty()) << operation.name() << " " << topics;
        const auto stats = told("/v1/stats");
        for (const auto& [state, count] : stats.at("states").items()) {
            EXPECT_EQ(count, 0) << operation.name() << " has stored a job: " << state;
        }
    }

    /// What stands around the fields of a body: `sound` is what else an item has, null = that of
    /// soundBody().
    struct Form {
        json sound;
        std::string open;
        std::string close;
    };
    /// Answers how many forms the body has.
    std::size_t sendWrongBodies(const Operation& operation);
    void sendWrongFields(const Operation& operation, const json& schema, const Form& form);

    /// With a gateway, so that its reports have a route.
    Daemon daemon_{{.set = {"sms.gateway=template", "sms.url=http://127.0.0.1:9/", "sms.from=12345",
                            "sms.body={text}", "sms.content_type=text/plain"}}};
    std::optional<HttpClient> client_;
    json document_;
};

std::size_t HttpBadInput::sendWrongBodies(const Operation& operation)
{
    const auto forms = bodySchemas(operation);
    for (const auto& form : forms) {
        if (form["type"] == "array") {
            // A job that is pushed is as it is by itself; else it is an attempt that is reported.
            const json sound =
                operation.path == "/v1/jobs" ? json() : json{{"id", "nobody"}, {"attempt", 1}};
            sendWrongFields(operation, resolved(form["items"]),
                            {.sound = sound, .open = "[", .close = "]"});
        } else {
            sendWrongFields(operation, form, {.sound = {}, .open = "", .close = ""});
        }
    }
    if (!forms.empty()) {
        for (const std::string& body :
             {std::string("null"), std::string("7"), std::string("\"x\""), std::string("{"),
              std::string("\0\0", 2), std::string("\xff\xfe"), std::string("{}}"),
              std::string("[["), std::string(100'000, '['),
              std::string(100'000, '[') + std::string(100'000, ']')}) {
            expectRefused(operation, body, "", ask(operation.method, target(operation), body));
        }
    }
    return forms.size();
}

void HttpBadInput::sendWrongFields(const Operation& operation, const json& schema, const Form& form)
{
    const auto soundWithout = [&](const std::string& field) {
        auto object = form.sound.is_null() ? soundBody(operation, field) : form.sound;
        object.erase(field);
        return object.dump();
    };
    const auto expectIsRefused = [&](const std::string& object, const std::string& sent,
                                     const std::string& field) {
        expectRefused(operation, sent, field,
                      ask(operation.method, target(operation), form.open + object + form.close));
    };
    for (const auto& [field, its] : schema["properties"].items()) {
        auto rest = soundWithout(field);
        rest.pop_back();
        for (const auto& wrong : wrongFor(field, resolved(its))) {
            const auto* comma = rest.size() > 1 ? "," : "";
            expectIsRefused(rest + comma + quoted(field) + ":" + wrong.text + "}", wrong.text,
                            wrong.breaksAll ? "" : field);
        }
    }
    for (const auto& field : schema.value("required", json::array())) {
        const auto name = field.get<std::string>();
        expectIsRefused(soundWithout(name), "(missing)", name);
    }
}

TEST_F(HttpBadInput, isRefusedByTheFieldOfABodyAndStoresNothing)
{
    std::size_t attacked = 0;
    for (const auto& operation : operations()) {
        attacked += sendWrongBodies(operation);
        expectNothingStored(operation);
    }
    EXPECT_GT(attacked, 20U);
}

TEST_F(HttpBadInput, isRefusedByTheParameterOfAQueryAndStoresNothing)
{
    // A gateway's words are cleaned instead, and a token is right or wrong whatever it is.
    const std::set<std::string> takesAnything{"answer", "token"};
    for (const auto& operation : operations()) {
        for (const auto& parameter : operation.description.value("parameters", json::array())) {
            const auto name = parameter["name"].get<std::string>();
            if (parameter["in"] != "query" || takesAnything.contains(name)) {
                continue;
            }
            std::string others;
            for (const auto& [other, value] : std::map<std::string, std::string>{
                     {"id", "nobody"}, {"attempt", "1"}, {"token", "x"}, {"status", "queued"}}) {
                others += operation.path == "/v1/sms/reports" && other != name
                              ? other + "=" + value + "&"
                              : "";
            }
            if (name == "reason" && operation.path.find('{') == std::string::npos) {
                others = "all=true&dry_run=true&";
            }
            for (const auto& wrong : wrongParametersFor(resolved(parameter["schema"]))) {
                const auto query = "?" + others + name + "=" + wrong.text;
                expectRefused(operation, query, wrong.breaksAll ? "" : name,
                              ask(operation.method, target(operation) + query));
            }
        }
        expectNothingStored(operation);
    }
}

TEST_F(HttpBadInput, isRefusedWhenAPathNamesWhatCannotBe)
{
    for (const auto& operation : operations()) {
        const auto open = operation.path.find('{');
        if (open == std::string::npos) {
            continue;
        }
        for (const std::string& name :
             {std::string(), std::string("%00"), std::string("%"), std::string("%zz"),
              std::string("%ff"), std::string("a%20b"), std::string("a%0ab"), std::string("%c3%a4"),
              std::string(129, 'x'), std::string(20'000, 'x')}) {
            auto path = operation.path;
            path.replace(open, path.find('}') - open + 1, name);
            expectRefused(
                operation, path, "",
                ask(operation.method, path,
                    bodySchemas(operation).empty() ? "" : soundBody(operation, "").dump()));
        }
        expectNothingStored(operation);
    }
}

TEST_F(HttpBadInput, isRefusedWhenTheAttemptIsNotTheJobsOrThereIsNoJob)
{
    ASSERT_EQ(ask("POST", "/v1/jobs", R"({"topic":"order","id":"mine"})").status, 201);
    ASSERT_EQ(ask("POST", "/v1/topics/order/pop", "{}").status, 200);
    for (const std::string verb : {"finish", "retry", "touch", "bury"}) {
        for (const std::string attempt : {"2", "4294967295"}) {
            const auto stale =
                ask("POST", "/v1/jobs/mine/" + verb, "{\"attempt\":" + attempt + "}");
            EXPECT_EQ(stale.status, 409) << verb << " " << stale.body;
        }
        EXPECT_EQ(ask("POST", "/v1/jobs/nobody/" + verb, R"({"attempt":1})").status, 404) << verb;
    }
    for (const std::string verb : {"run", "restore", "release"}) {
        EXPECT_EQ(ask("POST", "/v1/jobs/nobody/" + verb, "{}").status, 404) << verb;
    }
    EXPECT_EQ(ask("PATCH", "/v1/jobs/nobody", R"({"delay":"1h"})").status, 404);
    EXPECT_EQ(ask("DELETE", "/v1/jobs/nobody").status, 404);
    // A classic get finds nothing, which is no failure.
    const auto nothing = json::parse(ask("POST", "/get", R"({"id":"nobody"})").body);
    EXPECT_EQ(nothing["code"], 0);
    EXPECT_TRUE(nothing["data"].is_null());
    for (const auto* path : {"/finish", "/delete"}) {
        const auto refused = json::parse(ask("POST", path, R"({"id":"nobody"})").body);
        EXPECT_NE(refused["code"], 0) << path;
    }
    EXPECT_EQ(daemon_.jobs()["leased"], 1U);
}

TEST_F(HttpBadInput, isTurnedAwayAtTwentyMegabytes)
{
    for (const auto& operation : operations()) {
        HttpClient client(daemon_.httpPort());
        client.send(operation.method + " " + target(operation) +
                    " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000000\r\n\r\n");
        const auto answer = client.receive();
        ASSERT_TRUE(answer) << operation.name();
        EXPECT_EQ(answer->status, 413) << operation.name();
    }
}

TEST_F(HttpBadInput, leavesTheMemoryAsItWas)
{
    const auto attack = [this] {
        for (const auto& operation : operations()) {
            sendWrongBodies(operation);
        }
    };
    attack();
    const auto before = daemon_.residentKilobytes();
    attack();
    attack();
    EXPECT_LT(daemon_.residentKilobytes(), before + 8'000);
    EXPECT_EQ(daemon_.jobsInAll(), 0U);
}

}  // namespace
}  // namespace restante::test
