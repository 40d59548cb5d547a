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
    const bool isIrreversible = verb == Verb::Purge || verb == Verb::Finish || verb == Verb::Bury;
    const bool isProduction = mode == AccessMode::Production;
    const bool mustAsk =
        isIrreversible || selection.all || (verb == Verb::RunNow && many) || (isProduction && many);
    const bool mustType =
        isProduction && mustAsk && std::max<std::uint64_t>(selection.count, 1) >= productionFrom;
    if (selection.count >= typedFrom || mustType) {
        return Confirmation::TypeCount;
    }
    return mustAsk ? Confirmation::Ask : Confirmation::None;
}

}  // namespace restante::gui
