#pragma once

#include "core/base/result.h"

#include <string_view>
#include <unordered_set>
#include <vector>

namespace restante::sip {

/// For whom messages are kept: `sip.users`; without it for everybody. *Value.*
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

    bool everybody_ = true;
    std::unordered_set<std::string> names_;      ///< in every domain of ours
    std::unordered_set<std::string> addresses_;  ///< canonical
};

}  // namespace restante::sip
