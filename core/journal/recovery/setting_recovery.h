#pragma once

#include "core/journal/recovery/recording_settings.h"

#include <cstdint>
#include <memory>

namespace restante::journal {

/// Restores from the journal, and records into it, what a shard has besides jobs: the pauses and
/// limits of topics, and registrations (docs/journal.md, "What is no job"). Every step may be
/// repeated from the beginning. *One loop*; borrows the context; destroying the returned object
/// cancels the answer.

enum class LostSettings {
    Everything,  ///< restore all that the shard does not have; what it has was set since, and stays
    Newest,      ///< set pauses and limits of topics exactly as the journal has them
};
/// Restores settings that the shard has lost. To be called before any of its jobs comes back, or
/// jobs of a paused topic would be given out. Registrations that the shard has stay as they are.
/// Answers how many were restored; those that Newest has taken away do not count.
[[nodiscard]] std::shared_ptr<void> restoreSettings(JournalContext context,
                                                    const RecordingSettings& settings,
                                                    LostSettings lost,
                                                    Done<std::uint64_t> done);
/// Writes the settings of the shard into a journal that is rebuilt. Settings that only the journal
/// has stay there.
[[nodiscard]] std::shared_ptr<void>
recordSettings(JournalContext context, const RecordingSettings& settings, Done<void> done);

}  // namespace restante::journal
