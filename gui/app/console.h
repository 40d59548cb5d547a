#pragma once

#include "gui/app/main_window.h"
#include "gui/app/preferences.h"
#include "gui/app/start_options.h"

#include <QObject>
#include <QTimer>

namespace restante::gui {

/// The program: composes the window with the connections, and opens what the command line names.
/// *Thread of the window.*
class Console : public QObject {
    Q_OBJECT

public:
    explicit Console(Preferences& preferences);
    ~Console() override;

    MainWindow& window() noexcept { return window_; }
    void start(const StartOptions& options);
    void open(const ConnectionProfile& profile, const QString& password = {});

signals:
    /// The picture has been taken, or cannot be: the program ends with this code.
    void pictureDone(int exitCode);

private:
    void waitForPicture();
    void takePicture();

    Preferences& preferences_;
    MainWindow window_;
    QString picture_;  ///< where to; empty = none is wanted
    QTimer settle_;
};

}  // namespace restante::gui
