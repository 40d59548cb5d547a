#pragma once

#include "core/job/job.h"
#include "gui/base/csv_text.h"

#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace restante {
struct HistoryRow;
}

namespace restante::gui {

enum class ExportFormat {
    Csv,        ///< RFC 4180, a line for each job, with the chosen columns
    JsonLines,  ///< as `restantectl export` writes it: import reads it back
    Sip,        ///< the messages of SIP jobs, concatenated
};

enum class ExportColumn {
    Id,
    State,
    Channel,
    Topic,
    Recipient,
    Sender,
    BizKey,
    ContentType,
    Priority,
    Attempt,
    Due,
    Created,
    Expires,
    Retry,
    Size,
    LastError,
    Body,
    Count_
};

/// How jobs are written. *Value.*
struct ExportOptions {
    enum class Payload { Whole, Redacted };
    enum class History { Without, With };

    ExportFormat format = ExportFormat::Csv;
    std::vector<ExportColumn> columns = {};  ///< of Csv
    Payload payload = Payload::Whole;
    History history = History::Without;  ///< of JsonLines
    CsvFormulas formulas = CsvFormulas::AsTheyAre;
};

/// "biz_key": the words of the HTTP interface, also the header of the CSV.
std::string columnName(ExportColumn column);
std::vector<ExportColumn> allColumns();

/// The line above the first job; empty for formats without one.
std::string exportHeader(const ExportOptions& options);
/// One job as text; none when the format cannot hold it (Sip: a job that is no SIP message).
/// `history` is written when the options ask for it. *Pure.*
std::optional<std::string> exportLine(const JobView& view,
                                      const std::vector<HistoryRow>& history,
                                      const ExportOptions& options);

}  // namespace restante::gui
