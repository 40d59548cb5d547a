#pragma once

#include "gui/base/file_work.h"

#include <QString>

#include <functional>
#include <memory>
#include <string>

namespace restante::gui {

/// Writes a file piece by piece on another thread. The file replaces an existing one under its
/// name when it is complete; an error, a cancel or destruction before that leaves nothing of it.
/// *Thread of the window.*
class FileWriter {
public:
    explicit FileWriter(const QString& name);
    /// Cancels a file that was not committed; does not wait.
    ~FileWriter();

    /// The problem as a sentence; empty = success.
    using Completed = std::function<void(const QString& problem)>;
    /// Makes a piece on the other thread, and appends it; not called after a problem.
    using MakeText = std::function<std::string()>;
    void append(MakeText makeText, QObject* receiver, Completed completed);
    /// Call it once, last: the file exists when `completed` is called without a problem.
    void commit(QObject* receiver, Completed completed);
    void cancel();

private:
    struct File;
    std::shared_ptr<File> file_;  ///< shared with the work on it
    FileWork work_;
};

/// A whole file at once. The file is written even if `receiver` is destroyed before; `completed` is
/// not called then.
void writeFile(const QString& name,
               std::string content,
               QObject* receiver,
               FileWriter::Completed completed);

}  // namespace restante::gui
