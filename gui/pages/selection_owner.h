#pragma once

#include "gui/session/jobs_view.h"

#include <cstddef>
#include <string>
#include <vector>

namespace restante::gui {

/// What the commands ask of a page that shows jobs, mailboxes or topics; such a Page inherits from
/// it, too. *Thread of the window.*
class SelectionOwner {
public:
    SelectionOwner() = default;
    SelectionOwner(const SelectionOwner&) = delete;
    SelectionOwner& operator=(const SelectionOwner&) = delete;
    virtual ~SelectionOwner() = default;

    /// The jobs that an action applies to.
    virtual Selection selected() const { return {}; }
    /// The loaded rows of the selection, from the top, at most `maxRows`: for previews only, as
    /// they may be out of date.
    virtual std::vector<JobRow> knownRows(std::size_t maxRows) const
    {
        static_cast<void>(maxRows);
        return {};
    }
    /// What the page shows, selected or not: an export without a selection takes all of it.
    virtual JobsView shownView() const { return {}; }
    /// The topic that Pause and Resume are about; empty = none.
    virtual std::string selectedTopic() const { return {}; }
    /// The recipient whose mailbox is shown; empty = none.
    virtual std::string selectedRecipient() const { return {}; }
};

}  // namespace restante::gui
