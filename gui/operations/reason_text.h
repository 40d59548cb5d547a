#pragma once

#include <QString>

namespace restante::gui {

/// A stored reason in the language of the console. Reasons that Restante writes are translated,
/// also in front of what somebody wrote ("undo: by mistake"); what people wrote stays as it is.
/// *Pure.*
QString reasonText(const QString& reason);

/// The reason that is stored when all jobs with the same last error are retried; reasonText()
/// translates it.
QString groupRetryReason(const QString& error);
/// The error in a reason of groupRetryReason(); empty for any other reason.
QString errorOfGroupRetry(const QString& reason);

}  // namespace restante::gui
