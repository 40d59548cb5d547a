#include "core/redis/server/append_only_file.h"

#include "core/base/file_descriptor.h"
#include "core/base/text.h"
#include "core/base/try.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

// The file is a series of commands in Redis' protocol: "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", between
// which a line may begin with '#' (time stamps). What a script writes stands between MULTI and
// EXEC.

namespace restante::redis {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kBufferSize = 4U << 20U;  // larger reads are no faster
constexpr std::size_t kCopySize = 64U << 10U;
constexpr std::uint64_t kLargestTail = 16U << 20U;
constexpr std::size_t kTailsKept = 8;
/// The default limit of Redis (proto-max-bulk-len), and a generous number of arguments: a larger
/// number is damage.
constexpr std::uint64_t kLongestArgument = 512U << 20U;
constexpr std::uint64_t kMostArguments = 1U << 24U;
constexpr std::string_view kLineEnd = "\r\n";

tl::unexpected<Error> fileError(ErrorCode code, const fs::path& path, const std::string& why)
{
    return failure(code, "embedded redis: {}: {}", path.string(), why);
}

/// Reads a file forwards, and can skip bytes. `errorNumber()` tells of errors of the disk.
class Input {
public:
    Input(int descriptor, std::uint64_t size)
        : descriptor_(descriptor),
          buffer_(std::clamp<std::uint64_t>(size, 1, kBufferSize))
    {
    }

    std::uint64_t offset() const noexcept { return bufferOffset_ + readIndex_; }
    int errorNumber() const noexcept { return error_; }

    /// The next byte, without consuming it; none at the end.
    std::optional<char> peek()
    {
        if (readIndex_ >= filled_ && !fill()) {
            return std::nullopt;
        }
        return buffer_[readIndex_];
    }
    std::optional<char> takeByte()
    {
        const auto byte = peek();
        readIndex_ += byte ? 1U : 0U;
        return byte;
    }
    void skip(std::uint64_t count)
    {
        const auto left = filled_ - readIndex_;
        if (count <= left) {
            readIndex_ += static_cast<std::size_t>(count);
            return;
        }
        bufferOffset_ += filled_ + (count - left);
        readIndex_ = filled_ = 0;
    }

private:
    bool fill()
    {
        bufferOffset_ += filled_;
        readIndex_ = filled_ = 0;
        ssize_t bytesRead = -1;
        do {
            bytesRead = ::pread(descriptor_, buffer_.data(), buffer_.size(),
                                static_cast<off_t>(bufferOffset_));
        } while (bytesRead < 0 && errno == EINTR);
        if (bytesRead < 0) {
            error_ = errno;
            return false;
        }
        filled_ = static_cast<std::size_t>(bytesRead);
        return bytesRead > 0;
    }

    int descriptor_;
    std::vector<char> buffer_;
    std::uint64_t bufferOffset_ = 0;  ///< offset of the buffer in the file
    std::size_t readIndex_ = 0;
    std::size_t filled_ = 0;
    int error_ = 0;
};

enum class ParseStatus {
    Whole,
    Short,    ///< the file ends within it
    Damaged,  ///< it cannot be what Redis has written
};

/// Reads command after command and remembers where the last whole transaction ended.
class AofReader {
public:
    AofReader(int descriptor, std::uint64_t size) : input_(descriptor, size), size_(size) {}

    /// Reads to the end, or to the first command that cannot be parsed.
    ParseStatus read()
    {
        while (const auto first = input_.peek()) {
            *first == '#' ? skipLine() : readCommand();
            if (status_ != ParseStatus::Whole) {
                return status_;
            }
            lastTransactionEnd_ = inTransaction_ ? lastTransactionEnd_ : input_.offset();
        }
        return inTransaction_ ? ParseStatus::Short : ParseStatus::Whole;
    }

    std::uint64_t lastTransactionEnd() const noexcept { return lastTransactionEnd_; }
    std::uint64_t unfinishedTransactions() const noexcept { return unfinishedTransactions_; }
    /// The offset of the damage.
    std::uint64_t damageOffset() const noexcept { return input_.offset(); }
    int errorNumber() const noexcept { return input_.errorNumber(); }

private:
    bool isWhole() const noexcept { return status_ == ParseStatus::Whole; }

