#include "core/cli/arguments.h"
#include "core/cli/command.h"
#include "core/cli/default_config.h"
#include "core/cli/finding.h"
#include "core/cli/table.h"
#include "core/config/config_reader.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace restante::cli {

std::size_t Findings::count(Finding::Grade grade) const noexcept
{
    return static_cast<std::size_t>(std::count_if(
        all_.begin(), all_.end(), [grade](const Finding& one) { return one.grade == grade; }));
}

namespace {

using Grade = Finding::Grade;

std::string_view wordOf(Grade grade)
{
    switch (grade) {
    case Grade::Ok: return "ok";
    case Grade::Warning: return "warning";
    case Grade::Error: break;
    }
    return "error";
}

std::string printSources(const Options& options)
{
    const std::string set =
        options.overrides.empty() ? "" : fmt::format(", {} by --set", options.overrides.size());
    return options.config.empty() ? "the defaults" + set : options.config + set;
}

Findings examine(const Options& options, bool security)
{
    Findings findings;
    const auto config = readConfig(sourcesOf(options));
    if (!config) {
        for (const auto& problem : config.error()) {
            findings.error("configuration", problem.print(),
                           "correct it: restanted does not start with it");
        }
        return findings;
    }
    findings.ok("configuration", "every key is understood: " + printSources(options));
    if (security) {
        examineSecurity(*config, options.config, findings);
        return findings;
    }
    // --redis names a store alone: what is on this machine may have nothing to do with it.
    if (options.redis.empty()) {
        examineFiles(*config, findings);
        examineMachine(*config, findings);
        examineGateway(*config, findings);
        examineDaemon(*config, findings);
        examineJournal(*config, findings);
    }
    examineStore(*config, options, findings);
    return findings;
}

void print(const Findings& findings)
{
    for (const auto& finding : findings.all()) {
        fmt::print("{:<8} {}: {}\n", wordOf(finding.grade), oneLine(finding.about),
                   oneLine(finding.what));
        if (!finding.advice.empty()) {
            fmt::print("         -> {}\n", oneLine(finding.advice));
        }
    }
    const auto counted = [](std::size_t count, std::string_view what) {
        return count == 0 ? fmt::format("no {}s", what)
                          : fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
    };
    fmt::print("\n{}, {}\n", counted(findings.count(Grade::Error), "error"),
               counted(findings.count(Grade::Warning), "warning"));
}

void printJson(const Findings& findings, bool security)
{
    nlohmann::json object{{"ok", findings.count(Grade::Error) == 0},
                          {"errors", findings.count(Grade::Error)},
                          {"warnings", findings.count(Grade::Warning)},
                          {"findings", nlohmann::json::array()}};
    for (const auto& finding : findings.all()) {
        object["findings"].push_back({{"grade", wordOf(finding.grade)},
                                      {"about", finding.about},
                                      {"what", finding.what},
                                      {"advice", finding.advice}});
    }
    if (security) {
        object["grade"] = securityGrade(findings);
    }
    fmt::print("{}\n", object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

int doctor(const Options& options, bool security)
{
    const auto findings = examine(options, security);
    if (options.json) {
        printJson(findings, security);
    } else {
        print(findings);
    }
    if (security && !options.json) {
        fmt::print("security: grade {} of A to D (docs/security.md)\n", securityGrade(findings));
    }
    return findings.count(Grade::Error) == 0 ? kDone : kFailed;
}

}  // namespace

void addDoctor(CLI::App& app, StorelessCommand& chosen)
{
    auto repair = std::make_shared<bool>(false);
    auto* command =
        app.add_subcommand("doctor", "What is wrong with this set-up, and what to do about it");
    auto* repairs = command->add_flag(
        "--repair", *repair,
        "Put right what a script cut short has left in the store after a crash of "
        "Redis; a running restanted does it by itself");
    auto reason = std::make_shared<std::string>();
    addReason(*command, *reason)->needs(repairs);
    auto security = std::make_shared<bool>(false);
    command->add_flag("--security", *security,
                      "Grade the set-up by docs/security.md: who may reach it, what is limited, "
                      "what is secret");
    command->callback([&chosen, repair, reason, security] {
        chosen = [repair, reason, security](Options options) {
            options.repair = *repair;
            options.reason = *reason;
            if (auto found = findConfig(options); !found) {
                return fail(found.error(), options);
            }
            return doctor(options, *security);
        };
    });
}

}  // namespace restante::cli
