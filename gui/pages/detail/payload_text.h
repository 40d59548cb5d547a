#pragma once

#include "core/job/job.h"
#include "gui/base/charset.h"

#include <QString>

#include <string>
#include <string_view>

// What PayloadDocument is made of. All of it *pure functions*.
namespace restante::gui {

/// The charset that a content type names, in capitals; "UTF-8" when it names none.
QString charsetOf(const std::string& contentType);
/// Whether the bytes are text in that charset, and the charset one that can be read.
bool isReadable(const std::string& bytes, const QString& charset);

/// Indents JSON without changing a token: numbers, escapes and the order of keys stay as written.
/// `json` is known to be well-formed. *Pure function.*
QString indentJson(const QString& json);

/// Printable ASCII as it is, line feeds with a break behind, the rest as \xNN.
QString escapedBytes(const std::string& bytes);

/// "00000010  53 49 50 ...  |SIP...|", sixteen bytes a line, the first at `offset`.
QString hexDump(std::string_view bytes, std::size_t offset);
/// Where the n-th byte begins in that text, and which byte is at that place.
qsizetype hexColumn(qsizetype byte);
qsizetype hexByteAt(qsizetype column);
/// The bytes that a search is for: of "0d 0a" and "0x0d0a" two, otherwise the text in UTF-8.
std::string parseSearchBytes(const QString& text);
qsizetype findBytes(const std::string& in, const std::string& what, qsizetype from, bool forward);

/// The head of a job as the MESSAGE that carries it, with the empty line.
QString sipHead(const Job& job);

bool isLineEnd(QChar c);
/// A symbol for a control character, also for one that turns the direction of writing.
QChar visibleSymbol(QChar c);
bool hasControlCharacters(const QString& text);
bool hasLongLine(const QString& text, qsizetype longest);

}  // namespace restante::gui
