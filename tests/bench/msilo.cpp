#include "tests/bench/msilo.h"

#include "tests/bench/sip_load.h"
#include "tests/support/eventually.h"
#include "tests/support/free_port.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <stdexcept>

namespace restante::bench {

namespace {

constexpr auto kKamailio = "/usr/sbin/kamailio";
constexpr auto kTables = "/usr/share/kamailio/db_sqlite/";

constexpr auto kConfiguration = R"(listen=udp:127.0.0.1:{port}
children=1
disable_tcp=yes
auto_aliases=no
loadmodule "tm.so"
loadmodule "sl.so"
loadmodule "pv.so"
loadmodule "textops.so"
loadmodule "siputils.so"
loadmodule "db_sqlite.so"
loadmodule "msilo.so"
modparam("db_sqlite", "db_set_journal_mode", "{database}=WAL;")
modparam("msilo", "db_url", "sqlite:///{database}")
modparam("msilo", "from_address", "sip:registrar@127.0.0.1")
request_route {{
    if (!is_method("MESSAGE") || !t_newtran()) {{
        exit;
    }}
    if (m_store("$ru")) {{
        t_reply("202", "Accepted");
    }} else {{
        t_reply("503", "Service Unavailable");
    }}
}}
)";

bool answers(std::uint16_t port)
{
    SipLoad hello;
    hello.port = port;
    hello.messages = 1;
    try {
        return runSipLoad(hello).accepted == 1;
    } catch (const std::runtime_error&) {
        return false;  // not bound yet
    }
}

}  // namespace

std::string Msilo::missing()
{
    for (const auto* file :
         {kKamailio, "/usr/bin/sqlite3", "/usr/share/kamailio/db_sqlite/msilo-create.sql"}) {
        if (!std::filesystem::exists(file)) {
            return fmt::format("{} is not there: install kamailio, kamailio-sqlite-modules and "
                               "sqlite3",
                               file);
        }
    }
    return {};
}

Msilo::Msilo() : port_(test::freePort())
{
    const auto database = (directory_ / "silo.sqlite").string();
    const auto tables =
        test::run({{"sh", "-c",
                    fmt::format("cat {0}standard-create.sql {0}msilo-create.sql | sqlite3 '{1}'",
                                kTables, database)},
                   {},
                   {}});
    if (tables.status != 0) {
        throw std::runtime_error("no tables for msilo: " + tables.errors);
    }
    const auto configuration = directory_ / "kamailio.cfg";
    std::ofstream(configuration) << fmt::format(kConfiguration, fmt::arg("port", port_),
                                                fmt::arg("database", database));
    process_ = std::make_unique<test::Process>(
        test::Process::Command{{kKamailio, "-DD", "-E", "-f", configuration, "-Y",
                                directory_.path(), "-w", directory_.path(), "-m", "256"},
                               {},
                               {}});
    if (!test::eventually([&] { return !process_->running() || answers(port_); },
                          test::kProcessTimeout) ||
        !process_->running()) {
        throw std::runtime_error("kamailio with msilo does not start: " + process_->allOutput());
    }
}

Msilo::~Msilo()
{
    process_->signal(SIGTERM);
    process_->waitForExit();
}

std::vector<WatchedProcess> Msilo::processes() const
{
    auto all = processTree(process_->id(), "kamailio");
    for (WatchedProcess& process : all) {
        process.name = "kamailio";
    }
    return all;
}

std::uint32_t Msilo::stored() const
{
    const auto counted =
        test::run({{"sqlite3", directory_ / "silo.sqlite", "select count(*) from silo"}, {}, {}});
    return static_cast<std::uint32_t>(std::strtoul(counted.output.c_str(), nullptr, 10));
}

}  // namespace restante::bench
