#pragma once

#include <QString>

#include <string>

namespace restante::gui {

/// Whether the charset is UTF-8 or its subset US-ASCII.
bool isUtf8OrAscii(const QString& charset);
/// Decodes bytes of that charset; invalid ones become U+FFFD. An unknown charset is read as UTF-8.
QString decodeText(const std::string& bytes, const QString& charset);

}  // namespace restante::gui
