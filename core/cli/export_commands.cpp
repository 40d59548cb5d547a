#include "core/base/async_task.h"
#include "core/base/file_descriptor.h"
#include "core/base/handle_deleter.h"
#include "core/base/try.h"
#include "core/cli/bulk.h"
#include "core/cli/command.h"
#include "core/cli/connected_store.h"
#include "core/json/document.h"
#include "core/json/export_json.h"
#include "core/queue/job_import.h"
#include "core/queue/job_search.h"
#include "core/queue/topic_view.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace restante::cli {

namespace {

/// Longer than a job with the largest configurable body in base64.
constexpr std::size_t kLongestLine = 64UL * 1024 * 1024;
/// The jobs that are stored at a time.
constexpr std::size_t kBatchSize = 100;
/// The timeout for reading the once keys of the whole store; it only limits a read that would never
/// end.
constexpr Millis kOnceKeyTimeout{std::chrono::hours{12}};
/// The wrong lines that are reported; further ones are only counted.
constexpr std::size_t kMostProblems = 20;
/// The permissions of a new file.
constexpr mode_t kOwnersMode = S_IRUSR | S_IWUSR;

template <class T>
std::string lineOf(const T& value)
{
    return json::toString(json::exportOf(value)) + '\n';
}

/// Writes what concerns the whole store: its shards, topics that are paused or limited, and once
/// keys. They come first, so that an import pauses a topic before storing its jobs.
Result<void> writeSettings(ConnectedStore& store, std::ostream& out)
{
    if (!store.isNew()) {
        out << lineOf(StoreShape{store.shards()});
    }
    const auto topics = TRY(store.ask(&JobInspector::topics));
    for (const auto& view : topics) {
        if (view.pause || view.limits != TopicLimits{}) {
            out << lineOf(TopicSetting{view.topic, view.pause, view.limits});
        }
    }
    return store.await<void>(
        [&](auto done) {
            store.inspector().onceKeys(
                [&out](const std::vector<OnceKey>& batch) {
                    for (const auto& once : batch) {
                        out << lineOf(once);
                    }
                },
                std::move(done));
        },
        kOnceKeyTimeout);
}

/// Writes the jobs that the options select; if they select none, the settings of the store and then
/// all of its jobs. Returns the number of jobs.
Result<std::uint64_t>
writeExport(ConnectedStore& store, const BulkOptions& arguments, std::ostream& out)
{
    if (!arguments.isBulk()) {
        TRY(writeSettings(store, out));
    }
    JobSearch search{.filter = filterOf(arguments)};
    if (arguments.state) {
        search.states = {*arguments.state};
    }
    std::uint64_t count = 0;
    do {
        auto page = TRY(store.ask(&JobInspector::search, search));
        for (const auto& view : page.jobs) {
            out << lineOf(view);
            ++count;
        }
        search.cursor = page.cursor;
    } while (!search.cursor.empty() && out);
    out.flush();
    if (!out) {
        return failure(ErrorCode::Unavailable, "the export cannot be written; is the disk full?");
    }
    return count;
}

/// The file that a chain of symbolic links leads to; it need not exist.
std::filesystem::path followLinks(std::filesystem::path path)
{
    constexpr int kMostLinks = 40;  // as Linux
    std::error_code error;
    for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(path, error); ++i) {
        const auto target = std::filesystem::read_symlink(path, error);
        if (error) {
            break;
        }
        path = path.parent_path() / target;
    }
    return path;
}

