#include "sipplugin/transport/agent_group.h"

#include "core/base/crypto.h"

namespace restante::sip {

AgentGroup::AgentGroup(std::size_t size) : agents_(size), flowPrefix_(randomHex(8)) {}

std::shared_ptr<ConnectionLedger> AgentGroup::ledger(const ConnectionLedger::Limits& limits)
{
    const std::lock_guard lock(mutex_);
    if (!ledger_) {
        ledger_ = std::make_shared<ConnectionLedger>(limits);
    }
    return ledger_;
}

void AgentGroup::setListening(const std::vector<TransportAddress>& listening)
{
    const std::lock_guard lock(mutex_);
    listening_ = listening;
}

std::vector<TransportAddress> AgentGroup::listening()
{
    const std::lock_guard lock(mutex_);
    return listening_;
}

}  // namespace restante::sip
