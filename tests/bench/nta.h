#pragma once

// sofia-sip's transactions for the bare sides; the context that its callbacks get is a void*. These
// types must be defined before the first sofia header.
#define NTA_AGENT_MAGIC_T void
#define NTA_OUTGOING_MAGIC_T void
#define SU_ROOT_MAGIC_T void
#define SU_WAKEUP_ARG_T void
#include <sofia-sip/nta.h>
#include <sofia-sip/su_wait.h>
