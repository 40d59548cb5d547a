#pragma once

#include "core/base/result.h"
#include "core/config/config.h"
#include "core/delivery/sms/gateway.h"
#include "core/job/job.h"

namespace restante::sms {

/// The text message that a job asks for: number, sender (its own, else `sms.from`), text and
/// alphabet. Invalid names the field of the job that cannot be sent and what is allowed.
Result<Message> messageOf(const Job& job, const Config::Sms& config);

/// What a push of an sms job is checked against; nothing of other channels. Invalid also when
/// `sms.gateway` is off: nobody would deliver it.
Result<void> checkPush(const Job& job, const Config::Sms& config);

}  // namespace restante::sms
