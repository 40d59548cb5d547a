#include "sipplugin/trace/message_tracer.h"

#include "core/base/file_descriptor.h"
#include "core/base/log.h"
#include "core/base/network.h"
#include "sipplugin/message/aor.h"
#include "sipplugin/message/socket_name.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace restante::sip {

TraceSettings withRequested(TraceSettings settings, const std::vector<std::string>& asked)
{
    const bool everybody = !settings.to.empty() && settings.only.empty();
    if (asked.empty() || everybody) {
        return settings;
    }
    if (settings.to.empty()) {
        settings.to = settings.spare;
        settings.only.clear();
    }
    settings.only.insert(settings.only.end(), asked.begin(), asked.end());
    return settings;
}

namespace {

constexpr std::string_view kPcap = "pcap:";
constexpr std::string_view kHep = "hep:udp:";

tl::unexpected<Error> refused(const std::string& to, int reason)
{
    return failure(ErrorCode::Unavailable,
                   fmt::format("cannot write sip.trace = \"{}\": {}", to, std::strerror(reason)));
}

}  // namespace

/// Where traced messages go: 0, or the errno of what went wrong.
class MessageTracer::Sink {
public:
    virtual ~Sink() = default;
    virtual int write(const TracedMessage& message) = 0;
};

class MessageTracer::PcapSink final : public Sink {
public:
    PcapSink(std::string path, std::uint64_t most) : path_(std::move(path)), most_(most) {}

    /// Goes on with the file of an earlier run.
    int open()
    {
        file_ = FileDescriptor{::open(
            path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
            S_IRUSR | S_IWUSR)};
        struct stat status {};
        if (!file_ || ::fstat(file_.get(), &status) != 0) {
            return errno;
        }
        // Bodies stand in it: nobody else is to read them.
        ::fchmod(file_.get(), S_IRUSR | S_IWUSR);
        size_ = static_cast<std::uint64_t>(status.st_size);
        return size_ == 0 ? append(pcapHeader()) : 0;
    }

    int write(const TracedMessage& message) override
    {
        const auto record = pcapRecord(message);
        if (size_ + record.size() > most_) {
            // Not over its limit: what cannot be moved away gets nothing more.
            if (::rename(path_.c_str(), (path_ + ".1").c_str()) != 0) {
                return errno;
            }
            if (const int error = open(); error != 0) {
                return error;
            }
        }
        return append(record);
    }

private:
    int append(const std::string& bytes)
    {
        const auto written = ::write(file_.get(), bytes.data(), bytes.size());
        if (written == static_cast<ssize_t>(bytes.size())) {
            size_ += bytes.size();
            return 0;
        }
        const int error = written < 0 ? errno : ENOSPC;
        if (written > 0) {
            // Half a record would make the rest unreadable.
            [[maybe_unused]] const int cut = ::ftruncate(file_.get(), static_cast<off_t>(size_));
        }
        return error;
    }

    std::string path_;
    std::uint64_t most_;
    std::uint64_t size_ = 0;
    FileDescriptor file_;
};

class MessageTracer::HepSink final : public Sink {
public:
    int open(const SocketAddress& to)
    {
        const auto name = nameOf(to.host, to.port);
        socket_ = FileDescriptor{
            ::socket(name.storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
        return socket_ && ::connect(socket_.get(), name.raw(), name.length) == 0 ? 0 : errno;
    }

    int write(const TracedMessage& message) override
    {
        const auto packet = hepPacket(message, static_cast<std::uint32_t>(::getpid()));
        const auto sent = ::send(socket_.get(), packet.data(), packet.size(), MSG_NOSIGNAL);
        return sent < 0 ? errno : 0;
    }

private:
    FileDescriptor socket_;
};

Result<std::unique_ptr<MessageTracer::Sink>> MessageTracer::sinkOf(const TraceSettings& settings)
{
    const std::string_view to = settings.to;
    if (to.starts_with(kPcap)) {
        if (settings.to == settings.spare) {
            // Nobody had to make it, for nobody has configured it.
            std::error_code ignored;
            const std::filesystem::path file{to.substr(kPcap.size())};
            std::filesystem::create_directories(file.parent_path(), ignored);
        }
        auto sink = std::make_unique<PcapSink>(std::string{to.substr(kPcap.size())},
                                               std::uint64_t{settings.megabytes} * 1'000'000);
        if (const int error = sink->open(); error != 0) {
            return refused(settings.to, error);
        }
        return sink;
    }
    const auto address = SocketAddress::parse(to.substr(std::min(to.size(), kHep.size())));
    if (!to.starts_with(kHep) || !address) {
        return failure(ErrorCode::Invalid,
                       fmt::format("sip.trace = \"{}\" is not allowed; write pcap:/path/to/file or "
                                   "hep:udp:ADDRESS:PORT",
                                   settings.to));
    }
    auto sink = std::make_unique<HepSink>();
    if (const int error = sink->open(*address); error != 0) {
        return refused(settings.to, error);
    }
    return sink;
}

MessageTracer::MessageTracer(std::unique_ptr<Sink> sink, std::set<std::string> only)
    : sink_(std::move(sink)),
      only_(std::move(only))
{
}

MessageTracer::~MessageTracer() = default;

Result<std::unique_ptr<MessageTracer>> MessageTracer::open(const TraceSettings& settings)
{
    if (settings.to.empty()) {
        return std::unique_ptr<MessageTracer>{};
    }
    auto sink = sinkOf(settings);
    if (!sink) {
        return tl::unexpected(sink.error());
    }
    std::set<std::string> only;
    for (const auto& address : settings.only) {
        const auto aor = canonicalAor(address);
        if (!aor) {
            return failure(ErrorCode::Invalid, "sip.trace_only: " + aor.error().message);
        }
        only.insert(*aor);
    }
    return std::unique_ptr<MessageTracer>(new MessageTracer(std::move(*sink), std::move(only)));
}

bool MessageTracer::wants(std::string_view from, std::string_view to) const
{
    if (only_.empty()) {
        return true;
    }
    for (const auto uri : {from, to}) {
        if (const auto aor = canonicalAor(uri); aor && only_.contains(*aor)) {
            return true;
        }
    }
    return false;
}

void MessageTracer::trace(const TracedMessage& message)
{
    const int error = sink_->write(message);
    const auto now = std::chrono::steady_clock::now();
    if (error != 0 && now >= nextLine_) {
        nextLine_ = now + std::chrono::seconds{1};
        log::warning("trace", "messages are missing in the trace: {}", std::strerror(error));
    }
}

}  // namespace restante::sip
