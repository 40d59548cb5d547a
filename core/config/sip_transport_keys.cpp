#include "core/base/network.h"
#include "core/config/key_builder.h"

namespace restante::builder {

namespace {

bool isTrace(std::string_view text)
{
    constexpr std::string_view kHep = "hep:udp:";
    return text.empty() || (text.starts_with("pcap:/") && text.size() > 6) ||
           (text.starts_with(kHep) && SocketAddress::parse(text.substr(kHep.size())));
}

void addFiles(std::vector<ConfigKey>& keys)
{
    keys.push_back(one<std::filesystem::path>(
        {"sip.tls.certificate",
         "The certificate chain (PEM, ours first) that we show over TLS, as a server and, when "
         "asked\n"
         "for it, as a client. A SIGHUP reads it again; living connections stay.",
         Reload::Yes},
        codec::path(), [](auto& c) -> auto& { return c.sip.tls.certificate; }));
    keys.push_back(one<std::filesystem::path>(
        {"sip.tls.key",
         "The private key (PEM) of sip.tls.certificate. Empty: it stands in the same file.",
         Reload::Yes},
        codec::path(), [](auto& c) -> auto& { return c.sip.tls.key; }));
    keys.push_back(one<std::filesystem::path>(
        {"sip.tls.ca",
         "The certificates (PEM) by which we believe servers that we connect to, and clients that\n"
         "show one. Empty: the system's.",
         Reload::Yes},
        codec::path(), [](auto& c) -> auto& { return c.sip.tls.ca; }));
}

}  // namespace

void addSipTrace(std::vector<ConfigKey>& keys)
{
    keys.push_back(one<std::string>(
        {"sip.trace",
         "Where every SIP message is copied to, bodies included: pcap:/path/to/file, which sngrep\n"
         "and Wireshark read, or hep:udp:192.0.2.9:9060, a Homer. Empty: nowhere.",
         Reload::Yes},
        codec::text("pcap:/path/to/file, hep:udp:ADDRESS:PORT, or nothing", &isTrace),
        [](auto& c) -> auto& { return c.sip.trace.to; }));
    keys.push_back(many<std::string>(
        {"sip.trace_only",
         "The people whose messages are traced, sent or received. Empty: everybody's.",
         Reload::Yes},
        codec::text("addresses of record, such as sip:bob@example.org", &codec::isSipUri),
        [](auto& c) -> auto& { return c.sip.trace.only; }));
    keys.push_back(one<std::uint32_t>(
        {"sip.trace_megabytes",
         "When a pcap file is larger it becomes FILE.1, and a new one begins.", Reload::Yes},
        codec::number<std::uint32_t>(1, 100'000),
        [](auto& c) -> auto& { return c.sip.trace.megabytes; }));
}

void addSipConnections(std::vector<ConfigKey>& keys)
{
    using namespace std::chrono_literals;
    constexpr std::uint64_t kMost = 1'000'000;
    keys.push_back(one<std::uint32_t>(
        {"sip.limits.connections",
         "TCP and TLS connections made to us at one time; the next is closed. Never more than the\n"
         "process may open (ulimit -n)."},
        codec::number<std::uint32_t>(1, kMost),
        [](auto& c) -> auto& { return c.sip.limits.connections; }));
    keys.push_back(one<std::uint32_t>(
        {"sip.limits.connections_per_address",
         "The same of one address; those from 127.0.0.1 and ::1 count only in all, for a proxy's\n"
         "come from there."},
        codec::number<std::uint32_t>(1, kMost),
        [](auto& c) -> auto& { return c.sip.limits.connectionsPerAddress; }));
    keys.push_back(one<Millis>(
        {"sip.limits.message_time",
         "A connection over which bytes keep coming for longer without a message that ends is\n"
         "closed."},
        codec::duration(1s, 10min), [](auto& c) -> auto& { return c.sip.limits.messageTime; }));
}

void addSipTls(std::vector<ConfigKey>& keys)
{
    using Clients = Config::ClientCertificates;
    addFiles(keys);
    keys.push_back(one<Clients>(
        {"sip.tls.verify",
         "Whether whoever connects over TLS must show a certificate that sip.tls.ca vouches for:\n"
         "not asked for one (none), turned away with a bad one (optional), or without one as well\n"
         "(required).",
         Reload::Yes},
        codec::choice<Clients>({{"none", Clients::None},
                                {"optional", Clients::Optional},
                                {"required", Clients::Required}}),
        [](auto& c) -> auto& { return c.sip.tls.verify; }));
}

}  // namespace restante::builder
