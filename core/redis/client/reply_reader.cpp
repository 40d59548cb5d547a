#include "core/redis/client/reply_reader.h"

#include "core/base/handle_deleter.h"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <array>
#include <new>
#include <utility>

namespace restante::redis {

namespace {

struct ErrorReply {
    std::string_view word;
    ErrorCode code;
    std::string_view advice;
};

constexpr std::string_view kClusterAdvice =
    "this is a node of a Redis Cluster: say redis+cluster:// in redis.url";

constexpr ErrorReply kForbidden{"NOPERM", ErrorCode::Denied,
                                "give the Redis user the commands and keys it needs"};

constexpr std::array kErrorReplies{
    ErrorReply{"OOM", ErrorCode::Full, "raise maxmemory or purge jobs"},
    ErrorReply{"READONLY", ErrorCode::ReadOnly, "point redis.url at the master"},
    ErrorReply{"MISCONF", ErrorCode::ReadOnly, "Redis cannot write its disk: see its log"},
    ErrorReply{"LOADING", ErrorCode::Loading, ""},
    ErrorReply{"BUSY", ErrorCode::Busy, "a script blocks Redis: SCRIPT KILL ends it"},
    ErrorReply{"NOREPLICAS", ErrorCode::Busy, "see min-replicas-to-write and the replicas' health"},
    ErrorReply{"NOAUTH", ErrorCode::Denied, "put the password into redis.url"},
    ErrorReply{"WRONGPASS", ErrorCode::Denied, "check user and password in redis.url"},
    kForbidden,
    ErrorReply{"MASTERDOWN", ErrorCode::Unavailable, ""},
    ErrorReply{"CLUSTERDOWN", ErrorCode::Unavailable, kClusterAdvice},
    ErrorReply{"MOVED", ErrorCode::Unavailable, kClusterAdvice},
    ErrorReply{"ASK", ErrorCode::Unavailable, kClusterAdvice},
    ErrorReply{"CROSSSLOT", ErrorCode::Unavailable, kClusterAdvice},
    ErrorReply{"TRYAGAIN", ErrorCode::Unavailable, ""},
    ErrorReply{"NOTSERVING", ErrorCode::Unavailable, "it is being compared; try again later"},
};

/// A script that the ACL denies a command is refused without the word NOPERM: by Redis 7.0 with the
/// first text, by later versions and Valkey with the second.
bool isScriptDenied(std::string_view reply)
{
    return reply.starts_with("ERR The user executing the script can't ") ||
           reply.starts_with("ERR ACL failure in script: ");
}

std::string_view withoutArguments(std::string_view reply)
{
    // "ERR unknown command 'x', with args beginning with: 'the caller's body'".
    return reply.substr(0, reply.find(", with args"));
}

/// The Error for an error reply of Redis ("OOM command not allowed ..."): see Connection. The
/// message begins with Redis' own word, has advice where an administrator can do something, and
/// omits the command's arguments that Redis may quote.
Error errorOfReply(std::string_view reply)
{
    const auto word = isScriptDenied(reply) ? kForbidden.word : reply.substr(0, reply.find(' '));
    const auto kind = std::find_if(kErrorReplies.begin(), kErrorReplies.end(),
                                   [&](const ErrorReply& known) { return known.word == word; });
    Error error{ErrorCode::Internal, std::string(withoutArguments(reply)), {}, std::string(word)};
    if (kind == kErrorReplies.end()) {
        return error;
    }
    error.code = kind->code;
    if (!kind->advice.empty()) {
        error.message.append(" (").append(kind->advice).append(")");
    }
    return error;
}

/// The reply that hiredis' parser builds through our functions, instead of a redisReply tree.
struct PartialReply {
    Reply root;
    std::optional<Error> error;  ///< of an error reply, also one inside an array
};

PartialReply& partialReplyOf(const redisReadTask& task) noexcept
{
    return *static_cast<PartialReply*>(task.privdata);
}

/// Elements for which memory is reserved at most; a server may announce a larger array than there
/// is memory for.
constexpr std::size_t kMaxReserve = 1'024;

/// Returns the element that the task fills. Elements are built in order, so growing a list moves
/// only finished ones.
Reply& elementOf(const redisReadTask& task)
{
    if (task.parent == nullptr) {
        return partialReplyOf(task).root;
    }
    auto& list = std::get<Reply::Array>(static_cast<Reply*>(task.parent->obj)->value);
    const auto index = static_cast<std::size_t>(task.idx);
    if (list.size() <= index) {
        list.resize(index + 1);
    }
    return list[index];
}

/// Returns null when memory runs out, as hiredis expects; no exception may pass through it.
template <class Fill>
void* build(const redisReadTask* task, Fill fill) noexcept
{
    try {
        auto& element = elementOf(*task);
        fill(element);
        return &element;
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

void* createString(const redisReadTask* task, char* text, std::size_t size) noexcept
{
    return build(task, [&](Reply& element) {
        if (task->type == REDIS_REPLY_ERROR) {
            partialReplyOf(*task).error = errorOfReply({text, size});
        } else {
            element.value.emplace<std::string>(text, size);
        }
    });
}

/// `Count` is int in hiredis 0.14 and size_t from 1.0 on.
template <class Count>
void* createArray(const redisReadTask* task, Count count) noexcept
{
    return build(task, [&](Reply& element) {
        element.value.emplace<Reply::Array>().reserve(
            std::min(static_cast<std::size_t>(count), kMaxReserve));
    });
}

void* createInteger(const redisReadTask* task, long long value) noexcept
{
    return build(task, [&](Reply& element) { element.value = std::int64_t{value}; });
}

void* createNil(const redisReadTask* task) noexcept
{
    return build(task, [](Reply& element) { element.value = std::monostate{}; });
}

void freeNothing(void* /*element*/) noexcept {}

redisReplyObjectFunctions* functions() noexcept
{
    static redisReplyObjectFunctions table = [] {
        redisReplyObjectFunctions made{};
        made.createString = createString;
        made.createArray = createArray;
        made.createInteger = createInteger;
        made.createNil = createNil;
        made.freeObject = freeNothing;
        return made;
    }();
    return &table;
}

// hiredis gives its buffer back at 16 kB, which costs a page fault per read of 64 kB.
constexpr std::size_t kMaxKeptBuffer = 1U << 20U;

}  // namespace

class ReplyReader::Parser {
public:
    Parser() : reader_(redisReaderCreateWithFunctions(functions()))
    {
        if (!reader_) {
            throw std::bad_alloc();
        }
        reader_->privdata = &partialReply_;
        reader_->maxbuf = kMaxKeptBuffer;
    }

    redisReader* get() const noexcept { return reader_.get(); }

    Result<Reply> take()
    {
        auto built = std::exchange(partialReply_, {});
        if (built.error) {
            return tl::unexpected<Error>(std::move(*built.error));
        }
        return std::move(built.root);
    }

private:
    PartialReply partialReply_;
    std::unique_ptr<redisReader, HandleDeleter<redisReaderFree>> reader_;
};

ReplyReader::ReplyReader() : parser_(std::make_unique<Parser>()) {}
ReplyReader::~ReplyReader() = default;

void ReplyReader::feed(const char* bytes, std::size_t size)
{
    isWithinReply_ = true;
    if (redisReaderFeed(parser_->get(), bytes, size) != REDIS_OK) {
        protocolError_ = parser_->get()->errstr;
    }
}

std::optional<Result<Reply>> ReplyReader::next()
{
    if (!protocolError_.empty()) {
        return std::nullopt;
    }
    void* whole = nullptr;
    if (redisReaderGetReply(parser_->get(), &whole) != REDIS_OK) {
        protocolError_ = parser_->get()->errstr;
        return std::nullopt;
    }
    if (whole == nullptr) {
        return std::nullopt;
    }
    isWithinReply_ = parser_->get()->pos < parser_->get()->len;
    return parser_->take();
}

}  // namespace restante::redis
