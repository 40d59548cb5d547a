#pragma once

#include "gui/actions/action_registry.h"
#include "gui/actions/context.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

class QWidget;

namespace restante::gui {

class Page;

/// Every page of the console, in the order of the rail.
enum class PageId { Overview, Mailboxes, Jobs, Reminders, Topics, Monitor, Audit };

/// One row of the catalogue of pages. *Value.*
struct PageEntry {
    PageId id;
    const char* name;  ///< of --page
    ActionId action;   ///< brings it to the front; its text and icon are those of the rail
    Page* (*make)(Context context, QWidget* parent);
};

/// Every page, in the order of the rail.
std::span<const PageEntry> pageTable();
std::vector<PageId> pageIds();
/// None: there is no page of that name.
std::optional<PageId> pageNamed(std::string_view name);

}  // namespace restante::gui
