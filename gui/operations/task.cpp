#include "gui/operations/task.h"

#include "gui/operations/verb_texts.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>

namespace restante::gui {

QString iconName(const Task& task)
{
    return task.running()    ? QStringLiteral("view-task")
           : task.troubled() ? QStringLiteral("dialog-warning")
                             : QStringLiteral("dialog-ok");
}

int percentOf(const Task& task)
{
    if (task.phase == Task::Phase::Ended && !task.stopped && task.problem.isEmpty()) {
        return 100;
    }
    if (task.expected == 0) {
        return -1;
    }
    const auto percent = task.touched() * 100 / task.expected;
    return static_cast<int>(std::min<std::uint64_t>(percent, 100));
}

double rateOf(const Task& task)
{
    // A rate of less than that says nothing.
    constexpr qint64 kSettled = 500;
    const auto elapsed = task.elapsedMs();
    return elapsed < kSettled
               ? 0.0
               : static_cast<double>(task.touched()) * 1'000.0 / static_cast<double>(elapsed);
}

QString timeLeftText(const Task& task)
{
    const auto rate = rateOf(task);
    if (!task.running() || rate <= 0.0 || task.expected <= task.touched()) {
        return {};
    }
    const auto seconds =
        static_cast<qint64>(static_cast<double>(task.expected - task.touched()) / rate) + 1;
    const auto about = [](const char* text, qint64 number) {
        return QCoreApplication::translate("Task", text).arg(QLocale().toString(number));
    };
    if (seconds < 60) {
        return about(QT_TRANSLATE_NOOP("Task", "about %1 s"), seconds);
    }
    if (seconds < 3'600) {
        return about(QT_TRANSLATE_NOOP("Task", "about %1 min"), (seconds + 59) / 60);
    }
    return about(QT_TRANSLATE_NOOP("Task", "about %1 h"), (seconds + 3'599) / 3'600);
}

QString outcomeText(const Task& task)
{
    auto text = countsText(task.done, task.skipped, task.failed);
    const auto also = [&text](const QString& more) {
        if (!more.isEmpty()) {
            text += QStringLiteral(" · ") + more;
        }
    };
    if (!task.running() && task.stopped) {
        also(QCoreApplication::translate("Task", "stopped"));
    }
    also(task.problem);
    also(task.result);
    return text;
}

QString rateText(const Task& task)
{
    const auto rate = rateOf(task);
    return rate <= 0.0 ? QString()
                       : QCoreApplication::translate("Task", "%1 jobs/s")
                             .arg(QLocale().toString(rate, 'f', rate < 10 ? 1 : 0));
}

}  // namespace restante::gui
