#pragma once

#include "core/base/timeout_timer.h"
#include "sipplugin/trace/message_tracer.h"
#include "sipplugin/transport/agent.h"
#include "sipplugin/transport/agent_group.h"
#include "sipplugin/transport/late_answers.h"
#include "sipplugin/transport/message_text.h"
#include "sipplugin/transport/request_sender.h"
#include "sipplugin/transport/resolver.h"
#include "sipplugin/transport/stream.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>

namespace restante::sip {

/// Gets the responses to one request. Called on the loop, never from inside a call by itself.
class ResponseHandler {
public:
    virtual ~ResponseHandler() = default;
    virtual void onResponse(int status, const MessageText& response) = 0;
    /// The connection that it waits for is open.
    virtual void onConnected(Stream& stream) = 0;
    /// The connection that it was sent by, or waits for, has ended.
    virtual void onDisconnected(const std::string& why) = 0;
    /// An ICMP error says that the destination of its datagram is unreachable.
    virtual void onUnreachable(const std::string& why) = 0;
    virtual const TransportAddress& destination() const = 0;
};

/// The state that Agent, IncomingRequest and RequestSender share; used by these three only.
class Agent::Impl : public std::enable_shared_from_this<Agent::Impl>, public Stream::Owner {
public:
    Impl(EventLoop& eventLoop, Settings settings, Handler requestHandler);
    ~Impl() override;

    Result<void> open();
    Result<void> reloadTls(const TlsSettings& settings);

    // For IncomingRequest.
    /// False when the kernel refused it.
    bool sendDatagram(std::size_t socket, const SocketName& to, std::string_view bytes) const;
    Stream* stream(Stream::Id id) const noexcept;

    // For RequestSender.
    bool hasTls() const noexcept { return contexts_.has_value(); }
    /// Whether we listen on TCP, so that a long request may change to it.
    bool listensOnTcp() const noexcept
    {
        return std::ranges::count(listening, Transport::Tcp, &TransportAddress::transport) > 0;
    }
    /// A connection to that address, over TLS with a certificate for `expectedHost`: a living one,
    /// or a new one, which may not be connected yet.
    Result<Stream*> streamTo(const TransportAddress& to, const std::string& expectedHost);
    /// An open connection that rememberTarget() has recorded for the same host, port and transport.
    Stream* outgoingStreamTo(const NextHop& hop) const;
    /// For outgoingStreamTo().
    void rememberTarget(const NextHop& hop, Stream::Id stream);
    /// The socket of `flow`, else one of the same address family; nothing without one.
    std::optional<std::size_t> datagramSocketTo(const TransportAddress& to,
                                                std::string_view flow) const;
    /// The sent-by for a Via over that socket or stream.
    std::string sentBy(std::size_t socket, const SocketName& to) const;
    std::string sentBy(const Stream& stream) const;
    /// Whether it is the flow of a connection to this daemon, living or not.
    bool isOwnFlow(std::string_view flow) const;
    /// The agent of the group that has that flow's connection; nothing when it is this one, or no
    /// connection of the group's.
    std::optional<std::size_t> otherAgentOfFlow(std::string_view flow) const;
    /// Has that agent send it, by RequestSender; false when it is not there, and nothing is called.
    bool forwardTo(std::size_t agent,
                   const std::string& request,
                   const RequestSender::Route& route,
                   RequestSender::AnswerHandler onAnswer,
                   RequestSender::LateSuccessHandler onLateSuccess);
    /// Before the random part of a branch; empty when it is alone.
    const std::string& branchTag() const noexcept { return branchTag_; }
    /// No agent of a group asks this one for anything any more.
    void leaveGroup();
    /// The open connection of that flow; null when it has ended or is not ours.
    Stream* streamOf(std::string_view flow) const;
    void addTransaction(const std::string& branch, ResponseHandler& responseHandler);
    void removeTransaction(const std::string& branch, ResponseHandler& responseHandler);
    void useStream(Stream::Id stream, ResponseHandler& responseHandler);
    void leaveStream(Stream::Id stream, ResponseHandler& responseHandler);

