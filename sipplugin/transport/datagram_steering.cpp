#include "sipplugin/transport/datagram_steering.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <sys/socket.h>

namespace restante::sip {

namespace {

constexpr std::string_view kBranchCookie = "z9hG4bK";
/// Two digits to the base of eight, of letters that no hexadecimal number has.
constexpr char kFirstDigit = 'g';
constexpr std::uint32_t kBase = 8;

/// No socket has this number, so that the kernel decides by itself.
constexpr std::uint32_t kByAddresses = 0xffffffff;

/// "MESSAGE sip:"
constexpr std::uint32_t kUserOffset = 12;
/// Users are told from each other by so many bytes; a jump reaches over 255 instructions.
constexpr std::uint32_t kMaxUriBytes = 48;
constexpr std::uint32_t kHashedWords = 48;
/// A request line, and a proxy's Via with its branch.
constexpr std::uint32_t kMinRequestBytes = kHashedWords * 4;

/// Where the branch of a response is looked for: from before the end of the shortest
/// "SIP/2.0 200 OK\r\nVia: SIP/2.0/UDP [::1]:9;" to behind the longest phrases and addresses.
constexpr std::uint32_t kFirstBranchOffset = 32;
constexpr std::uint32_t kEndOfBranchOffsets = 128;
constexpr std::uint32_t kMinResponseBytes = kEndOfBranchOffsets + 16;

constexpr std::uint32_t wordOf(std::string_view four)
{
    std::uint32_t value = 0;
    for (const char one : four) {
        value = (value << 8U) | static_cast<std::uint8_t>(one);
    }
    return value;
}

/// Classic BPF: A is the accumulator, X the index, which holds the hash so far.
class Program {
public:
    void add(unsigned code, std::uint32_t k = 0, std::uint8_t yes = 0, std::uint8_t no = 0)
    {
        code_.push_back({static_cast<std::uint16_t>(code), yes, no, k});
    }
    void loadWord(std::uint32_t at) { add(BPF_LD | BPF_W | BPF_ABS, at); }
    void loadByte(std::uint32_t at) { add(BPF_LD | BPF_B | BPF_ABS, at); }
    /// X = (A + X) * an odd number.
    void mix()
    {
        add(BPF_ALU | BPF_ADD | BPF_X);
        add(BPF_ALU | BPF_MUL | BPF_K, 0x9e3779b1);
        add(BPF_MISC | BPF_TAX);
    }
    void answer(std::uint32_t number) { add(BPF_RET | BPF_K, number); }
    /// A jump whose end is given to land().
    std::size_t jump()
    {
        add(BPF_JMP | BPF_JA);
        return code_.size() - 1;
    }
    void land(std::size_t jump)
    {
        code_[jump].k = static_cast<std::uint32_t>(code_.size() - jump - 1);
    }
    /// Goes on with the next instruction where A is `value`, with land() where it is not.
    std::size_t unlessEqual(std::uint32_t value)
    {
        add(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0);
        return jump();
    }
    std::size_t unlessAtLeast(std::uint32_t value)
    {
        add(BPF_JMP | BPF_JGE | BPF_K, value, 1, 0);
        return jump();
    }
    /// By what X holds.
    void answerByHash(std::uint32_t count)
    {
        // The low bits of a product are poor, and the remainder is made of these.
        add(BPF_MISC | BPF_TXA);
        add(BPF_ALU | BPF_RSH | BPF_K, 15);
        add(BPF_ALU | BPF_XOR | BPF_X);
        add(BPF_ALU | BPF_MUL | BPF_K, 0x85ebca6b);
        add(BPF_MISC | BPF_TAX);
        add(BPF_ALU | BPF_RSH | BPF_K, 13);
        add(BPF_ALU | BPF_XOR | BPF_X);
        add(BPF_ALU | BPF_MOD | BPF_K, count);
        add(BPF_RET | BPF_A);
    }
    std::vector<sock_filter> finish() && { return std::move(code_); }

private:
    std::vector<sock_filter> code_;
};

/// For MESSAGE requests: hashes until the space behind the URI, so that the Via, in which a branch
/// stands, does not count.
void addMessageRequests(Program& program, std::uint32_t count)
{
    constexpr std::uint32_t kInstructionsPerByte = 5;
    for (std::uint32_t i = 0; i < kMaxUriBytes; ++i) {
        program.loadByte(kUserOffset + i);
        const auto left = (kMaxUriBytes - i) * kInstructionsPerByte - 2;
        program.add(BPF_JMP | BPF_JEQ | BPF_K, ' ', static_cast<std::uint8_t>(left), 0);
        program.mix();
    }
    program.answerByHash(count);
}

void addOtherRequests(Program& program, std::uint32_t count)
{
    for (std::uint32_t i = 0; i < kHashedWords; ++i) {
        program.loadWord(i * 4);
        program.mix();
    }
    program.answerByHash(count);
}

/// Reads branchTag() where "z9hG" stands first.
void addResponses(Program& program)
{
    std::vector<std::size_t> jumpsIfFound;
    for (auto at = kFirstBranchOffset; at < kEndOfBranchOffsets; ++at) {
        program.loadWord(at);
        program.add(BPF_JMP | BPF_JEQ | BPF_K, wordOf(kBranchCookie.substr(0, 4)), 0, 2);
        program.add(BPF_LDX | BPF_W | BPF_IMM, at);
        jumpsIfFound.push_back(program.jump());
    }
    program.answer(kByAddresses);
    for (const auto jump : jumpsIfFound) {
        program.land(jump);
    }
    constexpr auto kTagAt = static_cast<std::uint32_t>(kBranchCookie.size());
    const auto addDigit = [&](std::uint32_t at) {
        program.add(BPF_LD | BPF_B | BPF_IND, at);
        program.add(BPF_ALU | BPF_SUB | BPF_K, kFirstDigit);
        program.add(BPF_JMP | BPF_JGE | BPF_K, kBase, 0, 1);
        program.answer(kByAddresses);
    };
    addDigit(kTagAt);
    program.add(BPF_ALU | BPF_MUL | BPF_K, kBase);
    program.add(BPF_ST, 0);
    addDigit(kTagAt + 1);
    program.add(BPF_LDX | BPF_W | BPF_MEM, 0);
    program.add(BPF_ALU | BPF_ADD | BPF_X);
    program.add(BPF_RET | BPF_A);
}

}  // namespace

std::vector<sock_filter> steeringProgram(std::size_t count)
{
    const auto sockets = static_cast<std::uint32_t>(count);
    Program program;
    const auto skipUnlessBytes = [&](std::uint32_t least) {
        program.add(BPF_LD | BPF_W | BPF_LEN);
        return program.unlessAtLeast(least);
    };
    const auto ifShort = skipUnlessBytes(kMinResponseBytes);
    program.loadWord(0);
    const auto ifRequest = program.unlessEqual(wordOf("SIP/"));
    addResponses(program);
    program.land(ifRequest);
    const auto ifShortRequest = skipUnlessBytes(kMinRequestBytes);
    program.add(BPF_LDX | BPF_W | BPF_IMM, 0);
    program.loadWord(0);
    const auto ifOther = program.unlessEqual(wordOf("MESS"));
    program.loadWord(4);
    const auto ifOtherAfterAll = program.unlessEqual(wordOf("AGE "));
    program.loadWord(8);
    const auto ifOtherScheme = program.unlessEqual(wordOf("sip:"));
    addMessageRequests(program, sockets);
    program.land(ifOther);
    program.land(ifOtherAfterAll);
    program.land(ifOtherScheme);
    program.loadByte(0);
    const auto ifNoMethod = program.unlessAtLeast('A');  // STUN, and what begins with a line break
    addOtherRequests(program, sockets);
    program.land(ifShort);
    program.land(ifShortRequest);
    program.land(ifNoMethod);
    program.answer(kByAddresses);
    return std::move(program).finish();
}

Result<void> steerDatagrams(int fd, std::size_t count)
{
    auto code = steeringProgram(count);
    const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
    if (::setsockopt(fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program, sizeof program) != 0) {
        return failure(ErrorCode::Unavailable, std::strerror(errno));
    }
    return {};
}

std::string branchTag(std::size_t number)
{
    return {static_cast<char>(kFirstDigit + static_cast<int>(number / kBase)),
            static_cast<char>(kFirstDigit + static_cast<int>(number % kBase))};
}

std::optional<std::size_t> agentOfBranch(std::string_view branch)
{
    if (!branch.starts_with(kBranchCookie) || branch.size() < kBranchCookie.size() + 2) {
        return std::nullopt;
    }
    const auto digit = [&](std::size_t place) {
        return static_cast<std::uint32_t>(branch[kBranchCookie.size() + place] - kFirstDigit);
    };
    if (digit(0) >= kBase || digit(1) >= kBase) {
        return std::nullopt;
    }
    return digit(0) * kBase + digit(1);
}

}  // namespace restante::sip
