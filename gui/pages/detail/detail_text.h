#pragma once

#include "core/base/clock.h"
#include "core/job/job.h"

#include <QString>

#include <cstdint>
#include <string>

namespace restante::gui {

class Preferences;

/// Bytes from a stranger as text; what is not UTF-8 becomes U+FFFD.
QString textOf(const std::string& bytes);
/// "2026-11-21 20:30:00 (in 2 h)"; a dash for epoch 0.
QString absoluteAndRelative(TimePoint at, TimePoint now, const Preferences& preferences);
/// "2 of 6": the attempts that its schedule has used up, and how many it has; "2" where that has no
/// end. The one count of attempts, wherever it stands.
QString attemptsText(const JobView& view);
/// "4.2 KiB".
QString sizeText(std::uint64_t bytes);
/// As a tool tip: literally, on several lines, and not without end.
QString tipOf(const QString& text);
/// The word of a transition for people: "Run now" of "run_now". Words that are not known stay.
QString transitionName(const std::string& word);

}  // namespace restante::gui
