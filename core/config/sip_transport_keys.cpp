#include "core/config/key_builder.h"

namespace restante::builder {

namespace {

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
