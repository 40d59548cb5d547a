#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace restante {

/// The field that was probably meant by a word that is none: "status" is state, "sender_" is
/// sender; empty = nobody can guess. *Pure function.*
std::string_view suggestedField(std::string_view word);

/// The state that was probably meant, also in the words of other queues: "failed" is dead,
/// "running" is leased.
std::string_view suggestedState(std::string_view word);

/// The filter that was probably meant instead of one that cannot be read: `state:dead` for
/// `status:failed`. None: it can be read, or nobody can guess. *Pure function.*
std::optional<std::string> suggestedFilter(std::string_view text);

}  // namespace restante
