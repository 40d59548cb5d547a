#include "gui/session/tunnel.h"

#include <QDir>
#include <QFileInfo>

#include <csignal>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <utility>

namespace restante::gui {

namespace {

using ProblemKind = LinkProblem::Kind;

/// Somebody may have to touch a security key, or to say yes to an agent.
constexpr Millis kLogInTimeout{30'000};
/// ssh usually ends at once on SIGTERM; after this time it is killed.
constexpr int kTerminateWaitMs = 500;
/// Only the end of its output is kept.
constexpr qsizetype kMaxOutputBytes = 16'384;
/// A unix socket's path may have 107 bytes; ours adds less than 40 to that of its directory.
constexpr qsizetype kMaxDirectoryLength = 60;

/// Where a directory of our own can be made whose name means nothing special to ssh.
QString socketParent()
{
    for (const auto& path : {qEnvironmentVariable("XDG_RUNTIME_DIR"), QDir::tempPath()}) {
        const QFileInfo directory(path);
        if (directory.isAbsolute() && directory.isDir() && directory.isWritable() &&
            path.toUtf8().size() <= kMaxDirectoryLength && isPlainPath(path.toStdString())) {
            return path;
        }
    }
    return QStringLiteral("/tmp");
}

/// In the child, before it becomes ssh: only what a signal handler might do.
void prepareChild(pid_t parent)
{
    ::setsid();  // no terminal that it could ask
    // The kernel ends it when our thread ends, however that comes.
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) {
        ::_exit(127);
    }
    ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
}

}  // namespace

Tunnel::Tunnel(EventLoop& loop, TunnelPlan plan, Callbacks callbacks)
    : plan_(std::move(plan)),
      callbacks_(std::move(callbacks)),
      logInTimeout_(loop),
      callbackTimer_(loop),
      directory_(socketParent() + QStringLiteral("/restante-admin-XXXXXX"))
{
    if (!directory_.isValid()) {
        reportEnd({ProblemKind::TunnelFailed, plan_.jump.toString(),
                   directory_.errorString().toStdString()});
        return;
    }
    start();
    logInTimeout_.arm(kLogInTimeout, [this] {
        reportEnd({ProblemKind::JumpSilent, plan_.jump.toString(), {}});
    });
}

Tunnel::~Tunnel()
{
    process_.disconnect();
    if (process_.state() == QProcess::NotRunning) {
        return;
    }
    process_.terminate();
    if (!process_.waitForFinished(kTerminateWaitMs)) {
        process_.kill();
        process_.waitForFinished(kTerminateWaitMs);
    }
}

LinkProblem Tunnel::takeTargetProblem()
{
    // Its last output may not have been read yet.
    process_.waitForReadyRead(0);
    readErrorOutput();
    const auto problem = targetProblemOf(errorOutput_.toStdString(), plan_);
    errorOutput_.clear();
    return problem;
}

void Tunnel::start()
{
    QStringList command;
    for (const auto& argument : sshCommand(plan_, socket())) {
        command << QString::fromStdString(argument);
    }
    process_.setStandardInputFile(QProcess::nullDevice());
    process_.setChildProcessModifier([parent = ::getpid()] { prepareChild(parent); });
    QObject::connect(&process_, &QProcess::readyReadStandardError, &process_,
                     [this] { readErrorOutput(); });
    QObject::connect(&process_, &QProcess::readyReadStandardOutput, &process_,
                     [this] { checkOpen(); });
    QObject::connect(&process_, &QProcess::finished, &process_, [this] { handleExit(); });
    QObject::connect(
        &process_, &QProcess::errorOccurred, &process_, [this](QProcess::ProcessError error) {
            if (error == QProcess::FailedToStart) {
                reportEnd({ProblemKind::NoSsh, {}, process_.errorString().toStdString()});
            }
        });
    process_.start(command.takeFirst(), command);
}

std::string Tunnel::socket() const
{
    return directory_.filePath(QStringLiteral("redis.sock")).toStdString();
}

void Tunnel::readErrorOutput()
{
    errorOutput_ += process_.readAllStandardError();
    errorOutput_ = errorOutput_.right(kMaxOutputBytes);
}

void Tunnel::checkOpen()
{
    standardOutput_ = (standardOutput_ + process_.readAllStandardOutput()).right(kMaxOutputBytes);
    if (!isOpen_ &&
        standardOutput_.contains(QByteArray(kTunnelIsOpen.data(), kTunnelIsOpen.size()))) {
        isOpen_ = true;
        logInTimeout_.cancel();
        callbackTimer_.arm(Millis{0}, [this] {
            const auto opened = callbacks_.opened;  // it may destroy this
            opened(socket());
        });
    }
}

void Tunnel::handleExit()
{
    readErrorOutput();
    auto problem = jumpProblemOf(errorOutput_.toStdString(), plan_);
    if (isOpen_) {
        problem = {ProblemKind::TunnelLost, plan_.jump.toString(), problem.detail};
    }
    reportEnd(std::move(problem));
}

void Tunnel::reportEnd(LinkProblem problem)
{
    logInTimeout_.cancel();
    callbackTimer_.arm(Millis{0}, [this, problem = std::move(problem)] {
        if (const auto ended = std::exchange(callbacks_.ended, nullptr)) {
            ended(problem);  // which may destroy this
        }
    });
}

}  // namespace restante::gui
