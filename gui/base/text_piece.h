#pragma once

#include <QString>

#include <algorithm>

namespace restante::gui {

/// Where a piece of at most `length` UTF-16 code units ends that begins at `begin`: never within a
/// surrogate pair. `length` is at least 2, so that every piece is one. *Pure.*
inline qsizetype pieceEnd(const QString& text, qsizetype begin, qsizetype length)
{
    const auto end = std::min(begin + length, text.size());
    const bool isWithinPair = end < text.size() && text.at(end).isLowSurrogate() &&
                              end > begin + 1 && text.at(end - 1).isHighSurrogate();
    return isWithinPair ? end - 1 : end;
}

/// The beginning of the text, of at most `length` code units, as pieceEnd() cuts it. *Pure.*
inline QString beginningOf(const QString& text, qsizetype length)
{
    return text.left(pieceEnd(text, 0, length));
}

}  // namespace restante::gui
