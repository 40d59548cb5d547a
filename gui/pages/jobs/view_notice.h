#pragma once

#include "gui/session/backend.h"
#include "gui/session/jobs_view.h"
#include "gui/theme/empty_pane.h"

#include <vector>

namespace restante::gui {

/// What stands in the place of the table, and what its buttons do. *Pure functions.*
enum class NoticeAct {
    NewConnection,
    OpenConnection,
    Demo,
    Cancel,
    Retry,
    AllStates,
    WholeFilter,
    Term
};

struct NoticeChoice {
    EmptyPane::Content notice = {};
    /// One a button; a Term is the n-th of termsOf(), counted from the first Term.
    std::vector<NoticeAct> acts = {};
};

NoticeChoice noticeWithoutSession();
/// Of a connection that is not ready.
NoticeChoice noticeOf(const LinkState& link);
NoticeChoice noticeWhileLoading();
/// Nothing is found yet; the look through the store goes on.
NoticeChoice noticeWhileScanning();
/// Nothing matches.
NoticeChoice noticeOfNothing(const JobsView& view);

}  // namespace restante::gui