    void skipLine()
    {
        while (const auto byte = input_.takeByte()) {
            if (*byte == '\n') {
                return;
            }
        }
        status_ = ParseStatus::Short;
    }

    /// Consumes `wanted`, as far as the bytes are equal; else sets the status.
    void expect(std::string_view wanted)
    {
        for (std::size_t i = 0; i < wanted.size() && isWhole(); ++i) {
            const auto byte = input_.peek();
            if (byte == wanted[i]) {
                input_.skip(1);
            } else {
                status_ = byte ? ParseStatus::Damaged : ParseStatus::Short;
            }
        }
    }

    /// `mark`, decimal digits, line end.
    std::uint64_t readCount(std::string_view mark, std::uint64_t most)
    {
        expect(mark);
        std::uint64_t value = 0;
        bool hasDigits = false;
        for (auto byte = input_.peek(); isWhole() && byte && isDigit(*byte); byte = input_.peek()) {
            value = 10 * value + static_cast<std::uint64_t>(*byte - '0');
            if (value > most) {
                status_ = ParseStatus::Damaged;
                return 0;
            }
            hasDigits = true;
            input_.skip(1);
        }
        if (isWhole() && !hasDigits) {
            status_ = input_.peek() ? ParseStatus::Damaged : ParseStatus::Short;
        }
        expect(kLineEnd);
        return value;
    }

    /// Appends it to `name`, if any, unless it is too long for the name of a command that matters.
    void readArgument(std::string* name)
    {
        const auto length = readCount("$", kLongestArgument);
        if (isWhole() && input_.offset() + length > size_) {
            status_ = ParseStatus::Short;
        }
        constexpr std::size_t kLongestName = 5;  // MULTI
        if (name != nullptr && length <= kLongestName) {
            for (std::uint64_t i = 0; i < length && isWhole(); ++i) {
                if (const auto byte = input_.takeByte()) {
                    name->push_back(*byte);
                } else {
                    status_ = ParseStatus::Short;
                }
            }
        } else if (isWhole()) {
            input_.skip(length);
        }
        expect(kLineEnd);
    }

    void readCommand()
    {
        const auto count = readCount("*", kMostArguments);
        name_.clear();
        for (std::uint64_t i = 0; i < count && isWhole(); ++i) {
            readArgument(i == 0 ? &name_ : nullptr);
        }
        if (!isWhole() || count != 1) {
            return;
        }
        if (equalIgnoringCase(name_, "MULTI")) {
            unfinishedTransactions_ += inTransaction_ ? 1U : 0U;
            // When the last one has no EXEC either, the file is cut before the first of them.
            inTransaction_ = true;
        } else if (equalIgnoringCase(name_, "EXEC")) {
            inTransaction_ = false;
        }
    }

    Input input_;
    std::uint64_t size_;
    ParseStatus status_ = ParseStatus::Whole;  ///< of the last command
    std::uint64_t lastTransactionEnd_ = 0;     ///< end of the last whole transaction
    bool inTransaction_ = false;
    std::uint64_t unfinishedTransactions_ = 0;
    std::string name_;
};

/// Whether there are only zeros from `at` on. A file system may leave them after a power cut.
Result<bool> isZeroFilled(int descriptor, std::uint64_t at)
{
    std::vector<char> buffer(kBufferSize);
    while (true) {
        const auto bytesRead =
            ::pread(descriptor, buffer.data(), buffer.size(), static_cast<off_t>(at));
        if (bytesRead < 0) {
            return failure(ErrorCode::Unavailable, formatSystemError(errno));
        }
        if (bytesRead == 0) {
            return true;
        }
        if (std::any_of(buffer.begin(), buffer.begin() + bytesRead,
                        [](char byte) { return byte != 0; })) {
            return false;
        }
        at += static_cast<std::uint64_t>(bytesRead);
    }
}

/// The incremental files that a manifest names, oldest first: "file NAME seq N type i".
std::vector<std::string> incrementsOf(const fs::path& manifest)
{
    std::vector<std::string> names;
    std::ifstream in(manifest);
    for (std::string line; std::getline(in, line);) {
        constexpr std::string_view kLinePrefix = "file ";
        const auto seq = line.find(" seq ");
        if (!line.starts_with(kLinePrefix) || seq == std::string::npos ||
            line.find(" type i", seq) == std::string::npos) {
            continue;
        }
        names.push_back(line.substr(kLinePrefix.size(), seq - kLinePrefix.size()));
    }
    return names;
}

std::uint64_t sizeOf(const fs::path& file)
{
    std::error_code error;
    const auto size = fs::file_size(file, error);
    return error ? 0 : size;
}

/// A file with data in a folder without a manifest: Redis would ignore it and start empty.
std::optional<fs::path> orphanIn(const fs::path& folder)
{
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        const auto name = entry.path().filename().string();
        constexpr std::string_view kEnd = ".incr.aof";
        if (name.size() > kEnd.size() && name.ends_with(kEnd) && sizeOf(entry.path()) > 0) {
            return entry.path();
        }
    }
    return std::nullopt;
}

