#include "core/redis/client/cluster_subscriber.h"

#include <utility>

namespace restante::redis {

namespace {

constexpr Millis kTimeout{1'000};

}  // namespace

ClusterSubscriber::ClusterSubscriber(EventLoop& loop,
                                     ClusterNodes& nodes,
                                     Subscription subscription)
    : loop_(loop),
      nodes_(nodes),
      subscription_(std::move(subscription)),
      timeout_(loop)
{
    begin();
}

void ClusterSubscriber::begin()
{
    if (!nodes_.map() || connection_) {
        return;
    }
    const auto slots = nodes_.map()->slotOfEachMaster();
    const auto* node = nodes_.map()->masterOf(slots[tried_++ % slots.size()]);
    connection_ = std::make_unique<Connection>(loop_, nodes_.settingsOf(*node));
    connection_->onReady([this](bool ready) {
        ready ? timeout_.cancel() : awaitReady();
        const auto tell = subscription_.ready;  // it may destroy this
        tell(ready);
    });
    connection_->subscribe(subscription_.channels, subscription_.handler);
    awaitReady();
}

void ClusterSubscriber::awaitReady()
{
    timeout_.arm(kTimeout, [this] {
        connection_.reset();
        nodes_.refresh();
        begin();
    });
}

}  // namespace restante::redis
