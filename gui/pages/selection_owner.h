#pragma once

#include "gui/session/jobs_view.h"

#include <cstddef>
#include <string>
#include <vector>

namespace restante::gui {

/// What a page that shows jobs or topics tells the commands; a Page is one by inheriting from it,
/// too. *Thread of the window.*
class SelectionOwner {
public:
    SelectionOwner() = default;
    SelectionOwner(const SelectionOwner&) = delete;
    SelectionOwner& operator=(const SelectionOwner&) = delete;
    virtual ~SelectionOwner() = default;

    /// What an action on jobs applies to, at this moment.
    virtual Selection selected() const { return {}; }
    /// Rows of it that are known, from the top, at most `most`: for previews only. They may be
    /// older than what the store has.
    virtual std::vector<JobRow> knownRows(std::size_t most) const
    {
        static_cast<void>(most);
        return {};
    }
    /// What the page shows, selected or not: an export without a selection takes all of it.
    virtual JobsView shownView() const { return {}; }
    /// The topic that Pause and Resume are about; empty = none.
    virtual std::string selectedTopic() const { return {}; }
    /// Whose mailbox is shown; empty = nobody's.
    virtual std::string selectedRecipient() const { return {}; }
};

}  // namespace restante::gui
