#pragma once

#include <QString>

namespace restante::gui {

/// An address without the passwords in it, wherever and however they are written: between the user
/// and the host, or as an option (`?password=`, `sslpassword`, percent-encoded or not). Where it
/// is not clear what is a password, more is taken away rather than less. *Pure.*
QString withoutSecrets(const QString& url);

}  // namespace restante::gui
