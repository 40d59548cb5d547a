#pragma once

#include "core/base/result.h"

#include <string_view>
#include <unordered_set>
#include <vector>

namespace restante::sip {

/// The users for whom messages are kept (`sip.users`; empty = everybody). *Value.*
class KnownUsers {
public:
    /// Each entry is a user name, a SIP address, or the absolute path of a file with one of these a
    /// line ('#' begins a comment). Invalid names the entry, or file and line.
    static Result<KnownUsers> read(const std::vector<std::string>& entries);

    /// `aor` is canonical.
    bool knows(std::string_view aor) const;

private:
    Result<void> add(std::string_view entry);
    Result<void> addFile(const std::string& path);

    bool allowsEverybody_ = true;
    std::unordered_set<std::string> userNames_;  ///< known in each of our domains
    std::unordered_set<std::string> addresses_;  ///< canonical
};

}  // namespace restante::sip
