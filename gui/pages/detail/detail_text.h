#pragma once

#include "core/base/clock.h"
#include "core/job/job.h"

#include <QString>

#include <cstdint>
#include <string>

namespace restante::gui {

class Preferences;

/// Untrusted bytes as text; invalid UTF-8 becomes U+FFFD.
QString textOf(const std::string& bytes);
/// "2026-11-21 20:30:00 (in 2 h)"; a dash for epoch 0 and for TimePoint::max().
QString absoluteAndRelative(TimePoint at, TimePoint now, const Preferences& preferences);
/// "2 of 6": the attempts that count for the schedule, and how many the job's own one allows; "2"
/// if it has none, or one that attemptCountOf() does not count.
QString attemptsText(const JobView& view);
/// "4.2 KiB".
QString sizeText(std::uint64_t bytes);
/// A tool tip that shows the text literally, wrapped and cut off after 2,000 characters.
QString tipOf(const QString& text);
/// The name of a transition for people: "Run now" for "run_now"; unknown names stay as they are.
QString transitionName(const std::string& word);

}  // namespace restante::gui
