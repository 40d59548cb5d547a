#pragma once

// The magic types must be defined before the first sofia header, alike everywhere.
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
#include <sofia-sip/su_alloc.h>
#include <sofia-sip/su_wait.h>

#include <memory>

namespace restante::sip {

using RootHandle = std::unique_ptr<su_root_t, HandleDeleter<su_root_destroy>>;
using TimerHandle = std::unique_ptr<su_timer_t, HandleDeleter<su_timer_destroy>>;
using MessageHandle = std::unique_ptr<msg_t, HandleDeleter<msg_destroy>>;

}  // namespace restante::sip
