#pragma once

#include "core/journal/outbox/journal_event.h"
#include "core/journal/sql/sql_row_writer.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace restante::journal {

/// What the store has besides jobs, as it stood last: a row of the table `setting`. *Value.*
struct StoredSetting {
    enum class Kind { Pause, Limit, Registration };
    Kind kind = Kind::Pause;
    std::string name;          ///< of the topic, or of the hash behind its shard's prefix
    std::string value;         ///< Pause: since ms, actor, reason, line feeds between them; Limit:
                               ///< "<concurrency> <jobs> <per ms>"; Registration: MessagePack
    std::int64_t untilMs = 0;  ///< of a Registration

    /// The row's key.
    std::string id() const;
};

/// Of a row's key: an address of record has at most 1,024 bytes, and base64 a third more.
inline constexpr std::size_t kLongestSettingId = 1'500;

/// What a batch changes of the settings, so that each is written once. *One thread.*
class SettingWriter {
public:
    explicit SettingWriter(std::uint32_t shard);

    /// Of an event about a topic or a registration; of others nothing.
    void add(const JournalEvent& event);
    void add(StoredSetting setting, std::int64_t nowMs);
    /// Deletes what is gone. Before rows().
    void clear(SqlSession& session) const;
    /// The others, to take the place of what is there.
    const TableRows& rows();

private:
    struct Change {
        std::optional<StoredSetting> setting;  ///< none: it is gone
        std::int64_t atMs = 0;
        StreamId at = {};
    };
    std::uint32_t shard_;
    std::map<std::string, Change> changes_;
    TableRows rows_;
};

/// The next settings behind `after`, at most `limit`, in the order of their keys: those of the
/// shard, and all topics, which hold for every shard; registrations that have ended by `nowMs` are
/// left out.
std::vector<StoredSetting> readSettings(SqlSession& session,
                                        std::uint32_t shard,
                                        const std::string& after,
                                        std::size_t limit,
                                        std::int64_t nowMs);

}  // namespace restante::journal
