#include "tests/support/kannel.h"

#include "tests/support/eventually.h"
#include "tests/support/file_content.h"
#include "tests/support/free_port.h"

#include <fmt/format.h>
#include <fstream>
#include <regex>
#include <stdexcept>

namespace restante::test {

namespace {

constexpr auto kFakeSmsc = "/usr/lib/kannel/test/fakesmsc";

/// "Got message 1: <123 +4917012 text Hello>", or with "udh HEADER data" before the text.
std::vector<ReceivedSms> messagesIn(const std::string& log)
{
    const std::regex line(
        R"(Got message \d+: <(\S*) (\S*) (?:udh \S* )?(text|data|ucs-2) ?([\s\S]*?)>\n)");
    std::vector<ReceivedSms> messages;
    for (std::sregex_iterator i(log.begin(), log.end(), line), end; i != end; ++i) {
        messages.push_back({(*i)[1], (*i)[2], (*i)[3], (*i)[4]});
    }
    return messages;
}

}  // namespace

Kannel::Kannel(Start start)
    : adminPort_(freePort()),
      boxPort_(freePort()),
      smscPort_(freePort()),
      sendPort_(freePort())
{
    writeConfiguration();
    if (start == Start::Now) {
        this->start();
    }
}

Kannel::~Kannel()
{
    stop();
}

void Kannel::writeConfiguration() const
{
    std::ofstream(directory_ / "kannel.conf") << fmt::format(
        R"(group = core
admin-port = {}
admin-interface = "127.0.0.1"
admin-password = status
smsbox-port = {}
box-deny-ip = "*.*.*.*"
box-allow-ip = "127.0.0.1"
log-file = "{}"
log-level = 0
dlr-storage = internal

group = smsc
smsc = fake
smsc-id = fake
port = {}
connect-allow-ip = 127.0.0.1

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = {}
sendsms-interface = "127.0.0.1"
log-file = "{}"
log-level = 0
http-request-retry = 20
http-queue-delay = 1

group = sendsms-user
username = {}
password = "{}"
concatenation = true
max-messages = 10

group = sms-service
keyword = default
max-messages = 0
text = "none"
)",
        adminPort_, boxPort_, (directory_ / "bearerbox.log").string(), smscPort_, sendPort_,
        (directory_ / "smsbox.log").string(), kUser, kPassword);
}

void Kannel::start()
{
    const auto launch = [&](std::vector<std::string> words) {
        return std::make_unique<Process>(Process::Command{std::move(words), {}, directory_.path()});
    };
    const auto configuration = (directory_ / "kannel.conf").string();
    const auto isUp = [](const std::unique_ptr<Process>& box, const std::filesystem::path& log,
                         const char* line) {
        return eventually([&] { return contentOf(log).find(line) != std::string::npos; },
                          kProcessTimeout) &&
               box->running();
    };
    bearerbox_ = launch({"bearerbox", "-v", "4", configuration});
    if (!isUp(bearerbox_, directory_ / "bearerbox.log", "MAIN: Start-up done")) {
        throw std::runtime_error("bearerbox does not start\n" + logs());
    }
    smsbox_ = launch({"smsbox", "-v", "4", configuration});
    smsc_ = launch({kFakeSmsc, "-H", "127.0.0.1", "-r", std::to_string(smscPort_), "-m", "0",
                    "1 2 text none"});
    if (!eventually([&] { return boxesAreOnline(); }, kProcessTimeout)) {
        throw std::runtime_error("Kannel does not come together\n" + logs());
    }
}

bool Kannel::boxesAreOnline() const
{
    const auto status =
        run({{"curl", "-s", "-m", "2",
              fmt::format("http://127.0.0.1:{}/status.txt?password=status", adminPort_)},
             {},
             {}})
            .output;
    const auto sender = run({{"curl", "-s", "-m", "2", "-o", "/dev/null", sendUrl()}, {}, {}});
    return sender.status == 0 && status.find("smsbox:") != std::string::npos &&
           std::regex_search(status, std::regex(R"(FAKE:\d+ \(online)"));
}

void Kannel::stop()
{
    for (auto* process : {&smsc_, &smsbox_, &bearerbox_}) {
        if (*process) {
            (*process)->kill9();
            process->reset();
        }
    }
}

std::string Kannel::sendUrl() const
{
    return fmt::format("http://127.0.0.1:{}/cgi-bin/sendsms", sendPort_);
}

std::vector<ReceivedSms> Kannel::arrived(std::size_t count, Millis timeout)
{
    std::vector<ReceivedSms> messages;
    eventually(
        [&] {
            messages = smsc_ ? messagesIn(smsc_->allOutput()) : std::vector<ReceivedSms>{};
            return messages.size() >= count;
        },
        timeout);
    return messages;
}

std::string Kannel::logs() const
{
    std::string all =
        contentOf(directory_ / "bearerbox.log") + contentOf(directory_ / "smsbox.log");
    for (const auto* process : {&bearerbox_, &smsbox_, &smsc_}) {
        all += *process ? (*process)->allOutput() : "";
    }
    return all;
}

}  // namespace restante::test
