// A line of a file that `restantectl import` and the console's import read.
#include "core/job/job_filter.h"
#include "core/json/document.h"
#include "core/json/export_json.h"
#include "tests/fuzz/fuzz.h"

#include <nlohmann/json.hpp>

namespace {

using namespace restante;

nlohmann::json lineOf(const Exported& value)
{
    return std::visit([](const auto& one) { return json::exportOf(one); }, value);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto document = json::parseDocument(fuzz::textOf(data, size));
    if (!document) {
        return 0;
    }
    const auto read = json::exportedOf(*document);
    if (!read) {
        fuzz::require(!json::errorOf(read.error()).message.empty(), "a refusal says why");
        return 0;
    }
    const auto sound =
        std::visit([](const auto& one) { return checkImport(one, DelayQueue::Settings{}); }, *read);
    if (!sound) {
        fuzz::require(!sound.error().message.empty(), "a refusal says why");
        return 0;
    }
    const auto line = lineOf(*read);
    const auto parsed = json::parseDocument(json::toString(line));
    fuzz::require(parsed.has_value(), "what was read can be written");
    const auto again = json::exportedOf(*parsed);
    fuzz::require(again && lineOf(*again) == line, "what was written is read back alike");
    return 0;
}
