#include "gui/base/file_writer.h"

#include <QCoreApplication>
#include <QPointer>
#include <QSaveFile>

#include <optional>
#include <utility>

namespace restante::gui {

/// Used on the worker thread only, once it was constructed.
struct FileWriter::File {
    explicit File(QString fileName) : name(std::move(fileName)) {}

    QString write(const std::string& text)
    {
        if (!problem.isEmpty() || ended) {
            return problem;
        }
        if (!file) {
            file.emplace(name);
            if (!file->open(QIODevice::WriteOnly)) {
                return fail();
            }
        }
        const auto size = static_cast<qint64>(text.size());
        return file->write(text.data(), size) == size ? QString() : fail();
    }
    QString commit()
    {
        if (write({}).isEmpty() && !ended) {
            ended = true;
            if (!file->commit()) {
                return fail();
            }
        }
        return problem;
    }
    void cancel()
    {
        ended = true;
        file.reset();  // which removes the temporary file
    }
    QString fail()
    {
        problem = QCoreApplication::translate("FileWriter", "%1 cannot be written: %2")
                      .arg(name, file->errorString());
        cancel();
        return problem;
    }

    QString name;
    std::optional<QSaveFile> file;
    QString problem;
    bool ended = false;
};

FileWriter::FileWriter(const QString& name) : file_(std::make_shared<File>(name)) {}

FileWriter::~FileWriter()
{
    cancel();
}

void FileWriter::append(MakeText makeText, QObject* receiver, Completed completed)
{
    work_.run<QString>(
        receiver,
        [file = file_, makeText = std::move(makeText)] {
            return file->problem.isEmpty() ? file->write(makeText()) : file->problem;
        },
        std::move(completed));
}

void FileWriter::commit(QObject* receiver, Completed completed)
{
    work_.run<QString>(
        receiver, [file = file_] { return file->commit(); }, std::move(completed));
}

void FileWriter::cancel()
{
    work_.finishWith([file = file_] { file->cancel(); });
}

void writeFile(const QString& name,
               std::string content,
               QObject* receiver,
               FileWriter::Completed completed)
{
    // The writer lives until the file is written, even if the receiver does not.
    auto writer = std::make_shared<FileWriter>(name);
    auto* application = QCoreApplication::instance();
    writer->append([content = std::move(content)] { return content; }, application,
                   [](const QString&) {});
    writer->commit(application, [writer, guard = QPointer<QObject>(receiver),
                                 completed = std::move(completed)](const QString& problem) {
        if (guard != nullptr) {
            completed(problem);
        }
    });
}

}  // namespace restante::gui
