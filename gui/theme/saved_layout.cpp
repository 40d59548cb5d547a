#include "gui/theme/saved_layout.h"

#include "gui/base/preferences.h"

#include <QDockWidget>
#include <QEvent>
#include <QMainWindow>
#include <QSplitter>

#include <chrono>

namespace restante::gui {

namespace {

/// A window that is dragged changes with every step of the mouse.
constexpr std::chrono::milliseconds kSaveDelay{300};

/// What is appended to the key of a window.
const QString kGeometrySuffix = QStringLiteral("/geometry");
const QString kStateSuffix = QStringLiteral("/state");

}  // namespace

void rememberSplitter(QSplitter& splitter, Preferences& preferences, const QString& key)
{
    const auto defaultState = splitter.saveState();
    splitter.restoreState(preferences.layout(key));
    QObject::connect(
        &splitter, &QSplitter::splitterMoved, &splitter,
        [&splitter, &preferences, key] { preferences.setLayout(key, splitter.saveState()); });
    QObject::connect(&preferences, &Preferences::layoutsForgotten, &splitter,
                     [&splitter, defaultState] { splitter.restoreState(defaultState); });
}

WindowStateSaver::WindowStateSaver(QWidget& window,
                                   Preferences& preferences,
                                   const QString& key,
                                   int version)
    : QObject(&window),
      window_(window),
      mainWindow_(qobject_cast<QMainWindow*>(&window)),
      preferences_(preferences),
      key_(key),
      version_(version),
      defaultState_(mainWindow_ != nullptr ? mainWindow_->saveState(version) : QByteArray()),
      defaultSize_(window.size())
{
    restore();
    saveTimer_.setSingleShot(true);
    saveTimer_.setInterval(kSaveDelay);
    connect(&saveTimer_, &QTimer::timeout, this, &WindowStateSaver::save);
    connect(&preferences_, &Preferences::layoutsForgotten, this,
            &WindowStateSaver::restoreDefaults);
    window_.installEventFilter(this);
    for (auto* dock : window_.findChildren<QDockWidget*>()) {
        dock->installEventFilter(this);
    }
}

bool WindowStateSaver::eventFilter(QObject* watched, QEvent* event)
{
    switch (event->type()) {
    case QEvent::Move:
    case QEvent::Resize:
    case QEvent::WindowStateChange:
    case QEvent::ShowToParent:
    case QEvent::HideToParent:
        if (window_.isVisible()) {
            saveTimer_.start();
        }
        break;
    case QEvent::Close:
        if (watched == &window_) {
            save();
        }
        break;
    default: break;
    }
    return QObject::eventFilter(watched, event);
}

void WindowStateSaver::restore()
{
    window_.restoreGeometry(preferences_.layout(key_ + kGeometrySuffix));
    if (mainWindow_ != nullptr) {
        mainWindow_->restoreState(preferences_.layout(key_ + kStateSuffix), version_);
    }
}

void WindowStateSaver::save()
{
    saveTimer_.stop();
    preferences_.setLayout(key_ + kGeometrySuffix, window_.saveGeometry());
    if (mainWindow_ != nullptr) {
        preferences_.setLayout(key_ + kStateSuffix, mainWindow_->saveState(version_));
    }
}

void WindowStateSaver::restoreDefaults()
{
    window_.setWindowState(window_.windowState() & ~(Qt::WindowMaximized | Qt::WindowFullScreen));
    window_.resize(defaultSize_);
    if (mainWindow_ != nullptr) {
        mainWindow_->restoreState(defaultState_, version_);
    }
}

}  // namespace restante::gui
