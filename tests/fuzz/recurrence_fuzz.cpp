#include "core/schedule/recurrence.h"
#include "core/schedule/recurrence_rule.h"
#include "tests/fuzz/fuzz.h"

#include <chrono>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace restante;
    const auto text = fuzz::textOf(data, size);
    const auto rule = RecurrenceRule::parse(text);
    if (!rule) {
        fuzz::require(rule.error().code == ErrorCode::Invalid, "what cannot be read is Invalid");
        fuzz::require(!rule.error().message.empty(), "a refusal says why");
        return 0;
    }
    fuzz::require(rule->interval >= 1, "an interval goes on");
    fuzz::require(RecurrenceRule::parse(rule->text).has_value(), "a rule's text is a rule");
    const auto zone = ZonedClock::find("Europe/Berlin");
    const auto start = parseLocalTime("2026-03-28 09:00:00", Millis{0});
    fuzz::require(zone.has_value() && start.has_value(), "the zone is there");
    const auto series = Recurrence::parse(text, *zone, *start, std::chrono::seconds{1});
    if (!series) {
        return 0;
    }
    auto at = fromEpochMs(1'774'000'000'000);
    for (int i = 0; i < 5; ++i) {
        const auto next = series->next(at);
        if (!next) {
            break;
        }
        fuzz::require(*next > at, "a series goes forward");
        at = *next;
    }
    return 0;
}
