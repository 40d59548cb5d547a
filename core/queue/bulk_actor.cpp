#include "core/queue/bulk_actor.h"

#include <algorithm>

namespace restante {

namespace {

/// A unit separator is not typed into a name; one that is in the actor nevertheless is removed.
constexpr char kSeparator = '\x1f';

}  // namespace

std::string actorWithBulkId(std::string_view actor, std::string_view bulkId)
{
    if (actor.empty() || bulkId.empty()) {
        return std::string(actor);
    }
    std::string text(actor);
    std::erase(text, kSeparator);
    text += kSeparator;
    text += bulkId;
    return text;
}

std::pair<std::string_view, std::string_view> splitBulkActor(std::string_view text)
{
    const auto at = text.rfind(kSeparator);
    return at == std::string_view::npos ? std::pair{text, std::string_view{}}
                                        : std::pair{text.substr(0, at), text.substr(at + 1)};
}

}  // namespace restante
