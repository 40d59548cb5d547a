#include "gui/pages/detail/save_file.h"

#include <QCoreApplication>
#include <QPointer>
#include <QSaveFile>
#include <QThreadPool>

namespace restante::gui {

namespace {

QString write(const QString& path, const QByteArray& content)
{
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(content) == content.size() && file.commit()) {
        return {};
    }
    return QCoreApplication::translate("SaveFile", "%1 could not be written: %2")
        .arg(path, file.errorString());
}

}  // namespace

void saveFile(const QString& path,
              const QByteArray& content,
              QObject* receiver,
              std::function<void(const QString& problem)> done)
{
    QPointer<QObject> guard(receiver);
    QThreadPool::globalInstance()->start([path, content, guard, done = std::move(done)] {
        const auto problem = write(path, content);
        // By way of the application: the receiver may die while this thread is on its way to it.
        QMetaObject::invokeMethod(QCoreApplication::instance(), [guard, done, problem] {
            if (guard != nullptr) {
                done(problem);
            }
        });
    });
}

}  // namespace restante::gui
