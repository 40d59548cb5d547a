#pragma once

#include <QString>

#include <string>

namespace restante::gui {

/// Whether that is what bytes are read as by themselves: UTF-8, or the ASCII in it.
bool isUtf8Name(const QString& charset);
/// Bytes in that charset as text, as far as possible; the rest becomes U+FFFD. One that nobody
/// knows is read as UTF-8.
QString decoded(const std::string& bytes, const QString& charset);

}  // namespace restante::gui
