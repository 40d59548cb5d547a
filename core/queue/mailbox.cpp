#include "core/queue/mailbox.h"

#include "core/base/text.h"

namespace restante {

std::optional<MailboxRank> MailboxRank::parse(std::string_view text)
{
    const auto space = text.find(' ');
    const auto waiting = wholeNumber<std::uint64_t>(text.substr(0, space));
    if (!waiting || space == std::string_view::npos || space + 1 == text.size()) {
        return std::nullopt;
    }
    return MailboxRank{*waiting, std::string(text.substr(space + 1))};
}

bool matchesName(std::string_view recipient, std::string_view name)
{
    return lowered(recipient).find(lowered(name)) != std::string::npos;
}

}  // namespace restante