    void
    trace(std::string_view bytes, const TransportAddress& from, const TransportAddress& to) const;
    const TransportAddress& datagramAddress(std::size_t socket) const;
    /// ReceivedRequest::flow for that UDP socket: the same after a restart, because a NAT knows the
    /// socket and not the daemon. `localAddress` is SocketName::localAddress of the datagram.
    std::string datagramFlow(std::size_t socket, const std::string& localAddress) const;
    /// The SocketName::localAddress of that flow, for sending by that socket; empty when the flow
    /// names none, is another socket's, or the address is not this machine's any more.
    std::string localAddressOf(std::size_t socket, std::string_view flow) const;
    std::vector<std::string> flowOwners() const;

    EventLoop& loop;
    Settings settings;
    Handler handler;
    std::shared_ptr<MessageTracer> tracer;  ///< null: no tracing; shared with a group's others
    std::vector<TransportAddress> listening;
    LateAnswers lateAnswers;
    Resolver resolver;
    std::string flowPrefix;  ///< random; begins the flows of this run's connections

    std::size_t streamCount() const noexcept { return streams_.size(); }

private:
    struct UdpSocket {
        FileDescriptor socket;
        TransportAddress address;
        std::string flow;
        Watch watch;
    };
    struct Acceptor {
        FileDescriptor socket;
        TransportAddress address;
        Watch watch;
    };
    using ResponseHandlers = std::unordered_set<ResponseHandler*>;

    // Stream::Owner
    void onOpened(Stream& stream) override;
    void onMessage(Stream& stream, std::string message) override;
    void onRejected(Stream& stream, int status, std::string head) override;
    void onClosed(Stream& stream, const std::string& why) override;

    void joinGroup();
    void readDatagrams(std::size_t socket);
    void handleErrors(const UdpSocket& udpSocket);
    void handleDatagram(std::size_t socket, std::string_view bytes, const SocketName& from);
    void handleSip(std::size_t socket, std::string_view bytes, const SocketName& from);
    std::optional<std::size_t> otherAgentFor(std::string_view bytes) const;
    void handleUnreachable(const TransportAddress& destination, const std::string& why);
    void sendForOther(std::size_t agent,
                      std::uint64_t ticket,
                      const std::string& request,
                      const RequestSender::Route& route,
                      bool wantsLateSuccess);
    void handleForwardedResponse(std::uint64_t ticket, RequestSender::Response response);
    void handleForwardedLateSuccess(std::uint64_t ticket, int status, const std::string& phrase);
    static void refuseTooLong(IncomingRequest& request);
    void handle(std::unique_ptr<IncomingRequest> request);
    void handleResponse(const MessageText& response);
    void accept(Acceptor& acceptor);
    void pauseAccepting();
    bool tryAdmit(const std::string& address);
    Stream& addStream(Stream::Parts parts);
    /// The stream with that key in streamByTarget_; null when it has ended.
    Stream* streamByKey(const std::string& key) const;
    void bindToOwnAddress(int fd, const SocketName& destination) const;
    void scheduleSweep();

    std::optional<TlsContexts> contexts_;
    std::shared_ptr<ConnectionLedger> ledger_;  ///< null: no limit; shared with a group's others
    std::deque<UdpSocket> udpSockets_;
    std::deque<Acceptor> acceptors_;
    Timer acceptPauseTimer_;
    TimeoutTimer sweepTimer_;
    Stream::Id lastStream_ = 0;
    std::unordered_map<Stream::Id, std::shared_ptr<Stream>> streams_;
    std::unordered_map<std::string, Stream::Id> streamByTarget_;  ///< outgoing ones, by destination
    std::unordered_map<Stream::Id, ResponseHandlers>
        transactionsByStream_;  ///< requests sent by it or waiting for it
    std::unordered_map<std::string, ResponseHandler*>
        responseHandlers_;  ///< by the branch of their Via
    std::string branchTag_;
    /// What another agent sends for us, by the tickets that it tells us the answers by.
    struct ForwardedRequest {
        RequestSender::AnswerHandler onAnswer;
        RequestSender::LateSuccessHandler onLateSuccess;
    };
    std::uint64_t lastTicket_ = 0;
    std::unordered_map<std::uint64_t, ForwardedRequest> forwardedRequests_;
    /// Of forwardedRequests_ that are answered: until when a late success is waited for.
    std::deque<std::pair<LateAnswers::Instant, std::uint64_t>> lateDeadlines_;
    std::unique_ptr<RequestSender> senderForOthers_;  ///< null unless it is one of a group
    std::string datagramBuffer_;
    std::size_t refusedConnections_ = 0;  ///< since the last log line
    Stream::Instant nextWarningTime_{};
};

}  // namespace restante::sip
