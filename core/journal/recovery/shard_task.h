#pragma once

#include "core/base/async_task.h"
#include "core/journal/recovery/recording_settings.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/reply.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/script.h"
#include "core/redis/store/script_queue.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace restante::journal {

/// An AsyncTask that queries the journal and the store. `next` of each step is passed to then().
/// *One loop*; borrows the context.
template <class Self, class Answer>
class JournalTask : public AsyncTask<Self, Answer> {
protected:
    explicit JournalTask(JournalContext context) : context_(context) {}

    /// Runs `work(sql)` on the journal and yields its value.
    template <class Work, class Next>
    void ask(Work work, Next next)
    {
        using Value = typename std::invoke_result_t<Work&, SqlJournal&>::value_type;
        context_.sql.template ask<Value>(context_.loop, std::move(work),
                                         this->template then<Value>(std::move(next)));
    }

    /// Yields the reply to a command.
    template <class Next>
    void command(const redis::Connection::Args& words, Next next)
    {
        context_.commands.command(words, this->template then<redis::Reply>(std::move(next)));
    }

    JournalContext context_;
};

/// A JournalTask on one shard.
template <class Self, class Answer>
class ShardTask : public JournalTask<Self, Answer> {
public:
    ShardTask(JournalContext context, RecordingSettings settings)
        : JournalTask<Self, Answer>(context),
          settings_(std::move(settings)),
          prefix_(redis::shardPrefix(settings_.prefix, settings_.shard)),
          scripts_(context.loop, context.commands, context.clock, {.shardPrefix = prefix_})
    {
    }

protected:
    /// Yields the reply to one item of the script, which concerns no particular job.
    template <class Next>
    void call(std::string_view script, std::initializer_list<std::string_view> arguments, Next next)
    {
        scripts_.add(redis::script(script), {}, arguments,
                     this->template then<redis::Reply>(std::move(next)));
    }

    RecordingSettings settings_;
    std::string prefix_;
    redis::ScriptQueue scripts_;
};

}  // namespace restante::journal
