#pragma once

#include "core/base/clock.h"
#include "gui/session/job_source.h"
#include "gui/theme/theme.h"

#include <QString>

#include <vector>

namespace restante::gui {

/// "SIP HTTP webhooks": what the daemon does, in words for people.
QString dutiesText(const std::vector<std::string>& duties);
/// The health of a daemon: Good = it works, Notice = it is stopping, Warning = part of it hangs,
/// Bad = it is silent.
Theme::Severity daemonSeverity(const DaemonView& daemon);
/// The same in a word: "ok", "stopping", "hangs", "silent".
QString daemonStatus(const DaemonView& daemon);
/// "vm/28350, 0.1.0, SIP HTTP webhooks, seen 2 s ago"; it also says that a daemon is stopping,
/// hangs or is silent. `now` is the store's time.
QString daemonText(const DaemonView& daemon, TimePoint now);
/// Why nobody delivers, and what to do about it; empty = a daemon delivers.
QString nobodyDeliversText(const std::vector<DaemonView>& daemons, TimePoint now);
/// Says which part of a living daemon hangs, and what to do about it; empty = none does.
QString hangingText(const std::vector<DaemonView>& daemons);

}  // namespace restante::gui
