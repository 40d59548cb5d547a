#pragma once

#include "core/base/loop_group.h"
#include "sipplugin/message/transport_address.h"
#include "sipplugin/transport/agent.h"

#include <mutex>

namespace restante::sip {

/// What the agents of one process share that listen at the same addresses, each on a thread of its
/// own (SO_REUSEPORT): connections stay with the agent that the kernel gives them to, datagrams are
/// passed on to the one whom they concern. The agent 0 opens first and picks free ports, the others
/// follow in their order. *Any thread.*
class AgentGroup {
public:
    /// Of 2 to 64.
    explicit AgentGroup(std::size_t size);

    std::size_t size() const noexcept { return agents_.size(); }
    LoopGroup<Agent::Impl>& agents() noexcept { return agents_; }
    /// Agent::Impl::flowPrefix of all: who has one of their flows has it from this process.
    const std::string& flowPrefix() const noexcept { return flowPrefix_; }

    /// The connections made to all of them; the limits are those of the first who asks.
    std::shared_ptr<ConnectionLedger> ledger(const ConnectionLedger::Limits& limits);

    /// Where the agent 0 listens.
    void setListening(const std::vector<TransportAddress>& listening);
    std::vector<TransportAddress> listening();

private:
    LoopGroup<Agent::Impl> agents_;
    const std::string flowPrefix_;
    std::mutex mutex_;
    std::shared_ptr<ConnectionLedger> ledger_;  ///< guarded by mutex_, as the next
    std::vector<TransportAddress> listening_;
};

}  // namespace restante::sip
