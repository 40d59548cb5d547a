#include "gui/operations/confirmation.h"

#include <algorithm>

namespace restante::gui {

Confirmation confirmationFor(BulkAction::Verb verb,
                             const Selection& selection,
                             AccessMode mode,
                             std::uint64_t typedFrom,
                             std::uint64_t productionFrom)
{
    using Verb = BulkAction::Verb;
    const bool many = selection.count > 1 || selection.all;
    const bool forGood = verb == Verb::Purge || verb == Verb::Finish || verb == Verb::Bury;
    const bool isProduction = mode == AccessMode::Production;
    const bool asks =
        forGood || selection.all || (verb == Verb::RunNow && many) || (isProduction && many);
    const bool types =
        isProduction && asks && std::max<std::uint64_t>(selection.count, 1) >= productionFrom;
    if (selection.count >= typedFrom || types) {
        return Confirmation::Type;
    }
    return asks ? Confirmation::Ask : Confirmation::None;
}

}  // namespace restante::gui
