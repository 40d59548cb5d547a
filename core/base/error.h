#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace restante {

/// The kinds of failure that a caller can branch on. A code exists only when somebody treats it
/// differently; everything else about a failure is in the message, which is for people.
enum class ErrorCode {
    Invalid,      ///< the input is wrong; repeating it unchanged cannot help
    NotFound,     ///< no such job, mailbox or file
    Conflict,     ///< the id exists with other content, or the job is not in a fitting state
    Stale,        ///< the fencing token is older than the job's attempt
    MailboxFull,  ///< the recipient's quota is used up
    Unavailable,  ///< the store cannot be reached or answered too late; whether anything was
                  ///< stored is not known
    Full,         ///< the store is out of memory (`OOM`), or holds all that it may
    ReadOnly,     ///< the store is a replica (`READONLY`) or cannot write its disk (`MISCONF`)
    Loading,      ///< the store is still reading its data (`LOADING`)
    Busy,         ///< the store is stuck in a script (`BUSY`) or lacks replicas (`NOREPLICAS`)
    Denied,       ///< authentication or permission (`NOAUTH`, `WRONGPASS`, `NOPERM`)
    Internal,     ///< an answer that is impossible: a bug here or on the other side
};

/// The code as one lower-case word, e.g. "unavailable": for logs, JSON and tests.
std::string_view name(ErrorCode code) noexcept;

/// The system's message for an error number such as errno.
std::string formatSystemError(int number);

/// True when the same request may succeed later without being changed: the caller answers
/// "try again later" (SIP 503, HTTP 503) and never "done".
bool isTemporary(ErrorCode code) noexcept;

/// A failure of Redis, a peer or the input. *Value.* The message says what was attempted, on which
/// object, and what to do about it; it holds no job body and no secret.
struct Error {
    ErrorCode code = ErrorCode::Internal;
    std::string message;
    /// The name of the wrong input field ("ttr"), with which the message begins ("ttr: is ...");
    /// empty if the error is about no field.
    std::string field = {};
    /// The error code that the other side sent, such as Redis' "MOVED". Empty if the failure is on
    /// our side; docs/decisions/0041.
    std::string remoteCode = {};

    /// The message without the field. Valid as long as this error.
    std::string_view detail() const noexcept;
};

}  // namespace restante
