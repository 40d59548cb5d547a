#pragma once

#include "gui/session/job_source.h"

#include <vector>

namespace restante::gui {

class TimeText;

/// "olga@ops moved the due time of order-1 from ... to ...": a write as a sentence, with the values
/// before and after where they were recorded. *Pure.*
QString auditSentence(const AuditRow& row, const TimeText& times);
/// "olga@ops moved 120 jobs to the trash": a request on many jobs, given all of its rows. *Pure.*
QString auditSentenceOfMany(const std::vector<AuditRow>& rows, const TimeText& times);

/// Whether two consecutive writes, `newer` being the later one, belong to one request on many jobs.
/// Rows without a request id are compared by actor, verb, reason and time. *Pure.*
bool areOneRequest(const AuditRow& newer, const AuditRow& older);

/// Whether a write of that verb concerns jobs, not a topic or a person. True for an unknown verb.
/// *Pure.*
bool isAboutJobs(const QString& verb);

}  // namespace restante::gui
