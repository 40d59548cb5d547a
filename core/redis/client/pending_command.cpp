#include "core/redis/client/pending_command.h"

namespace restante::redis {

void PendingCommand::copy(const Connection::Args& args)
{
    for (const auto word : args) {
        bytes.append(word);
        ends.push_back(bytes.size());
    }
}

Connection::Args PendingCommand::words() const
{
    Connection::Args words;
    words.reserve(ends.size());
    std::size_t begin = 0;
    for (const auto end : ends) {
        words.emplace_back(bytes.data() + begin, end - begin);
        begin = end;
    }
    return words;
}

}  // namespace restante::redis
