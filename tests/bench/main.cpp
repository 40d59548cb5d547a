#include "tests/bench/bare_http_server.h"
#include "tests/bench/bare_sip_server.h"
#include "tests/bench/report.h"
#include "tests/bench/rows.h"
#include "tests/support/redis_server.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

/// One command, one table: every figure beside the bare library doing the same work in this run.
int main(int argc, char** argv)
{
    using namespace restante;
    std::string bareServer;
    std::string restanted = "restanted";
    std::string fsync = "everysec";
    std::string journal = "off";
    std::uint32_t scale = 1;
    CLI::App app{"Measures Restante beside the bare libraries; prints a Markdown table"};
    app.add_option("--restanted", restanted, "the daemon to measure");
    app.add_option("--fsync", fsync, "of both Redis servers: always, everysec, no");
    app.add_option("--journal", journal, "mode of the daemon's journal: off, async, durable");
    app.add_option("--scale", scale, "divides the amounts, for a quick look");
    app.add_option("--bare-sip-server", bareServer,
                   "serve as the bare reference on that Redis socket");
    bool bareHttp = false;
    std::string only;
    app.add_flag("--bare-http-server", bareHttp, "serve as the bare reference of the HTTP rows");
    app.add_option("--only", only, "these rows: queue, sip, http or recovery")
        ->check(CLI::IsMember({"queue", "sip", "http", "recovery"}));
    bool msilo = false;
    app.add_flag("--msilo", msilo, "Kamailio's msilo beside the sip rows, when it is installed");
    CLI11_PARSE(app, argc, argv);
    try {
        if (!bareServer.empty()) {
            return bench::runBareSipServer(bareServer);
        }
        if (bareHttp) {
            return bench::runBareHttpServer();
        }
        test::RedisServer::Settings settings;
        settings.appendOnly = test::RedisServer::AppendOnly::Yes;
        settings.where = test::TempDir::Where::Disk;
        settings.extra = {"--appendfsync", fsync, "--hash-max-listpack-value", "1024"};
        const test::RedisServer redis(settings);
        bench::Report report;
        const bench::Programs programs{"/proc/self/exe", restanted, journal, msilo};
        if (only.empty() || only == "queue") {
            bench::addQueueRows(report, redis.socketPath(), scale);
        }
        if (only.empty() || only == "sip") {
            bench::addSipRows(report, programs, redis.socketPath(), fsync, scale);
        }
        if (only.empty() || only == "http") {
            bench::addHttpRows(report, programs, fsync, scale);
        }
        if (only.empty() || only == "recovery") {
            bench::addRecoveryRows(report, programs, fsync, scale);
        }
        std::printf("%s", report.markdown().c_str());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
