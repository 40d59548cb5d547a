#include "core/base/error.h"

#include <system_error>

namespace restante {

std::string_view name(ErrorCode code) noexcept
{
    switch (code) {
    case ErrorCode::Invalid: return "invalid";
    case ErrorCode::NotFound: return "not_found";
    case ErrorCode::Conflict: return "conflict";
    case ErrorCode::Stale: return "stale";
    case ErrorCode::MailboxFull: return "mailbox_full";
    case ErrorCode::Unavailable: return "unavailable";
    case ErrorCode::Full: return "full";
    case ErrorCode::ReadOnly: return "read_only";
    case ErrorCode::Loading: return "loading";
    case ErrorCode::Busy: return "busy";
    case ErrorCode::Denied: return "denied";
    case ErrorCode::Internal: return "internal";
    }
    return "internal";
}

std::string formatSystemError(int number)
{
    return std::generic_category().message(number);
}

bool isTemporary(ErrorCode code) noexcept
{
    switch (code) {
    case ErrorCode::Unavailable:
    case ErrorCode::Full:
    case ErrorCode::ReadOnly:
    case ErrorCode::Loading:
    case ErrorCode::Busy:
    // The store refuses us, not the caller: once an administrator has corrected the password, the
    // same request succeeds.
    case ErrorCode::Denied: return true;
    case ErrorCode::Invalid:
    case ErrorCode::NotFound:
    case ErrorCode::Conflict:
    case ErrorCode::Stale:
    case ErrorCode::MailboxFull:
    case ErrorCode::Internal: return false;
    }
    return false;
}

std::string_view Error::detail() const noexcept
{
    const std::string_view text = message;
    const bool named =
        !field.empty() && text.starts_with(field) && text.substr(field.size()).starts_with(": ");
    return named ? text.substr(field.size() + 2) : text;
}

}  // namespace restante
