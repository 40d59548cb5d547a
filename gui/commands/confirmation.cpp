#include "gui/commands/confirmation.h"

namespace restante::gui {

Confirmation confirmationFor(BulkAction::Verb verb,
                             const Selection& selection,
                             AccessMode mode,
                             std::uint64_t typedFrom)
{
    using Verb = BulkAction::Verb;
    const bool many = selection.count > 1 || selection.all;
    const bool forGood = verb == Verb::Purge || verb == Verb::Finish || verb == Verb::Bury;
    const bool asks = forGood || selection.all || (verb == Verb::RunNow && many);
    if (selection.count >= typedFrom || (mode == AccessMode::Production && (asks || many))) {
        return Confirmation::Type;
    }
    return asks ? Confirmation::Ask : Confirmation::None;
}

}  // namespace restante::gui
