#pragma once

#include "core/base/clock.h"
#include "gui/session/job_source.h"
#include "gui/theme/theme.h"

#include <QString>

#include <vector>

namespace restante::gui {

/// "sip http webhook": what the daemon does, in words for people.
QString dutiesText(const std::vector<std::string>& duties);
/// How a daemon is: Good delivers or does other work, Notice ends, Warning hangs in part, Bad is
/// silent.
Theme::Meaning daemonMeaning(const DaemonView& daemon);
/// That in a word: "ok", "stopping", "hangs", "silent".
QString daemonWord(const DaemonView& daemon);
/// "vm/28350, 0.1.0, sip http webhook, seen 2 s ago"; of one that ends, hangs or is silent it says
/// so. `now` is the store's time.
QString daemonText(const DaemonView& daemon, TimePoint now);
/// What is wrong when nobody delivers, and what to do about it; empty = somebody does.
QString nobodyDeliversText(const std::vector<DaemonView>& daemons, TimePoint now);
/// Part of a living daemon hangs, and what to do about it; empty = none does.
QString hangingText(const std::vector<DaemonView>& daemons);

}  // namespace restante::gui
