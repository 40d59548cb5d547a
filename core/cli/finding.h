#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace restante {
struct Config;
}

namespace restante::cli {

class ConnectedStore;
struct Options;

/// One result of `doctor`. *Value.*
struct Finding {
    enum class Severity {
        Ok,
        Warning,  ///< it works, but may not for long, or not as one thinks
        Error,    ///< something does not work, or may lose jobs
    };
    Severity severity = Severity::Ok;
    std::string about;   ///< "redis", "topic order", a key of the configuration
    std::string what;    ///< a sentence
    std::string advice;  ///< what to do; empty when all is well
};

/// *Value.*
class Findings {
public:
    using Severity = Finding::Severity;

    void add(Finding finding) { all_.push_back(std::move(finding)); }
    void ok(std::string about, std::string what)
    {
        all_.push_back({Severity::Ok, std::move(about), std::move(what), {}});
    }
    void warning(std::string about, std::string what, std::string advice)
    {
        all_.push_back({Severity::Warning, std::move(about), std::move(what), std::move(advice)});
    }
    void error(std::string about, std::string what, std::string advice)
    {
        all_.push_back({Severity::Error, std::move(about), std::move(what), std::move(advice)});
    }

    /// Adds a warning if `wrong`, else an ok.
    void warnIf(bool wrong, std::string about, std::string what, std::string advice)
    {
        all_.push_back({wrong ? Severity::Warning : Severity::Ok, std::move(about), std::move(what),
                        wrong ? std::move(advice) : std::string{}});
    }

    const std::vector<Finding>& all() const noexcept { return all_; }
    std::size_t count(Severity severity) const noexcept;

private:
    std::vector<Finding> all_;
};

// Each function examines one part and adds its findings. Nothing is changed, but what
// Options::repair asks for.

/// The state directory, its disk, and the files with secrets or certificates that the configuration
/// names, but for the passwords of Redis and the journal; time zones, what webhooks may reach, who
/// is trusted over UDP, and this machine's limits.
void examineMachine(const Config& config, Findings& findings);
/// The process of the daemon, its ports and its readiness.
void examineDaemon(const Config& config, Findings& findings);
/// The gateway for text messages, as far as it can be asked without sending one.
void examineGateway(const Config& config, Findings& findings);
/// Redis (connection, requirements, durability, memory, latency, clock), the journal's lag, the
/// daemons (examineDaemons()) and the jobs.
void examineStore(const Config& config, const Options& options, Findings& findings);
/// Which daemons work on the store, by their heartbeats.
void examineDaemons(ConnectedStore& store, Findings& findings);
/// The journal's database.
void examineJournal(const Config& config, Findings& findings);

/// Where the set-up is weaker than docs/security.md; `file` is the configuration, empty = none.
void examineSecurity(const Config& config, const std::string& file, Findings& findings);
/// "A" = as docs/security.md wants it, "B" and "C" with few or many gaps, "D" = open to strangers.
std::string securityGrade(const Findings& findings);

/// Whether readSecretFile() refuses the file to us although the daemon reads it: we are root, and
/// it belongs to the daemon's user, by the owner of the state directory.
bool isRefusedToRoot(const std::filesystem::path& file, const Config& config);

/// The process that holds the lock of the configuration's state directory; 0 = none.
int daemonProcess(const Config& config);

}  // namespace restante::cli