/// Writes to a temporary file next to `path`, which is synced and renamed when it is complete.
Result<std::uint64_t> replaceFile(ConnectedStore& store,
                                  const BulkOptions& arguments,
                                  const std::filesystem::path& path,
                                  mode_t mode)
{
    auto partialPath = path;
    partialPath += ".part";
    std::error_code error;
    std::filesystem::remove(partialPath, error);  // of an export that was killed
    const FileDescriptor partial{
        ::open(partialPath.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOwnersMode)};
    std::ofstream file;
    if (partial) {
        file.open(partialPath, std::ios::binary | std::ios::trunc);
    }
    if (!file.is_open()) {
        return invalid("{} cannot be written", path.string());
    }
    const auto count = writeExport(store, arguments, file);
    file.close();
    const bool isOnDisk = file && ::fsync(partial.get()) == 0;
    (void)::fchmod(partial.get(), mode);  // not every file system has permissions
    error.clear();
    if (count && isOnDisk) {
        std::filesystem::rename(partialPath, path, error);
    }
    if (!count || !isOnDisk || error) {
        std::error_code ignored;
        std::filesystem::remove(partialPath, ignored);
    }
    if (!count) {
        return count;
    }
    if (!isOnDisk || error) {
        return invalid("{} cannot be written", path.string());
    }
    const auto directoryPath =
        path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    const FileDescriptor directory{
        ::open(directoryPath.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    (void)::fsync(directory.get());  // not every file system can
    return count;
}

/// Replaces a file, which keeps its permissions; a new one is its owner's alone, because jobs'
/// bodies are private. What is no file, as a FIFO or device, is written to.
Result<std::uint64_t>
writeFile(ConnectedStore& store, const BulkOptions& arguments, const std::filesystem::path& path)
{
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (std::filesystem::is_regular_file(status)) {
        return replaceFile(store, arguments, followLinks(path),
                           static_cast<mode_t>(status.permissions()));
    }
    if (!std::filesystem::exists(status)) {
        return replaceFile(store, arguments, followLinks(path), kOwnersMode);
    }
    std::ofstream out(path, std::ios::binary);
    if (!out) {
        return invalid("{} cannot be written", path.string());
    }
    return writeExport(store, arguments, out);
}

struct ExportArguments {
    BulkOptions jobs;
    std::string path;
};

int exportJobs(ConnectedStore& store, const Options& options, const ExportArguments& arguments)
{
    const bool mayLackJobs =
        arguments.jobs.state.value_or(JobState::Scheduled) == JobState::Scheduled;
    // Otherwise somebody would rely on it as a backup.
    if (const auto complete = mayLackJobs ? store.checkComplete() : Result<void>{}; !complete) {
        return fail(complete.error(), options);
    }
    const bool toStdout = arguments.path.empty() || arguments.path == "-";
    const auto count = toStdout ? writeExport(store, arguments.jobs, std::cout)
                                : writeFile(store, arguments.jobs, arguments.path);
    if (count && toStdout) {
        fmt::print(stderr, "{} jobs\n", *count);
        return kExitOk;
    }
    if (toStdout) {
        // The object of --json would be one more line of the export.
        auto textOnly = options;
        textOnly.json = false;
        return fail(count.error(), textOnly);
    }
    return printResult(
        count, options,
        [](std::uint64_t jobs) {
            return nlohmann::json{{"exported", jobs}};
        },
        [](std::uint64_t jobs) { fmt::print(stderr, "{} jobs\n", jobs); });
}

struct ImportArguments {
    std::string path;
    std::string reason = "import";
    bool replace = false;
    bool dryRun = false;
};

struct ImportResult {
    std::uint64_t stored = 0;
    std::uint64_t alreadyThere = 0;
    std::uint64_t leftOut = 0;   ///< done jobs of an earlier version's export
    std::uint64_t settings = 0;  ///< topics and once keys that were stored
    std::uint64_t wrong = 0;
    std::vector<std::string> problems;

    void refuse(std::uint64_t lineNumber, std::string_view why)
    {
        if (++wrong <= kMostProblems) {
            problems.push_back(fmt::format("line {}: {}", lineNumber, why));
        }
    }
};

/// Reads a text by lines, as often as rewind() is called: what can be read once only, as a pipe, is
/// copied to a temporary file for that.
class InputLines {
public:
    static Result<InputLines> open(const std::string& path)
    {
        InputLines lines;
        if (path.empty() || path == "-") {
            TRY(lines.copyFrom(stdin));
            return lines;
        }
        lines.file_.reset(std::fopen(path.c_str(), "rb"));
        if (!lines.file_) {
            return invalid("{} cannot be read", path);
        }
        if (std::fseek(lines.file_.get(), 0, SEEK_SET) != 0) {
            const auto source = std::move(lines.file_);
            TRY(lines.copyFrom(source.get()));
        }
        return lines;
    }

    void rewind()
    {
        std::rewind(file_.get());
        lineNumber_ = 0;
    }

    /// The next line, without its end; none at the end, and when it cannot be read.
    std::optional<std::string_view> next()
    {
        char* text = text_.release();
        const auto length = ::getline(&text, &capacity_, file_.get());
        text_.reset(text);
        if (length < 0) {
            return std::nullopt;
        }
        ++lineNumber_;
        std::string_view line(text, static_cast<std::size_t>(length));
        line.remove_suffix(line.ends_with('\n') ? 1 : 0);
        return line;
    }

    std::uint64_t lineNumber() const { return lineNumber_; }
    /// Whether next() has reached the end, and read everything before it.
    bool isAtEnd() const { return std::feof(file_.get()) != 0 && std::ferror(file_.get()) == 0; }

private:
    using File = std::unique_ptr<std::FILE, HandleDeleter<std::fclose>>;

    Result<void> copyFrom(std::FILE* source)
    {
        file_.reset(std::tmpfile());
        std::array<char, 65'536> piece{};
        bool hasRoom = file_ != nullptr;
        while (const auto size = hasRoom ? std::fread(piece.data(), 1, piece.size(), source) : 0) {
            hasRoom = std::fwrite(piece.data(), 1, size, file_.get()) == size;
        }
        if (!hasRoom || std::fflush(file_.get()) != 0) {
            return failure(ErrorCode::Unavailable, "there is no room in /tmp for the text");
        }
        if (std::ferror(source) != 0) {
            return invalid("the text cannot be read to its end");
        }
        rewind();
        return {};
    }

    File file_;
    std::unique_ptr<char, HandleDeleter<std::free>> text_;  // getline() allocates
    std::size_t capacity_ = 0;
    std::uint64_t lineNumber_ = 0;
};

/// The first use of a store fixes its number of shards for ever, so an import into a new store must
/// use that of the export. A store in use keeps its own.
void checkShape(const StoreShape& shape,
                std::uint64_t lineNumber,
                const ConnectedStore& store,
                ImportResult& result)
{
    if (store.isNew() && shape.shards != store.shards()) {
        result.refuse(lineNumber,
                      fmt::format("shards: it is the export of a store with {0}, and this "
                                  "one is new and would have {1}; import with --set "
                                  "redis.shards={0}, and configure restanted so, too",
                                  shape.shards, store.shards()));
    }
}

/// The content of a line; none when there is nothing to store. Errors are added to `result`.
std::optional<Exported> exportedOf(std::string_view line,
                                   std::uint64_t lineNumber,
                                   ConnectedStore& store,
                                   ImportResult& result)
{
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) {
        return std::nullopt;
    }
    if (line.size() > kLongestLine) {
        result.refuse(lineNumber, fmt::format("is longer than {} bytes", kLongestLine));
        return std::nullopt;
    }
    auto exported = json::parseDocument(line).and_then(json::exportedOf);
    if (!exported) {
        result.refuse(lineNumber, json::errorOf(exported.error()).message);
        return std::nullopt;
    }
    const auto valid = std::visit(
        [&](const auto& value) { return checkImport(value, store.queue().settings()); }, *exported);
    if (!valid) {
        result.refuse(lineNumber, valid.error().message);
        return std::nullopt;
    }
    if (const auto* shape = std::get_if<StoreShape>(&*exported)) {
        checkShape(*shape, lineNumber, store, result);
        return std::nullopt;
    }
    if (const auto* view = std::get_if<JobView>(&*exported); view && !isForStore(*view)) {
        ++result.leftOut;
        return std::nullopt;
    }
    return std::move(*exported);
}

struct NumberedLine {
    std::uint64_t lineNumber;
    Exported value;
};

/// The passes of an import: settings first, so that topics are paused before their jobs can be
/// given out.
enum class ImportPass { Settings, Jobs };

ImportPass passOf(const Exported& exported)
{
    return std::holds_alternative<JobView>(exported) ? ImportPass::Jobs : ImportPass::Settings;
}

/// `topics`: those that the store has, if the value is a topic.
void storeOne(ConnectedStore& store,
              const ImportArguments& arguments,
              const std::vector<TopicView>& topics,
              const Exported& value,
              Done<PushOutcome> done)
{
    const auto mode = arguments.replace ? ImportMode::ReplaceExisting : ImportMode::KeepExisting;
    const OperatorAction action{{}, ConnectedStore::actor(), arguments.reason};
    if (const auto* view = std::get_if<JobView>(&value)) {
        return importJob(store.jobStore(), *view, mode, action, std::move(done));
    }
    if (const auto* topic = std::get_if<TopicSetting>(&value)) {
        return importTopic(store.jobStore(), topics, *topic, mode, action, std::move(done));
    }
    store.jobStore().importOnce(std::get<OnceKey>(value), std::move(done));
}

void storeBatch(ConnectedStore& store,
                const ImportArguments& arguments,
                std::vector<NumberedLine> batch,
                ImportResult& result)
{
    const auto isTopic = [](const NumberedLine& line) {
        return std::holds_alternative<TopicSetting>(line.value);
    };
    std::vector<TopicView> topics;
    if (std::ranges::any_of(batch, isTopic)) {
        auto current = store.ask(&JobInspector::topics);
        if (!current) {
            for (const auto& line : batch) {
                if (isTopic(line)) {
                    result.refuse(line.lineNumber, current.error().message);
                }
            }
            std::erase_if(batch, isTopic);
        }
        topics = std::move(current).value_or(std::vector<TopicView>{});
    }
    // Shared, because an answer may come after the timeout.
    const auto statuses =
        std::make_shared<std::vector<PushStatus>>(batch.size(), PushStatus::Stored);
    const auto answers = store.awaitAll(batch.size(), [&](std::size_t i, Done<void> done) {
        storeOne(store, arguments, topics, batch[i].value,
                 onSuccess(done, [statuses, i, done](const PushOutcome& outcome) {
                     (*statuses)[i] = outcome.status;
                     done({});
                 }));
    });
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (!answers[i]) {
            result.refuse(batch[i].lineNumber, answers[i].error().message);
        } else {
            ++((*statuses)[i] == PushStatus::Stored ? result.stored : result.alreadyThere);
        }
    }
}

