#include "core/queue/bulk_order.h"

#include <algorithm>

namespace restante {

namespace {

/// Nobody types it into a name, and none that comes in by another way is taken for one.
constexpr char kSeparator = '\x1f';

}  // namespace

std::string actorOfOrder(std::string_view actor, std::string_view order)
{
    if (actor.empty() || order.empty()) {
        return std::string(actor);
    }
    std::string text(actor);
    std::erase(text, kSeparator);
    text += kSeparator;
    text += order;
    return text;
}

std::pair<std::string_view, std::string_view> splitActorOfOrder(std::string_view text)
{
    const auto at = text.rfind(kSeparator);
    return at == std::string_view::npos ? std::pair{text, std::string_view{}}
                                        : std::pair{text.substr(0, at), text.substr(at + 1)};
}

}  // namespace restante
