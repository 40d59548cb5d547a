#pragma once

#include "core/journal/recovery/shard_settings.h"

#include <cstdint>
#include <memory>

namespace restante::journal {

/// Brings what a shard has besides jobs back from the journal, and into it: the pauses and limits
/// of topics, and registrations (docs/journal.md, "What is no job"). Every step may be repeated
/// from the beginning. *One loop*; borrows the parts; nothing is answered once what it returns is
/// destroyed.

enum class LostSettings {
    Everything,  ///< what the shard has was set since, and stays
    Newest,      ///< topics are held back as the journal says, and others go on
};
/// The shard has lost them. To be called before any of its jobs comes back, or a paused topic's
/// jobs would be given out. Registrations that the shard has stay as they are. Answers how many
/// came back.
[[nodiscard]] std::shared_ptr<void> restoreSettings(ShardParts parts,
                                                    const ShardSettings& settings,
                                                    LostSettings lost,
                                                    Done<std::uint64_t> done);
/// The journal begins anew with what is in the shard. What the journal has, and the shard does not,
/// stays there.
[[nodiscard]] std::shared_ptr<void>
recordSettings(ShardParts parts, const ShardSettings& settings, Done<void> done);

}  // namespace restante::journal
