#pragma once

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

/// Told on the loop, and not from inside a call of its own.
class ResponseHandler {
public:
    virtual ~ResponseHandler() = default;
    virtual void handle(int status, const MessageText& response) = 0;
    /// The connection that it waits for is there.
    virtual void connected(Stream& stream) = 0;
    /// The connection that it went out by, or waits for, is gone.
    virtual void disconnected(const std::string& why) = 0;
    /// The network says that this datagram's destination takes none.
    virtual void unreachable(const std::string& why) = 0;
    virtual const ListenAddress& destination() const = 0;
};

/// What Agent, IncomingRequest and RequestSender share. Only for the three.
class Agent::Impl : public std::enable_shared_from_this<Agent::Impl>, public Stream::Owner {
public:
    Impl(EventLoop& loopOfHost, Settings settings, Handler requestHandler);
    ~Impl() override;

    Result<void> open();
    Result<void> reloadTls(const TlsSettings& settings);

    // What IncomingRequest needs.
    /// Whether it has left.
    bool sendDatagram(std::size_t socket, const SocketName& to, std::string_view bytes) const;
    Stream* stream(Stream::Id id) const noexcept;

    // What RequestSender needs.
    bool hasTls() const noexcept { return contexts_.has_value(); }
    /// It listens there, so that a long request may change to it.
    bool speaksTcp() const noexcept
    {
        return std::ranges::count(listening, Transport::Tcp, &ListenAddress::transport) > 0;
    }
    /// The connection to that address, whose certificate over TLS is one of `name`: a living one,
    /// or a new one, which may not be connected yet.
    Result<Stream*> streamTo(const ListenAddress& to, const std::string& name);
    /// A living connection that was made for that host, port and transport, or lack of them.
    Stream* madeFor(const NextHop& hop) const;
    /// For madeFor().
    void rememberTarget(const NextHop& hop, Stream::Id stream);
    /// That of the `flow`, or one that leads there; nothing when we have none of that kind.
    std::optional<std::size_t> datagramSocketTo(const ListenAddress& to,
                                                std::string_view flow) const;
    /// sent-by of a Via over it.
    std::string sentBy(std::size_t socket, const SocketName& to) const;
    std::string sentBy(const Stream& stream) const;
    /// That of a connection to this daemon, living or not.
    bool isOwnFlow(std::string_view flow) const;
    /// The agent of the group that has that flow's connection; nothing when it is this one, or no
    /// connection of the group's.
    std::optional<std::size_t> otherAgentOfFlow(std::string_view flow) const;
    /// Has that agent send it, by RequestSender; false when it is not there, and nothing is called.
    bool sendBy(std::size_t agent,
                const std::string& request,
                const RequestSender::Route& route,
                RequestSender::Answered answered,
                RequestSender::Late late);
    /// Before the random part of a branch; empty when it is alone.
    const std::string& branchTag() const noexcept { return branchTag_; }
    /// No agent of a group asks this one for anything any more.
    void leaveGroup();
    /// The open connection of that flow; null when it has ended, or is no connection of ours.
    Stream* streamOf(std::string_view flow) const;
    void addTransaction(const std::string& branch, ResponseHandler& responseHandler);
    void forget(const std::string& branch, ResponseHandler& responseHandler);
    void useStream(Stream::Id stream, ResponseHandler& responseHandler);
    void leaveStream(Stream::Id stream, ResponseHandler& responseHandler);

    void trace(std::string_view bytes, const ListenAddress& from, const ListenAddress& to) const;
    const ListenAddress& datagramAddress(std::size_t socket) const;
    /// ReceivedRequest::flow of what came by that UDP socket: the same after a restart, as a NAT
    /// knows the socket and not the daemon. `local` is the SocketName::local that it came with.
    std::string datagramFlow(std::size_t socket, const std::string& local) const;
    /// The SocketName::local of that flow, for what leaves by that socket; empty when the flow
    /// names none, is another socket's, or the address is not this machine's any more.
    std::string localOf(std::size_t socket, std::string_view flow) const;
    std::vector<std::string> flowOwners() const;

