#include "core/redis/store/attempt_note.h"

#include "core/queue/job_store.h"

namespace restante::redis {

std::string_view shortNote(std::string_view note) noexcept
{
    if (note.size() <= kLongestNote) {
        return note;
    }
    auto end = kLongestNote;
    while (end > 0 && (static_cast<unsigned char>(note[end]) & 0xC0U) == 0x80U) {
        --end;
    }
    return note.substr(0, end);
}

}  // namespace restante::redis
