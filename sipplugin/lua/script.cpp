#include "sipplugin/lua/script.h"

#include "core/redis/client/connection.h"
#include "core/redis/client/reply.h"

#include <algorithm>
#include <cassert>
#include <memory>
#include <utility>

namespace restante::sip {

const redis::Script& script(std::string_view name)
{
    const auto allScripts = scripts();
    const auto found = std::ranges::find(allScripts, name, &redis::Script::name);
    assert(found != allScripts.end());
    return *found;
}

void evaluate(redis::Connection& connection,
              std::string_view name,
              std::size_t keys,
              std::vector<std::string> arguments,
              Done<redis::Reply> done)
{
    const auto& calledScript = script(name);
    const auto send =
        [&connection, count = std::to_string(keys),
         arguments = std::make_shared<std::vector<std::string>>(std::move(arguments))](
            std::string_view verb, std::string_view body, Done<redis::Reply> answered) {
            redis::Connection::Args args{verb, body, count};
            args.insert(args.end(), arguments->begin(), arguments->end());
            connection.command(args, std::move(answered));
        };
    send("EVALSHA", calledScript.sha1,
         [send, &calledScript, done = std::move(done)](Result<redis::Reply> reply) {
             if (redis::isRefused(reply, "NOSCRIPT")) {
                 return send("EVAL", calledScript.text, done);
             }
             done(std::move(reply));
         });
}

}  // namespace restante::sip