    EventLoop& loop;
    Settings settings;
    Handler handler;
    std::shared_ptr<MessageTracer> tracer;  ///< null: nobody looks; shared with a group's others
    std::vector<ListenAddress> listening;
    LateAnswers lateAnswers;
    Resolver resolver;
    std::string flowPrefix;  ///< random: what the flows of this run of the daemon begin with

    std::size_t streams() const noexcept { return streams_.size(); }

private:
    struct UdpSocket {
        FileDescriptor socket;
        ListenAddress address;
        std::string flow;
        Watch watch;
    };
    struct Acceptor {
        FileDescriptor socket;
        ListenAddress address;
        Watch watch;
    };
    using ResponseHandlers = std::unordered_set<ResponseHandler*>;

    // Stream::Owner
    void opened(Stream& stream) override;
    void received(Stream& stream, std::string message) override;
    void rejected(Stream& stream, int status, std::string head) override;
    void closed(Stream& stream, const std::string& why) override;

    void joinGroup();
    void readDatagrams(std::size_t socket);
    void handleErrors(const UdpSocket& udpSocket);
    void handleDatagram(std::size_t socket, std::string_view bytes, const SocketName& from);
    void handleSip(std::size_t socket, std::string_view bytes, const SocketName& from);
    std::optional<std::size_t> otherAgentFor(std::string_view bytes) const;
    void handleUnreachable(const ListenAddress& destination, const std::string& why);
    void sendFor(std::size_t agent,
                 std::uint64_t ticket,
                 const std::string& request,
                 const RequestSender::Route& route,
                 bool wantsLate);
    void answeredBy(std::uint64_t ticket, RequestSender::Response response);
    void answeredLateBy(std::uint64_t ticket, int status, const std::string& phrase);
    static void refuseTooLong(IncomingRequest& request);
    void handle(std::unique_ptr<IncomingRequest> request);
    void handleResponse(const MessageText& response);
    void accept(Acceptor& acceptor);
    void pauseAccepting();
    bool admits(const SocketName& peer);
    Stream& begin(Stream::Endpoints ends);
    /// Of streamByTarget_; null when it has gone.
    Stream* streamTowards(const std::string& key) const;
    void leaveFromOwnAddress(int fd, const SocketName& destination) const;
    void sweepLater();

    std::optional<TlsContexts> contexts_;
    std::shared_ptr<ConnectionLedger> ledger_;  ///< null: no limit; shared with a group's others
    std::deque<UdpSocket> udpSockets_;
    std::deque<Acceptor> acceptors_;
    Timer pause_;
    Timer sweep_;
    Stream::Id lastStream_ = 0;
    std::unordered_map<Stream::Id, std::shared_ptr<Stream>> streams_;
    std::unordered_map<std::string, Stream::Id>
        streamByTarget_;  ///< those that we have made, by destination
    std::unordered_map<Stream::Id, ResponseHandlers>
        transactionsByStream_;  ///< requests that went out by it
    std::unordered_map<std::string, ResponseHandler*>
        responseHandlers_;  ///< by the branch of their Via
    std::string branchTag_;
    /// What another agent sends for us, by the tickets that it tells us the answers by.
    struct SentByOther {
        RequestSender::Answered answered;
        RequestSender::Late late;
    };
    std::uint64_t lastTicket_ = 0;
    std::unordered_map<std::uint64_t, SentByOther> sentByOthers_;
    /// Of sentByOthers_: answered, and until when a late answer is waited for.
    std::deque<std::pair<LateAnswers::Instant, std::uint64_t>> waitForLate_;
    std::unique_ptr<RequestSender> forOthers_;  ///< null unless it is one of a group
    std::string buffer_;
    std::size_t refusedConnections_ = 0;  ///< since the last line of the log
    Stream::Instant nextWarning_{};
};

}  // namespace restante::sip
