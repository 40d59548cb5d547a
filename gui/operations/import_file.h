#pragma once

#include "core/job/job.h"
#include "core/queue/job_import.h"

#include <QFile>
#include <QString>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace restante::gui {

/// A file of JSON Lines as an export wrote it, read piece by piece. *One thread.*
class ImportFile {
public:
    /// More than a line with the largest configurable body in base64.
    static constexpr qint64 kMaxLineBytes = 64LL * 1024 * 1024;
    /// Wrong lines that are listed; further ones are only counted.
    static constexpr std::size_t kMaxListedProblems = 1'000;

    explicit ImportFile(const QString& name) : file_(name) {}

    struct Line {
        std::uint64_t number = 0;
        Exported value;
    };
    struct Piece {
        std::vector<Line> jobLines;     ///< valid jobs to be stored
        std::vector<Line> nonJobLines;  ///< pauses, limits and once keys
        std::uint64_t doneJobs = 0;  ///< done jobs of an earlier version's export: not for a store
        std::uint64_t wrong = 0;
        std::vector<std::pair<std::uint64_t, std::string>> problems;  ///< by the line's number
        bool atEnd = false;
        QString unreadable;  ///< why the file cannot be read; empty = it can
    };
    /// Reads the next lines, at most `maxLines`.
    Piece next(std::size_t maxLines);
    void rewind();

private:
    void read(const std::string& text, Piece& piece);

    QFile file_;
    std::uint64_t lineNumber_ = 0;
};

}  // namespace restante::gui
