#include "tests/support/append_only.h"

#include <charconv>

namespace restante::test {

namespace {

/// Reads "<mark><number>\r\n" at `at` and advances `at` behind it; false when it is not there.
bool readNumberAfter(std::string_view file, char mark, std::size_t& at, std::size_t& value)
{
    if (at >= file.size() || file[at] != mark) {
        return false;
    }
    const auto read = std::from_chars(file.data() + at + 1, file.data() + file.size(), value);
    at = static_cast<std::size_t>(read.ptr - file.data()) + 2;
    return read.ec == std::errc{} && at <= file.size();
}

}  // namespace

std::vector<LoggedCommand> commandsOf(std::string_view file)
{
    std::vector<LoggedCommand> commands;
    std::size_t at = 0;
    while (at < file.size()) {
        LoggedCommand command;
        std::size_t count = 0;
        if (!readNumberAfter(file, '*', at, count)) {
            break;
        }
        for (std::size_t i = 0; i < count; ++i) {
            std::size_t size = 0;
            if (!readNumberAfter(file, '$', at, size) || at + size + 2 > file.size()) {
                return commands;
            }
            command.words.emplace_back(file.substr(at, size));
            at += size + 2;
        }
        commands.push_back(std::move(command));
    }
    return commands;
}

std::filesystem::path lastIncrementIn(const std::filesystem::path& directory)
{
    std::filesystem::path last;
    for (const auto& entry : std::filesystem::directory_iterator(directory / "appendonlydir")) {
        const auto name = entry.path().filename().string();
        if (name.ends_with(".incr.aof") && entry.path() > last) {
            last = entry.path();
        }
    }
    return last;
}

}  // namespace restante::test
