#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace restante {

/// Who acts on a job as part of an order for many: the actor, and behind a unit separator the
/// order's id, which is written beside him with each of its transitions (lib/outbox.lua takes the
/// two apart). Without an actor nobody is noted, and no order.
std::string actorOfOrder(std::string_view actor, std::string_view order);
/// The actor, and the order's id, empty where there is none.
std::pair<std::string_view, std::string_view> splitActorOfOrder(std::string_view text);

}  // namespace restante
