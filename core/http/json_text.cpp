#include "core/http/json_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

namespace restante::http {

namespace {

using nlohmann::json;

constexpr int kDeepest = 32;
constexpr std::size_t kLongestQuote = 200;

/// What nlohmann-json takes but we do not. Told of every step of the parser.
class Strictness {
public:
    /// False = stop here.
    bool allows(int depth, json::parse_event_t event, const json& value)
    {
        switch (event) {
        case json::parse_event_t::object_start:
        case json::parse_event_t::array_start:
            if (depth >= kDeepest) {
                wrong_ = fmt::format("it is nested deeper than {}", kDeepest);
            }
            names_.emplace_back();
            break;
        case json::parse_event_t::object_end:
        case json::parse_event_t::array_end: names_.pop_back(); break;
        case json::parse_event_t::key:
            if (!names_.back().insert(value.get<std::string>()).second) {
                wrong_ = fmt::format("\"{}\" comes twice", value.get<std::string>());
            }
            break;
        case json::parse_event_t::value: break;
        }
        if (!wrong_.empty()) {
            throw Refused{};
        }
        return true;
    }

    struct Refused {};
    const std::string& wrong() const noexcept { return wrong_; }

private:
    std::vector<std::set<std::string>> names_;  ///< of the objects that are open
    std::string wrong_;
};

tl::unexpected<Error> refused(std::string_view why)
{
    return failure(ErrorCode::Invalid,
                   fmt::format("the body is not the JSON that is wanted: {}", why));
}

}  // namespace

Result<json> parseJson(std::string_view text)
{
    Strictness strictness;
    try {
        return json::parse(text.begin(), text.end(),
                           [&](int depth, json::parse_event_t event, json& value) {
                               return strictness.allows(depth, event, value);
                           });
    } catch (const Strictness::Refused&) {
        return refused(strictness.wrong());
    } catch (const json::exception& error) {
        // "[json.exception.parse_error.101] parse error at line 1, column 5: ..."
        std::string_view what = error.what();
        const auto bracket = what.find("] ");
        // It quotes what it has read last, which may be long.
        return refused(
            what.substr(bracket == std::string_view::npos ? 0 : bracket + 2, kLongestQuote));
    }
}

std::string jsonText(const nlohmann::json& value)
{
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string jsonText(const nlohmann::ordered_json& value)
{
    return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace restante::http
