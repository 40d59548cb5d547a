#pragma once

#include "core/job/job.h"
#include "gui/base/charset.h"

#include <QString>

#include <string>
#include <string_view>

// The conversions and searches of PayloadDocument. All are *pure functions*.
namespace restante::gui {

/// The charset that a content type names, in capitals; "UTF-8" when it names none.
QString charsetOf(const std::string& contentType);
/// Whether the bytes are valid text without NUL in that charset; an unknown charset is read as
/// UTF-8.
bool isReadable(const std::string& bytes, const QString& charset);

/// Indents JSON without changing a token: numbers, escapes and the order of keys stay as written.
/// `json` is known to be well-formed. *Pure function.*
QString indentJson(const QString& json);

/// Printable ASCII unchanged, "\n" followed by a line break, other bytes as escapes.
QString escapedBytes(const std::string& bytes);

/// "00000010  53 49 50 ...  SIP...", sixteen bytes a line, the first at `offset`.
QString hexDump(std::string_view bytes, std::size_t offset);
/// Position of the n-th byte in the text of hexDump(), and the byte at such a position.
qsizetype hexPositionOf(qsizetype byte);
qsizetype hexByteAt(qsizetype position);
/// The bytes to search for: two for "0d 0a" or "0x0d0a", otherwise the text in UTF-8.
std::string parseSearchBytes(const QString& text);
qsizetype
findBytes(const std::string& bytes, const std::string& pattern, qsizetype from, bool forward);

/// Request line and headers of the MESSAGE that carries the job, including the empty line.
QString sipHead(const Job& job);

bool isLineEnd(QChar c);
/// A symbol for a control character, including bidirectional ones; tabs, line ends and all others
/// are returned unchanged.
QChar visibleSymbol(QChar c);
/// Whether visibleSymbol() changes any of it.
bool hasControlCharacters(const QString& text);
bool hasLongLine(const QString& text, qsizetype longest);

}  // namespace restante::gui
