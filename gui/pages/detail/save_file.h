#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>

#include <functional>

namespace restante::gui {

/// Writes a whole file on another thread, replacing what is there only when all of it is written.
/// `done` runs on the thread of `receiver`, unless that has died; an empty text is success, another
/// one says what is wrong.
void saveFile(const QString& path,
              const QByteArray& content,
              QObject* receiver,
              std::function<void(const QString& problem)> done);

}  // namespace restante::gui
