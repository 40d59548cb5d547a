#include "gui/operations/import_file.h"

#include "core/json/document.h"
#include "core/json/export_json.h"
#include "core/queue/topic.h"

#include <QCoreApplication>

#include <nlohmann/json.hpp>

namespace restante::gui {

ImportFile::Piece ImportFile::next(std::size_t maxLines)
{
    Piece piece;
    if (!file_.isOpen() && !file_.open(QIODevice::ReadOnly)) {
        piece.unreadable = QCoreApplication::translate("Import", "%1 cannot be read: %2")
                               .arg(file_.fileName(), file_.errorString());
        return piece;
    }
    for (std::size_t count = 0; count < maxLines && !file_.atEnd(); ++count) {
        const auto line = file_.readLine(kMaxLineBytes);
        ++lineNumber_;
        if (line.size() >= kMaxLineBytes - 1 && !line.endsWith('\n')) {
            piece.unreadable =
                QCoreApplication::translate("Import", "Line %1 is longer than any job")
                    .arg(lineNumber_);
            return piece;
        }
        const auto trimmed = line.trimmed();
        if (!trimmed.isEmpty()) {
            read(trimmed.toStdString(), piece);
        }
    }
    piece.atEnd = file_.atEnd();
    if (file_.error() != QFileDevice::NoError) {
        piece.unreadable = file_.errorString();
    }
    return piece;
}

void ImportFile::read(const std::string& text, Piece& piece)
{
    const auto refuse = [&](const std::string& why) {
        ++piece.wrong;
        if (piece.problems.size() < kMaxListedProblems) {
            piece.problems.emplace_back(lineNumber_, why);
        }
    };
    auto document = json::parseDocument(text);
    if (!document) {
        return refuse(json::errorOf(document.error()).message);
    }
    if (document->is_object() && document->contains("body_redacted")) {
        return refuse("body: was left out of this export; it cannot be brought back");
    }
    if (document->is_object()) {
        // An export adds the history for people; it is no part of the job.
        document->erase("history");
    }
    auto exported = json::exportedOf(*document);
    if (!exported) {
        return refuse(json::errorOf(exported.error()).message);
    }
    if (std::holds_alternative<StoreShape>(*exported)) {
        return;  // the store of a console exists already: its shards are fixed
    }
    auto* view = std::get_if<JobView>(&*exported);
    if (view == nullptr) {
        piece.nonJobLines.push_back({lineNumber_, std::move(*exported)});
        return;
    }
    // The store checks the configured limits.
    JobLimits limits;
    limits.body = std::max(limits.body, view->job.body.size());
    if (auto sound = validate(view->job, limits); !sound) {
        return refuse(sound.error().message);
    }
    if (!isForStore(*view)) {
        ++piece.doneJobs;
        return;
    }
    piece.jobLines.push_back({lineNumber_, std::move(*exported)});
}

void ImportFile::rewind()
{
    if (file_.isOpen()) {
        file_.seek(0);
    }
    lineNumber_ = 0;
}

}  // namespace restante::gui