bool beginsWithImage(const fs::path& file)
{
    std::array<char, 5> front{};
    std::ifstream in(file, std::ios::binary);
    in.read(front.data(), front.size());
    return std::string_view(front.data(), front.size()) == "REDIS";
}

/// The file that may be torn; empty when there is none.
Result<fs::path> findLastFile(const fs::path& directory)
{
    const auto folder = directory / "appendonlydir";
    const auto manifest = folder / "appendonly.aof.manifest";
    std::error_code error;
    if (fs::exists(manifest, error)) {
        auto names = incrementsOf(manifest);
        // During a rewrite there are two, and the newer one may still be empty.
        while (names.size() > 1 && sizeOf(folder / names.back()) == 0) {
            names.pop_back();
        }
        return names.empty() ? fs::path{} : folder / names.back();
    }
    if (const auto orphan = orphanIn(folder)) {
        return fileError(
            ErrorCode::Invalid, *orphan,
            "there is no " + manifest.string() +
                " that names it, so Redis would begin an empty store beside it; put the "
                "manifest back (from a backup), or move " +
                folder.string() + " away to begin anew");
    }
    const auto single = directory / "appendonly.aof";
    return fs::exists(single, error) && !beginsWithImage(single) ? single : fs::path{};
}

/// Identifies a file and its version: another file, or one that was written to, has another stamp.
std::string fileStamp(const fs::path& file)
{
    struct stat fileStatus {};
    if (::stat(file.c_str(), &fileStatus) != 0) {
        return {};
    }
    return fmt::format("{} {} {} {}.{:09}\n", file.filename().string(), fileStatus.st_ino,
                       fileStatus.st_size, fileStatus.st_mtim.tv_sec, fileStatus.st_mtim.tv_nsec);
}

fs::path cleanShutdownMarkerIn(const fs::path& directory)
{
    return directory / "ended-in-order";
}

/// Whether the marker says that this file has not changed since its server shut down cleanly.
/// Removes the marker: if this start fails, the next one reads the file.
bool consumeCleanShutdownMarker(const fs::path& directory, const fs::path& file)
{
    std::string notedStamp;
    {
        std::ifstream in(cleanShutdownMarkerIn(directory));
        std::getline(in, notedStamp);
    }
    std::error_code error;
    fs::remove(cleanShutdownMarkerIn(directory), error);
    return !notedStamp.empty() && notedStamp + "\n" == fileStamp(file);
}

void removeOldTails(const fs::path& folder, const fs::path& latest)
{
    std::error_code error;
    std::vector<fs::path> tails;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (entry.path() != latest) {  // which a clock step may have sorted before others
            tails.push_back(entry.path());
        }
    }
    std::sort(tails.begin(), tails.end());  // their names begin with the time
    for (std::size_t i = 0; i + kTailsKept < tails.size() + 1; ++i) {
        fs::remove(tails[i], error);
    }
}

