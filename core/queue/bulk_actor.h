#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace restante {

/// The actor of one transition of a bulk action: the operator, a unit separator, and the id of the
/// bulk action, which the audit has with each of its transitions (lib/outbox.lua splits the two).
/// Only `actor` when either is empty.
std::string actorWithBulkId(std::string_view actor, std::string_view bulkId);
/// The operator, and the id of the bulk action, or an empty one.
std::pair<std::string_view, std::string_view> splitBulkActor(std::string_view text);

}  // namespace restante