/// Reads every line and calls `handleBatch` with those of one pass.
void readAll(InputLines& lines,
             ConnectedStore& store,
             ImportResult& result,
             ImportPass pass,
             const std::function<void(std::vector<NumberedLine>)>& handleBatch)
{
    std::vector<NumberedLine> batch;
    lines.rewind();
    while (const auto text = lines.next()) {
        auto exported = exportedOf(*text, lines.lineNumber(), store, result);
        if (exported && passOf(*exported) == pass) {
            batch.push_back({lines.lineNumber(), std::move(*exported)});
        }
        if (batch.size() == kBatchSize) {
            handleBatch(std::exchange(batch, {}));
        }
    }
    if (!lines.isAtEnd()) {
        result.refuse(lines.lineNumber() + 1, "cannot be read");
    }
    if (!batch.empty()) {
        handleBatch(std::move(batch));
    }
}

int printImport(const ImportResult& result, const Options& options, std::string_view storedText)
{
    if (options.json) {
        const nlohmann::json object{
            {"stored", result.stored},    {"already_there", result.alreadyThere},
            {"left_out", result.leftOut}, {"settings", result.settings},
            {"wrong", result.wrong},      {"problems", result.problems}};
        printJson(object);
    } else {
        for (const auto& problem : result.problems) {
            fmt::print(stderr, "restantectl: {}\n", problem);
        }
        fmt::print("{} {}, {} were there, {} left out (done), {} wrong\n", result.stored,
                   storedText, result.alreadyThere, result.leftOut, result.wrong);
        if (result.settings > 0) {
            fmt::print("{} topics and once keys were brought back\n", result.settings);
        }
    }
    return result.wrong == 0 ? kExitOk : kExitFailed;
}

