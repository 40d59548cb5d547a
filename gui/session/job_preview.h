#pragma once

#include "core/job/job.h"
#include "core/job/message_text.h"

#include <QString>

#include <cstdint>

namespace restante::gui {

/// A preview of a body in one line that fits a table cell: its text, and
/// the names or types of attachments in brackets, "Look! [photo.jpg]". Of binary data only the
/// type; empty for an empty body. *Pure function*, any thread.
QString previewOf(const Job& job, std::uint64_t bodySize);

/// The text of a part, decoded by its charset; empty when it is no text. *Pure function.*
QString textOf(const MessageText::Part& part);
/// How a part is named that is no text: "photo.jpg", or "image/jpeg". *Pure function.*
QString nameOf(const MessageText::Part& part);

}  // namespace restante::gui
