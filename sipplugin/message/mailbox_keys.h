#pragma once

#include "core/job/job_id.h"
#include "core/redis/store/keys.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace restante::sip {

/// Makes the Redis keys of an address of record, in the shard of its mailbox. *Value.*
struct MailboxKeys {
    std::string prefix = "rst";
    std::uint32_t shards = 1;

    /// "rst:{s0}:aor:sip:bob@example.org" of the kind "aor".
    std::string key(std::string_view kind, const std::string& aor) const
    {
        return redis::shardPrefix(prefix, shardOfMailbox(aor, shards))
            .append(kind)
            .append(":")
            .append(aor);
    }
};

}  // namespace restante::sip