int importJobs(ConnectedStore& store, const Options& options, const ImportArguments& arguments)
{
    auto lines = InputLines::open(arguments.path);
    if (!lines) {
        return fail(lines.error(), options);
    }
    // A first pass only checks: nothing is stored from a file with a wrong line.
    ImportResult checkResult;
    readAll(*lines, store, checkResult, ImportPass::Jobs,
            [&](const std::vector<NumberedLine>& batch) { checkResult.stored += batch.size(); });
    if (checkResult.wrong > 0 || arguments.dryRun) {
        const auto validJobCount =
            std::exchange(checkResult.stored, arguments.dryRun ? checkResult.stored : 0);
        if (checkResult.wrong > 0 && !options.json) {
            fmt::print(stderr, "restantectl: nothing was stored; {} jobs are right\n",
                       validJobCount);
        }
        return printImport(checkResult, options, "would be stored");
    }
    // A job of the file may be there already, as a cold one.
    if (auto prepared = store.checkComplete().and_then([&] { return store.prepare(); });
        !prepared) {
        return fail(prepared.error(), options);
    }
    ImportResult settingsResult;
    readAll(*lines, store, settingsResult, ImportPass::Settings,
            [&](std::vector<NumberedLine> batch) {
                storeBatch(store, arguments, std::move(batch), settingsResult);
            });
    if (settingsResult.wrong > 0) {
        settingsResult.settings = std::exchange(settingsResult.stored, 0);  // no job was stored
        settingsResult.alreadyThere = 0;
        return printImport(settingsResult, options, "stored");
    }
    ImportResult result;
    result.settings = settingsResult.stored;
    readAll(*lines, store, result, ImportPass::Jobs, [&](std::vector<NumberedLine> batch) {
        storeBatch(store, arguments, std::move(batch), result);
    });
    return printImport(result, options, "stored");
}

void checkExport(ExportArguments& arguments)
{
    (void)filterOf(arguments.jobs);
}

}  // namespace

void addExportCommands(CommandLine& commands)
{
    auto [exportCommand, exportArguments] = commands.add(
        "export", "Write jobs as JSON Lines, one a line, and what holds topics back: a backup",
        exportJobs, checkExport);
    exportCommand.option("file", &exportArguments.path, "Where to (default: standard output)");
    exportCommand.option("--filter", &exportArguments.jobs.filter,
                         "Only those that match (docs/search.md)");
    exportCommand.option("--biz-key", &exportArguments.jobs.bizKey,
                         "Only those with this key of yours");
    exportCommand.option("--state", &exportArguments.jobs.state, "Only those of one state");
    auto [importCommand, importArguments] = commands.add(
        "import", "Store what export has written; nothing of a file with a wrong line", importJobs);
    importCommand.option("file", &importArguments.path, "Where from (default: standard input)");
    importCommand.option("--replace", &importArguments.replace,
                         "Overwrite what is there: jobs of the same ids, and topics");
    importCommand.reason(&importArguments.reason);
    importCommand.option("--dry-run", &importArguments.dryRun,
                         "Only look whether every line is right");
}

}  // namespace restante::cli
