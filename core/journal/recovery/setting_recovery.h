#pragma once

#include "core/journal/recovery/shard_settings.h"

#include <cstdint>
#include <memory>

namespace restante::journal {

/// Brings what a shard has besides jobs back from the journal, and into it: the pauses and limits
/// of topics, and registrations (docs/journal.md, "What is no job"). Every step may be repeated
/// from the beginning. *One loop*; borrows everything; nothing is answered once it is destroyed.
class SettingRecovery {
public:
    SettingRecovery(ShardParts parts, ShardSettings settings);
    SettingRecovery(const SettingRecovery&) = delete;
    SettingRecovery& operator=(const SettingRecovery&) = delete;
    ~SettingRecovery();

    enum class Lost {
        Everything,  ///< what the shard has was set since, and stays
        Newest,      ///< topics are held back as the journal says, and others go on
    };
    /// The shard has lost them. To be called before any of its jobs comes back, or a paused topic's
    /// jobs would be given out. Registrations that the shard has stay as they are. Answers how many
    /// came back.
    void restore(Lost lost, Done<std::uint64_t> done);
    /// The journal begins anew with what is in the shard. What the journal has, and the shard does
    /// not, stays there.
    void record(Done<void> done);

private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace restante::journal
