#include "gui/pages/jobs/saved_views.h"

#include "gui/base/preferences.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace restante::gui {

namespace {

const QString kSavedViewsKey = QStringLiteral("jobs/savedViews");

QJsonObject toJson(const SavedView& saved)
{
    const auto& view = saved.view;
    QJsonArray states;
    for (const auto state : view.states) {
        states.append(QString::fromLatin1(name(state)));
    }
    return {{QStringLiteral("name"), saved.name},
            {QStringLiteral("filter"), QString::fromStdString(view.filter.text())},
            {QStringLiteral("states"), states},
            {QStringLiteral("channel"),
             view.channel ? QString::fromLatin1(name(*view.channel)) : QString()},
            {QStringLiteral("topic"), QString::fromStdString(view.topic)},
            {QStringLiteral("error"), QString::fromStdString(view.error)},
            {QStringLiteral("retrying"), view.retrying},
            {QStringLiteral("descending"), view.descending}};
}

std::optional<SavedView> savedViewFromJson(const QJsonObject& object)
{
    SavedView saved;
    saved.name = object.value(QLatin1String("name")).toString();
    const auto filter =
        JobFilter::parse(object.value(QLatin1String("filter")).toString().toStdString());
    if (saved.name.isEmpty() || !filter) {
        return {};
    }
    saved.view.filter = *filter;
    for (const auto& value : object.value(QLatin1String("states")).toArray()) {
        if (const auto state = jobStateNamed(value.toString().toStdString())) {
            saved.view.states.push_back(*state);
        }
    }
    saved.view.channel =
        channelNamed(object.value(QLatin1String("channel")).toString().toStdString());
    saved.view.topic = object.value(QLatin1String("topic")).toString().toStdString();
    saved.view.error = object.value(QLatin1String("error")).toString().toStdString();
    saved.view.retrying = object.value(QLatin1String("retrying")).toBool();
    saved.view.descending = object.value(QLatin1String("descending")).toBool();
    return saved;
}

}  // namespace

SavedViews::SavedViews(Preferences& preferences, QObject* parent)
    : QObject(parent),
      preferences_(preferences),
      lastKnownText_(preferences.value(kSavedViewsKey).toString())
{
    // Another window may have changed the views.
    connect(&preferences, &Preferences::changed, this, [this] {
        if (const auto kept = preferences_.value(kSavedViewsKey).toString();
            kept != lastKnownText_) {
            lastKnownText_ = kept;
            emit changed();
        }
    });
}

std::vector<SavedView> SavedViews::all() const
{
    const auto text = preferences_.value(kSavedViewsKey).toString().toUtf8();
    std::vector<SavedView> views;
    for (const auto& value : QJsonDocument::fromJson(text).array()) {
        if (auto saved = savedViewFromJson(value.toObject())) {
            views.push_back(std::move(*saved));
        }
    }
    std::sort(views.begin(), views.end(), [](const SavedView& a, const SavedView& b) {
        return a.name.localeAwareCompare(b.name) < 0;
    });
    return views;
}

std::optional<SavedView> SavedViews::find(const QString& name) const
{
    for (auto& saved : all()) {
        if (saved.name == name) {
            return saved;
        }
    }
    return {};
}

void SavedViews::save(const SavedView& view)
{
    auto views = all();
    std::erase_if(views, [&](const SavedView& saved) { return saved.name == view.name; });
    views.push_back(view);
    write(views);
}

void SavedViews::remove(const QString& name)
{
    auto views = all();
    std::erase_if(views, [&](const SavedView& saved) { return saved.name == name; });
    write(views);
}

bool SavedViews::rename(const QString& from, const QString& to)
{
    auto saved = find(from);
    if (!saved || to.trimmed().isEmpty() || find(to.trimmed())) {
        return false;
    }
    auto views = all();
    for (auto& view : views) {
        if (view.name == from) {
            view.name = to.trimmed();
        }
    }
    write(views);
    return true;
}

void SavedViews::write(const std::vector<SavedView>& views)
{
    QJsonArray array;
    for (const auto& saved : views) {
        array.append(toJson(saved));
    }
    preferences_.setValue(kSavedViewsKey,
                          QString::fromUtf8(QJsonDocument(array).toJson(QJsonDocument::Compact)));
}

}  // namespace restante::gui
