#pragma once

#include "core/job/job.h"
#include "core/job/message_text.h"

#include <QString>

#include <cstdint>

namespace restante::gui {

/// What a body says, in one line that is no longer than a cell: its text, JSON without its
/// spaces, and the names or types of what else it has in brackets, "Look! [photo.jpg]". Of bytes
/// only their type; of an empty body nothing. *Pure function*, any thread.
QString previewOf(const Job& job, std::uint64_t wholeBody);

/// The text of a part, decoded by its charset; empty when it is no text. *Pure function.*
QString textOf(const MessageText::Part& part);
/// How a part is named that is no text: "photo.jpg", or "image/jpeg". *Pure function.*
QString nameOf(const MessageText::Part& part);

}  // namespace restante::gui
