#pragma once

#include "core/base/result.h"
#include "core/queue/mailbox.h"
#include "core/redis/store/script_queue.h"

namespace restante::redis {

/// JobInspector::mailboxes() in Redis: scans the mailboxes of all shards, some at a time, so that
/// others are served in between, keeps the fullest, and then reads those. With N mailboxes that is
/// N / 500 commands of a fraction of a millisecond each. Calls `done` once, never from inside the
/// call.
void listMailboxes(const ShardAccess& store, MailboxQuery query, Done<MailboxPage> done);

/// JobInspector::mailbox() in Redis.
void readMailbox(const ShardQueues& shards, MailboxRequest request, Done<MailboxContent> done);

}  // namespace restante::redis
