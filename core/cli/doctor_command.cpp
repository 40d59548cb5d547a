#include "core/cli/command.h"
#include "core/cli/finding.h"
#include "core/cli/table.h"
#include "core/config/config_reader.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace restante::cli {

std::size_t Findings::count(Severity severity) const noexcept
{
    return static_cast<std::size_t>(std::ranges::count(all_, severity, &Finding::severity));
}

namespace {

using Severity = Finding::Severity;

std::string_view wordOf(Severity severity)
{
    switch (severity) {
    case Severity::Ok: return "ok";
    case Severity::Warning: return "warning";
    case Severity::Error: break;
    }
    return "error";
}

std::string sourcesText(const Options& options)
{
    const std::string overridesText =
        options.overrides.empty() ? "" : fmt::format(", {} by --set", options.overrides.size());
    return options.config.empty() ? "the defaults" + overridesText : options.config + overridesText;
}

Findings examine(const Options& options, bool security)
{
    Findings findings;
    const auto config = readConfig(sourcesOf(options));
    if (!config) {
        for (const auto& problem : config.error()) {
            findings.error("configuration", problem.toString(),
                           "correct it: restanted does not start with it");
        }
        return findings;
    }
    findings.ok("configuration", "every key is understood: " + sourcesText(options));
    if (security) {
        examineSecurity(*config, options.config, findings);
        return findings;
    }
    // --redis names a store alone: what is on this machine may have nothing to do with it.
    if (options.redis.empty()) {
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
        fmt::print("{:<8} {}: {}\n", wordOf(finding.severity), oneLine(finding.about),
                   oneLine(finding.what));
        if (!finding.advice.empty()) {
            fmt::print("         -> {}\n", oneLine(finding.advice));
        }
    }
    const auto countText = [](std::size_t count, std::string_view noun) {
        return count == 0 ? fmt::format("no {}s", noun)
                          : fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
    };
    fmt::print("\n{}, {}\n", countText(findings.count(Severity::Error), "error"),
               countText(findings.count(Severity::Warning), "warning"));
}

nlohmann::json jsonOf(const Findings& findings, bool security)
{
    nlohmann::json object{{"ok", findings.count(Severity::Error) == 0},
                          {"errors", findings.count(Severity::Error)},
                          {"warnings", findings.count(Severity::Warning)},
                          {"findings", nlohmann::json::array()}};
    for (const auto& finding : findings.all()) {
        object["findings"].push_back({{"grade", wordOf(finding.severity)},
                                      {"about", finding.about},
                                      {"what", finding.what},
                                      {"advice", finding.advice}});
    }
    if (security) {
        object["grade"] = securityGrade(findings);
    }
    return object;
}

struct DoctorArguments {
    bool repair = false;
    std::string reason;
    bool security = false;
};

int doctor(const Options& commonOptions, const DoctorArguments& arguments)
{
    auto options = commonOptions;
    options.repair = arguments.repair;
    options.reason = arguments.reason;
    if (const auto applied = applyDefaultConfig(options); !applied) {
        return fail(applied.error(), options);
    }
    const auto findings = examine(options, arguments.security);
    if (options.json) {
        printJson(jsonOf(findings, arguments.security));
    } else {
        print(findings);
        if (arguments.security) {
            fmt::print("security: grade {} of A to D (docs/security.md)\n",
                       securityGrade(findings));
        }
    }
    return findings.count(Severity::Error) == 0 ? kExitOk : kExitFailed;
}

}  // namespace

void addDoctor(CommandLine& commands)
{
    auto [command, arguments] =
        commands.add("doctor", "What is wrong with this set-up, and what to do about it", doctor);
    auto* repairs =
        command.option("--repair", &arguments.repair,
                       "Put right what a script cut short has left in the store after a crash of "
                       "Redis; a running restanted does it by itself");
    command.reason(&arguments.reason, {.needs = repairs});
    command.option("--security", &arguments.security,
                   "Grade the set-up by docs/security.md: who may reach it, what is limited, "
                   "what is secret",
                   {.excludes = repairs});
}

}  // namespace restante::cli
