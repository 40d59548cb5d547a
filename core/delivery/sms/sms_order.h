#pragma once

#include "core/base/result.h"
#include "core/config/config.h"
#include "core/delivery/sms/gateway.h"
#include "core/job/job.h"

namespace restante::sms {

/// The text message that a job asks for: number, sender (its own, else `sms.from`), text and
/// alphabet. Invalid names the field of the job that cannot be sent and what is allowed.
Result<Message> messageOf(const Job& job, const Config::Sms& config);

/// Whether an sms job can be sent by any gateway: messageOf(), and its header Time-Zone.
Result<void> checkText(const Job& job, const Config::Sms& config);

/// What a push is checked against: checkText() of an sms job, and that `sms.gateway` is not off, as
/// nobody would deliver it; nothing of other channels.
Result<void> checkPush(const Job& job, const Config::Sms& config);

}  // namespace restante::sms
