#include "tests/support/real_peers.h"

#include "tests/support/daemon.h"
#include "tests/support/eventually.h"
#include "tests/support/file_content.h"
#include "tests/support/free_port.h"
#include "tests/support/tls_socket.h"

#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace restante::test {

namespace {

void writeFile(const std::filesystem::path& path, const std::string& text)
{
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
}

std::string transportParameter(const SipServer& server)
{
    return ";transport=" + std::string(name(server.transport));
}

bool isIpv6(const SipServer& server)
{
    return server.host.find(':') != std::string::npos;
}

class Baresip final : public RealPhone {
public:
    explicit Baresip(const Account& account)
    {
        const SipServer own{account.server.transport, account.server.host, 0};
        writeFile(home_ / ".baresip/config", "module_path /usr/lib/baresip/modules\n"
                                             "sip_listen " +
                                                 own.hostPort() + "\nnet_interface " + own.host +
                                                 "\n" + security(account) +
                                                 "module stdio.so\n"
                                                 "module g711.so\n"
                                                 "module_app account.so\n"
                                                 "module_app contact.so\n"
                                                 "module_app menu.so\n");
        writeFile(home_ / ".baresip/accounts",
                  "<" + Daemon::aor(account.user) +
                      ">;outbound=\"sip:" + account.server.hostPort() +
                      transportParameter(account.server) + "\";regint=60;audio_codecs=PCMU" +
                      (account.password.empty() ? "" : ";auth_pass=" + account.password) + "\n");
        const auto contact = Daemon::aor(account.correspondent);
        writeFile(home_ / ".baresip/contacts", "<" + contact + ">\n");
        writeFile(home_ / ".baresip/current_contact", contact);
        process_ = std::make_unique<Process>(Process::Command{
            {"baresip", isIpv6(account.server) ? "-6" : "-4", "-f", home_ / ".baresip"},
            {{"HOME", home_.path()}},
            home_.path()});
        if (!process_->waitForLine("registered successfully")) {
            throw std::runtime_error("baresip does not register:\n" + log());
        }
    }

    bool shows(const std::string& user, const std::string& text) override
    {
        return process_->waitForLine(Daemon::aor(user) + ": \"" + text + "\"").has_value();
    }
    /// Sends it to the first contact, which its menu has made the current one.
    void say(const std::string& text) override { process_->write("/message " + text + "\n"); }
    void hangUp() override
    {
        process_->signal(SIGTERM);
        process_->waitForExit();
    }

private:
    static std::string security(const Account& account)
    {
        const auto& tls = account.server.tls;
        return tls ? "sip_cafile " + tls->ca.string() + "\n" : "";
    }
};

/// A section of linphonerc.
std::string authentication(const RealPhone::Account& account)
{
    if (account.password.empty()) {
        return {};
    }
    return "[auth_info_0]\nusername=" + account.user + "\nuserid=" + account.user +
           "\npasswd=" + account.password + "\nrealm=" + kDomain + "\ndomain=" + kDomain +
           "\nalgorithm=SHA-256\n";
}

class Linphone final : public RealPhone {
public:
    explicit Linphone(const Account& account) : correspondent_(account.correspondent)
    {
        // Without these directories it runs without a database and ends at the first message.
        std::filesystem::create_directories(home_ / ".local/share/linphone");
        std::filesystem::create_directories(home_ / ".config/linphone");
        const auto portFor = [&](SipTransport transport) {
            return account.server.transport == transport ? "-1\n" : "0\n";  // any, or none
        };
        const auto server =
            "<sip:" + account.server.hostPort() + transportParameter(account.server) + ">\n";
        writeFile(home_ / "linphonerc",
                  std::string("[sip]\n") +  //
                      "sip_port=" + portFor(SipTransport::Udp) + "sip_tcp_port=" +
                      portFor(SipTransport::Tcp) + "sip_tls_port=" + portFor(SipTransport::Tls) +
                      security(account) + "use_ipv6=" + (isIpv6(account.server) ? "1" : "0") +
                      "\n"
                      "register_only_when_network_is_up=0\n"
                      "guess_hostname=0\n"
                      "default_proxy=0\n"
                      "[misc]\n"
                      "log_collection=0\n"
                      "[proxy_0]\n"
                      "reg_proxy=" +
                      server + "reg_route=" + server + "reg_identity=" + Daemon::aor(account.user) +
                      "\n"
                      "reg_expires=60\n"
                      "reg_sendregister=1\n"
                      "publish=0\n" +
                      authentication(account));
        process_ = std::make_unique<Process>(Process::Command{
            {"linphonec", "-c", home_ / "linphonerc"},
            {{"HOME", home_.path()}, {"XDG_CONFIG_HOME", ""}, {"XDG_DATA_HOME", ""}},
            home_.path()});
    }

