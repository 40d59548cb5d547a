#include "core/cli/table.h"

#include "core/base/text.h"

#include <algorithm>
#include <sys/ioctl.h>
#include <unistd.h>

namespace restante::cli {

namespace {

bool continuesCharacter(char c)
{
    return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;  // UTF-8
}

/// Characters, not bytes: close enough to columns for all but the widest scripts.
std::size_t widthOf(std::string_view text)
{
    return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continuesCharacter));
}

}  // namespace

Table::Table(std::vector<std::string> titles) : rows_{std::move(titles)} {}

void Table::add(std::vector<std::string> cells)
{
    for (auto& cell : cells) {
        cell = oneLine(cell);
    }
    cells.resize(rows_.front().size());
    rows_.push_back(std::move(cells));
}

std::string Table::text(std::size_t width) const
{
    std::vector<std::size_t> widths(rows_.front().size());
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], widthOf(row[i]));
        }
    }
    std::string text;
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t i = 0; i + 1 < row.size(); ++i) {
            line += row[i] + std::string(widths[i] - widthOf(row[i]) + 2, ' ');
        }
        const auto used = widthOf(line);
        line += width > used ? truncated(row.back(), width - used) : row.back();
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

std::size_t terminalWidth()
{
    winsize size{};
    if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) {
        return 0;
    }
    return size.ws_col;
}

std::string truncated(std::string_view text, std::size_t width)
{
    constexpr std::string_view kEllipsis = "...";
    if (widthOf(text) <= width || width <= kEllipsis.size()) {
        return std::string(text);
    }
    std::size_t end = 0;
    for (std::size_t kept = 0; end < text.size(); ++end) {
        if (!continuesCharacter(text[end]) && ++kept > width - kEllipsis.size()) {
            break;
        }
    }
    return std::string(text.substr(0, end)) + std::string(kEllipsis);
}

bool isC1Control(std::string_view text, std::size_t at)
{
    const auto byteAt = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    return at + 1 < text.size() && byteAt(at) == 0xc2 && byteAt(at + 1) >= 0x80 &&
           byteAt(at + 1) <= 0x9f;
}

std::string oneLine(std::string_view text)
{
    std::string line;
    while (!text.empty()) {
        auto rest = text;
        const bool isText = nextCodePoint(rest).has_value();
        const bool isSafe = isText && !isAsciiControl(text.front()) && !isC1Control(text, 0);
        rest = isText ? rest : text.substr(1);
        line += isSafe ? text.substr(0, text.size() - rest.size()) : " ";
        text = rest;
    }
    return line;
}

}  // namespace restante::cli
