#pragma once

// The magic types must be defined before the first sofia header; every file of ours that talks to
// sofia starts here, so that they agree.
#define SU_ROOT_MAGIC_T void
#define SU_TIMER_ARG_T void
#define SU_WAKEUP_ARG_T void
#define NTA_AGENT_MAGIC_T void
#define NTA_LEG_MAGIC_T void
#define NTA_OUTGOING_MAGIC_T void
#define NTA_INCOMING_MAGIC_T void

#include "core/base/handle_deleter.h"

#include <sofia-sip/msg.h>
#include <sofia-sip/nta.h>
#include <sofia-sip/nta_tag.h>
#include <sofia-sip/su_alloc.h>
#include <sofia-sip/su_wait.h>

#include <initializer_list>
#include <memory>
#include <vector>

namespace restante::sip {

using RootHandle = std::unique_ptr<su_root_t, HandleDeleter<su_root_destroy>>;
using TimerHandle = std::unique_ptr<su_timer_t, HandleDeleter<su_timer_destroy>>;
using AgentHandle = std::unique_ptr<nta_agent_t, HandleDeleter<nta_agent_destroy>>;
using MessageHandle = std::unique_ptr<msg_t, HandleDeleter<msg_destroy>>;
using OutgoingHandle = std::unique_ptr<nta_outgoing_t, HandleDeleter<nta_outgoing_destroy>>;

/// Memory that lives as long as this. sofia's own destructor of a home is su_home_unref.
struct HomeReleaser {
    void operator()(su_home_t* home) const noexcept { su_home_unref(home); }
};
using HomeHandle = std::unique_ptr<su_home_t, HomeReleaser>;
inline HomeHandle newHome()
{
    return HomeHandle{static_cast<su_home_t*>(su_home_new(sizeof(su_home_t)))};
}

/// A tag list that always ends. A variadic sofia call takes `TAG_NEXT(tags.list())` as its only
/// tags:
///
///     Tags tags{{NTATAG_MAXSIZE(65536)}, {TPTAG_STUN_SERVER(0)}};
///     nta_agent_set_params(agent, TAG_NEXT(tags.list()));
///
/// Borrows what the tags point to.
class Tags {
public:
    Tags(std::initializer_list<tagi_t> tags) : tags_(tags) { tags_.push_back(tagi_t{nullptr, 0}); }
    const tagi_t* list() const noexcept { return tags_.data(); }

private:
    std::vector<tagi_t> tags_;
};

}  // namespace restante::sip