    bool shows(const std::string& user, const std::string& text) override
    {
        return process_->waitForLine("Message received from " + Daemon::aor(user) + ": " + text)
            .has_value();
    }
    void say(const std::string& text) override
    {
        process_->write("chat " + Daemon::aor(correspondent_) + " " + text + "\n");
    }
    void hangUp() override
    {
        process_->write("quit\n");
        process_->waitForExit();
    }

private:
    static std::string security(const Account& account)
    {
        const auto& tls = account.server.tls;
        // Its mbed TLS does not check addresses in a certificate, only who signed it.
        return tls ? "verify_server_certs=1\nverify_server_cn=0\nroot_ca=" + tls->ca.string() + "\n"
                   : "";
    }

    std::string correspondent_;
};

}  // namespace

std::string_view name(Brand brand)
{
    return brand == Brand::Baresip ? "baresip" : "linphone";
}

std::unique_ptr<RealPhone> makePhone(Brand brand, const RealPhone::Account& account)
{
    if (brand == Brand::Baresip) {
        return std::make_unique<Baresip>(account);
    }
    return std::make_unique<Linphone>(account);
}

namespace {

/// Whether a process has bound that port. Not tested by binding it, which would keep others out.
bool isBound(const SipServer& server)
{
    const bool v6 = server.host.find(':') != std::string::npos;
    std::ifstream table(std::string("/proc/net/") +
                        (server.transport == SipTransport::Udp ? "udp" : "tcp") + (v6 ? "6" : ""));
    const auto own = fmt::format(":{:04X}", server.port);
    for (std::string line; std::getline(table, line);) {
        std::istringstream words(line);
        std::string number;
        std::string local;
        words >> number >> local;
        if (local.ends_with(own)) {
            return true;
        }
    }
    return false;
}
}  // namespace

Sipp::Sipp(const Settings& settings)
    : local_{settings.server.transport, settings.server.host, freePort()}
{
    const auto scenario = sourceDirectory() / "tests/e2e/sipp" / (settings.scenario + ".xml");
    const auto file = [this](const char* name) { return (directory_ / name).string(); };
    std::vector<std::string> words{"sipp",
                                   "-nostdin",
                                   "-sf",
                                   scenario,
                                   "-s",
                                   settings.user,
                                   "-i",
                                   local_.host,
                                   "-p",
                                   std::to_string(local_.port),
                                   "-t",
                                   local_.transport == SipTransport::Udp ? "u1" : "t1",
                                   "-m",
                                   std::to_string(settings.calls),
                                   "-r",
                                   "50",
                                   "-timeout",
                                   "60s",
                                   "-timeout_error",
                                   "-trace_err",
                                   "-error_file",
                                   file("errors"),
                                   "-trace_msg",
                                   "-message_file",
                                   file("messages"),
                                   settings.server.hostPort()};
    words.insert(words.end(), settings.more.begin(), settings.more.end());
    process_ = std::make_unique<Process>(
        Process::Command{std::move(words), {{"TERM", "dumb"}}, directory_.path()});
    // It prints nothing when it is ready; a short run may even be over by now.
    eventually([this] { return isBound(local_) || !process_->running(); }, kProcessTimeout);
}

std::string Sipp::contact() const
{
    return local_.hostPort() + (local_.transport == SipTransport::Tcp ? ";transport=tcp" : "");
}

bool Sipp::succeeds()
{
    return process_->waitForExit(Millis{90'000}) == 0;
}

std::string Sipp::log() const
{
    return process_->errors() + contentOf(directory_ / "errors") +
           contentOf(directory_ / "messages");
}

}  // namespace restante::test
