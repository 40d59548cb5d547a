#pragma once

#include "gui/base/file_work.h"

#include <QString>

#include <functional>
#include <memory>
#include <string>

namespace restante::gui {

/// Writes a file piece by piece on a thread that is not the window's. It appears under its name
/// when it is complete, in the place of what was there; until then, and after an error, a cancel or
/// the end of this object, nothing of it is left. *Thread of the window.*
class FileWriter {
public:
    explicit FileWriter(const QString& name);
    /// Without having been committed it is cancelled; it does not wait.
    ~FileWriter();

    /// What is wrong, as a sentence; empty = nothing.
    using Completed = std::function<void(const QString& problem)>;
    /// Makes a piece on the other thread, and appends it. One that follows a problem is not made.
    using Make = std::function<std::string()>;
    void append(Make make, QObject* receiver, Completed completed);
    /// Once, in the end: the file is there when it is told.
    void commit(QObject* receiver, Completed completed);
    void cancel();

private:
    struct File;
    std::shared_ptr<File> file_;  ///< shared with the work on it
    FileWork work_;
};

/// A whole file at once. `completed` is not called when `receiver` has died by then; the file is
/// written all the same.
void writeFile(const QString& name,
               std::string content,
               QObject* receiver,
               FileWriter::Completed completed);

}  // namespace restante::gui