/// Copies the bytes that are about to be cut off, kLargestTail at most. Empty when that fails: the
/// copy is only for inspection, so a full disk does not keep the store from starting.
fs::path
saveTail(const fs::path& directory, const fs::path& file, int descriptor, std::uint64_t from)
{
    const auto folder = directory / "torn";
    ::mkdir(folder.c_str(), 0700);
    auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                  std::chrono::system_clock::now().time_since_epoch())
                  .count();
    fs::path path;
    FileDescriptor out;
    do {
        path = folder / fmt::format("{}-{}-from-{}", ms++, file.filename().string(), from);
        out = FileDescriptor{::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
    } while (!out && errno == EEXIST);
    if (!out) {
        return {};
    }
    std::vector<char> buffer(kCopySize);
    std::uint64_t copied = 0;
    while (copied < kLargestTail) {
        const auto bytesRead =
            ::pread(descriptor, buffer.data(), buffer.size(), static_cast<off_t>(from + copied));
        if (bytesRead <= 0) {
            break;
        }
        if (::write(out.get(), buffer.data(), static_cast<std::size_t>(bytesRead)) != bytesRead) {
            ::unlink(path.c_str());
            return {};
        }
        copied += static_cast<std::uint64_t>(bytesRead);
    }
    ::fsync(out.get());
    removeOldTails(folder, path);
    return path;
}

tl::unexpected<Error> damageError(const fs::path& file, std::uint64_t at, std::uint64_t size)
{
    return fileError(
        ErrorCode::Invalid, file,
        fmt::format(
            "it is damaged at byte {}, {} bytes before its end, which no crash of Redis explains: "
            "look at the disk, copy the directory away, and bring the file back from a backup; or "
            "give up what is behind the damage (redis-check-aof --fix {} cuts it off there; "
            "valkey-check-aof with Valkey) and start again: with a journal, what it knows of the "
            "rest comes back",
            at, size - std::min(at, size), file.string()));
}

}  // namespace

Result<AppendOnlyCheck> repairTornFile(const fs::path& directory)
{
    auto last = TRY(findLastFile(directory));
    AppendOnlyCheck check;
    if (consumeCleanShutdownMarker(directory, last)) {
        check.file = std::move(last);
        check.skipped = true;
        return check;
    }
    if (last.empty()) {
        return check;
    }
    check.file = std::move(last);
    const FileDescriptor file{::open(check.file.c_str(), O_RDWR | O_CLOEXEC)};
    struct stat fileStatus {};
    if (!file || ::fstat(file.get(), &fileStatus) != 0) {
        if (errno == ENOENT) {
            return check;  // Redis says that it is missing
        }
        return fileError(ErrorCode::Unavailable, check.file, formatSystemError(errno));
    }
    ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
    const auto size = static_cast<std::uint64_t>(fileStatus.st_size);
    AofReader reader(file.get(), size);
    const auto status = reader.read();
    check.bytes = size;
    check.unfinishedTransactions = reader.unfinishedTransactions();
    if (reader.errorNumber() != 0) {
        return fileError(ErrorCode::Unavailable, check.file,
                         formatSystemError(reader.errorNumber()));
    }
    if (status == ParseStatus::Whole) {
        return check;
    }
    if (status == ParseStatus::Damaged) {
        const auto zeros = isZeroFilled(file.get(), reader.damageOffset());
        if (!zeros) {
            return fileError(ErrorCode::Unavailable, check.file, zeros.error().message);
        }
        if (!*zeros) {
            return damageError(check.file, reader.damageOffset(), size);
        }
    }
    check.bytesCut = size - reader.lastTransactionEnd();
    check.tail = saveTail(directory, check.file, file.get(), reader.lastTransactionEnd());
    if (::ftruncate(file.get(), static_cast<off_t>(reader.lastTransactionEnd())) != 0 ||
        ::fsync(file.get()) != 0) {
        return fileError(ErrorCode::Unavailable, check.file, formatSystemError(errno));
    }
    return check;
}

void markCleanShutdown(const fs::path& directory) noexcept
{
    try {
        const auto last = findLastFile(directory);
        const auto stamp = last && !last->empty() ? fileStamp(*last) : std::string{};
        if (stamp.empty()) {
            return;
        }
        const auto path = cleanShutdownMarkerIn(directory).string();
        const FileDescriptor out{
            ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};
        // A marker that is incomplete matches no file.
        if (out &&
            ::write(out.get(), stamp.data(), stamp.size()) == static_cast<ssize_t>(stamp.size())) {
            ::fsync(out.get());
        }
    } catch (...) {  // without the marker the next start reads the file
    }
}

}  // namespace restante::redis
