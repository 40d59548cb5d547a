#include "sipplugin/daemon/core_part.h"

#include "sipplugin/daemon/await.h"

namespace restante::daemon {

Result<std::unique_ptr<CorePart>>
CorePart::open(sip::SuLoop& loop, const redis::RedisUrl& url, const Config& config)
{
    // Not make_unique: the constructor is private.
    std::unique_ptr<CorePart> core(new CorePart(loop, url, config));
    auto fit = await<void>(loop, [&](auto done) {
        core->redis_.awaitReady(redis::RedisQueue::Report::Log, std::move(done));
    });
    if (!fit) {
        return tl::unexpected(fit.error());
    }
    return core;
}

Result<void> CorePart::awaitServing(sip::SuLoop& loop)
{
    return await<void>(loop, [&](auto done) { redis_.awaitServing(std::move(done)); });
}

}  // namespace restante::daemon
