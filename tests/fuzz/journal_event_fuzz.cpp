#include "core/journal/outbox/journal_event.h"
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace restante;

/// Lines of the input in turn as names and values of an entry's fields.
redis::Reply::Array fieldsOf(std::string_view text)
{
    redis::Reply::Array fields;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        fields.push_back({std::string(text.substr(0, end))});
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return fields;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto bytes = fuzz::textOf(data, size);
    if (const auto texts = journal::unpackTexts(bytes)) {
        fuzz::require(texts->size() <= bytes.size(), "each text takes at least a byte");
    }
    if (const auto rows = journal::unpackRows(bytes)) {
        fuzz::require(rows->size() <= bytes.size(), "each row takes at least a byte");
    }
    if (const auto event = journal::parseEvent({1, 0}, fieldsOf(bytes))) {
        fuzz::require(!event->transition.empty(), "an event has a name");
    }
    return 0;
}
