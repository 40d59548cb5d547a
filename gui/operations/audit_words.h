#pragma once

#include "gui/session/job_source.h"

#include <vector>

namespace restante::gui {

class TimeText;

/// "olga@ops moved the due time of order-1 from ... to ...": a write as a sentence, with what was
/// before and after as far as it was noted. *Pure.*
QString auditSentence(const AuditRow& row, const TimeText& times);
/// "olga@ops moved 120 jobs to the trash": an order, of which each is given. *Pure.*
QString orderSentence(const std::vector<AuditRow>& order, const TimeText& times);

/// Whether two writes that follow each other, of which `newer` came last, are of one order: what
/// somebody did to many jobs, for one reason and without a pause. Nobody notes where one begins.
bool areOneOrder(const AuditRow& newer, const AuditRow& older);

/// Whether such a write is about a topic or a person, and not about a job. *Pure.*
bool isAboutTopic(const QString& verb);

}  // namespace restante::gui
