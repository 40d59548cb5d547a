#include "tests/architecture/folder_graph.h"

#include "tests/architecture/tree.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>

namespace restante::architecture {

namespace {
using FolderOf = std::function<std::string(const std::string& path)>;

std::string directoryOf(const std::string& path)
{
    return path.substr(0, path.rfind('/'));
}

FolderGraph graphOf(std::string_view tree, const FolderOf& folderOf)
{
    const auto inside = std::string(tree) + "/";
    FolderGraph graph;
    for (const auto& file : filesBelow(tree, {".h", ".cpp", ".c"})) {
        const auto folder = folderOf(file);
        auto& others = graph[folder];
        for (const auto& include : includesOf(file)) {
            const auto path = include.substr(1, include.size() - 2);
            const auto other = folderOf(path);
            if (path.starts_with(inside) && other != folder) {
                others.emplace(other, file + " includes " + path);
            }
        }
    }
    return graph;
}

/// The includes of the project's files, each read once.
class Includes {
public:
    /// Adds what `file` includes, and what that does.
    void follow(const std::string& file, std::set<std::string>& met)
    {
        for (const auto& header : of(file)) {
            if (met.insert(header).second) {
                follow(header, met);
            }
        }
    }

private:
    const std::vector<std::string>& of(const std::string& file)
    {
        const auto [known, isNew] = read_.try_emplace(file);
        if (isNew) {
            for (const auto& include : includesOf(file)) {
                const auto path = include.substr(1, include.size() - 2);
                if (include.front() == '"' && std::filesystem::exists(sourceRoot() / path)) {
                    known->second.push_back(path);
                }
            }
        }
        return known->second;
    }

    std::map<std::string, std::vector<std::string>> read_;
};

/// Depth first: whoever is met again while it is still being visited closes a cycle.
class CycleSearch {
public:
    explicit CycleSearch(const FolderGraph& graph) : graph_(graph) {}

    std::vector<std::string> run()
    {
        for (const auto& [folder, others] : graph_) {
            visit(folder);
        }
        return std::move(cycles_);
    }

private:
    void visit(const std::string& folder)
    {
        const auto begun = std::ranges::find(path_, folder);
        const auto known = graph_.find(folder);
        if (begun != path_.end()) {
            tell(begun);
        } else if (known != graph_.end() && !visited_.contains(folder)) {
            path_.push_back(folder);
            for (const auto& [other, include] : known->second) {
                visit(other);
            }
            path_.pop_back();
            visited_.insert(folder);
        }
    }

    void tell(std::vector<std::string>::const_iterator begin)
    {
        std::string cycle;
        for (auto folder = begin; folder != path_.end(); ++folder) {
            const auto next = folder + 1 == path_.end() ? begin : folder + 1;
            cycle += (cycle.empty() ? "" : ", ") + graph_.at(*folder).at(*next);
        }
        cycles_.push_back(std::move(cycle));
    }

    const FolderGraph& graph_;
    std::set<std::string> visited_;
    std::vector<std::string> path_;
    std::vector<std::string> cycles_;
};
}  // namespace

FolderGraph foldersOf(std::string_view tree)
{
    return graphOf(tree, directoryOf);
}

FolderGraph wholeFoldersOf(std::string_view tree)
{
    return graphOf(tree, [length = tree.size()](const std::string& path) {
        const auto folder = directoryOf(path);
        return folder.substr(0, folder.find('/', std::min(folder.size(), length + 1)));
    });
}

Reach reachOfCoreHeaders()
{
    Includes includes;
    Reach reach;
    for (const char* tree : {"core", "sipplugin", "gui"}) {
        for (const auto& file : filesBelow(tree, {".cpp"})) {
            std::set<std::string> met;
            includes.follow(file, met);
            ++reach.programs;
            for (const auto& header : met) {
                if (header.starts_with("core/")) {
                    ++reach.of[header];
                }
            }
        }
    }
    return reach;
}

std::vector<std::string> cyclesIn(const FolderGraph& graph)
{
    return CycleSearch(graph).run();
}

}  // namespace restante::architecture
