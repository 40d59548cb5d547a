<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US" sourcelanguage="en_US">
<context>
    <name>Alert</name>
    <message numerus="yes">
        <source>%n job(s) have died within an hour.</source>
        <translation>
            <numerusform>%n job has died within an hour.</numerusform>
            <numerusform>%n jobs have died within an hour.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n job(s) at most</source>
        <translation>
            <numerusform>%n job at most</numerusform>
            <numerusform>%n jobs at most</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>AuditWords</name>
    <message numerus="yes">
        <source>%1 pushed %n job(s)</source>
        <translation>
            <numerusform>%1 pushed %n job</numerusform>
            <numerusform>%1 pushed %n jobs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 took %n job(s)</source>
        <translation>
            <numerusform>%1 took %n job</numerusform>
            <numerusform>%1 took %n jobs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 ran %n job(s) at once</source>
        <translation>
            <numerusform>%1 ran %n job at once</numerusform>
            <numerusform>%1 ran %n jobs at once</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 held %n job(s)</source>
        <translation>
            <numerusform>%1 held %n job</numerusform>
            <numerusform>%1 held %n jobs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 released %n job(s)</source>
        <translation>
            <numerusform>%1 released %n job</numerusform>
            <numerusform>%1 released %n jobs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 finished %n job(s)</source>
        <translation>
            <numerusform>%1 finished %n job</numerusform>
            <numerusform>%1 finished %n jobs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 gave %n job(s) up</source>
        <translation>
            <numerusform>%1 gave %n job up</numerusform>
            <numerusform>%1 gave %n jobs up</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 moved %n job(s) to the trash</source>
        <translation>
            <numerusform>%1 moved %n job to the trash</numerusform>
            <numerusform>%1 moved %n jobs to the trash</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 put %n job(s) back where they were</source>
        <translation>
            <numerusform>%1 put %n job back where it was</numerusform>
            <numerusform>%1 put %n jobs back where they were</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 deleted %n job(s) for good</source>
        <translation>
            <numerusform>%1 deleted %n job for good</numerusform>
            <numerusform>%1 deleted %n jobs for good</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 brought %n job(s) back from the journal</source>
        <translation>
            <numerusform>%1 brought %n job back from the journal</numerusform>
            <numerusform>%1 brought %n jobs back from the journal</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 repaired %n job(s)</source>
        <translation>
            <numerusform>%1 repaired %n job</numerusform>
            <numerusform>%1 repaired %n jobs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 gave %n job(s) another due time</source>
        <translation>
            <numerusform>%1 gave %n job another due time</numerusform>
            <numerusform>%1 gave %n jobs another due time</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 moved the due times of %n job(s) to %2</source>
        <translation>
            <numerusform>%1 moved the due time of %n job to %2</numerusform>
            <numerusform>%1 moved the due times of %n jobs to %2</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: %2, %n job(s)</source>
        <comment>who: the word of a deed</comment>
        <translation>
            <numerusform>%1: %2, %n job</numerusform>
            <numerusform>%1: %2, %n jobs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>JobFields</name>
    <message numerus="yes">
        <source>%n device(s)</source>
        <translation>
            <numerusform>%n device</numerusform>
            <numerusform>%n devices</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MailboxText</name>
    <message numerus="yes">
        <source>%Ln device(s) registered</source>
        <translation>
            <numerusform>%Ln device registered</numerusform>
            <numerusform>%Ln devices registered</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln message(s) waiting</source>
        <translation>
            <numerusform>%Ln message waiting</numerusform>
            <numerusform>%Ln messages waiting</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>NoticeText</name>
    <message numerus="yes">
        <source>None here; %Ln in all states.</source>
        <translation>
            <numerusform>None here; %Ln in all states.</numerusform>
            <numerusform>None here; %Ln in all states.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>None here; at least %Ln in all states.</source>
        <translation>
            <numerusform>None here; at least %Ln in all states.</numerusform>
            <numerusform>None here; at least %Ln in all states.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>None here; %Ln in other states.</source>
        <translation>
            <numerusform>None here; %Ln in other states.</numerusform>
            <numerusform>None here; %Ln in other states.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>None here; at least %Ln in other states.</source>
        <translation>
            <numerusform>None here; at least %Ln in other states.</numerusform>
            <numerusform>None here; at least %Ln in other states.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ProfileText</name>
    <message numerus="yes">
        <source>Give the connection a name of at most %n character(s).</source>
        <translation>
            <numerusform>Give the connection a name of at most %n character.</numerusform>
            <numerusform>Give the connection a name of at most %n characters.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SeriesText</name>
    <message numerus="yes">
        <source>every %Ln hour(s)</source>
        <translation>
            <numerusform>every %Ln hour</numerusform>
            <numerusform>every %Ln hours</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>every %Ln minute(s)</source>
        <translation>
            <numerusform>every %Ln minute</numerusform>
            <numerusform>every %Ln minutes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>every %Ln second(s)</source>
        <translation>
            <numerusform>every second</numerusform>
            <numerusform>every %Ln seconds</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>every %Ln week(s) on %1 at %2</source>
        <comment>days, time</comment>
        <translation>
            <numerusform>every %Ln week on %1 at %2</numerusform>
            <numerusform>every %Ln weeks on %1 at %2</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>every %Ln day(s) at %1</source>
        <translation>
            <numerusform>every %Ln day at %1</numerusform>
            <numerusform>every %Ln days at %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>every %Ln month(s) on day %1 at %2</source>
        <translation>
            <numerusform>every %Ln month on day %1 at %2</numerusform>
            <numerusform>every %Ln months on day %1 at %2</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>after %Ln time(s)</source>
        <translation>
            <numerusform>after one time</numerusform>
            <numerusform>after %Ln times</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Verb</name>
    <message numerus="yes">
        <source>%Ln job(s)</source>
        <translation>
            <numerusform>%Ln job</numerusform>
            <numerusform>%Ln jobs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Run %Ln job(s) now</source>
        <translation>
            <numerusform>Run %Ln job now</numerusform>
            <numerusform>Run %Ln jobs now</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln job(s) set going</source>
        <translation>
            <numerusform>%Ln job set going</numerusform>
            <numerusform>%Ln jobs set going</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Reschedule %Ln job(s)</source>
        <translation>
            <numerusform>Reschedule %Ln job</numerusform>
            <numerusform>Reschedule %Ln jobs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln job(s) rescheduled</source>
        <translation>
            <numerusform>%Ln job rescheduled</numerusform>
            <numerusform>%Ln jobs rescheduled</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Release %Ln job(s)</source>
        <translation>
            <numerusform>Release %Ln job</numerusform>
            <numerusform>Release %Ln jobs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln job(s) released</source>
        <translation>
            <numerusform>%Ln job released</numerusform>
            <numerusform>%Ln jobs released</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Hold %Ln job(s)</source>
        <translation>
            <numerusform>Hold %Ln job</numerusform>
            <numerusform>Hold %Ln jobs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln job(s) held</source>
        <translation>
            <numerusform>%Ln job held</numerusform>
            <numerusform>%Ln jobs held</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Finish %Ln job(s)</source>
        <translation>
            <numerusform>Finish %Ln job</numerusform>
            <numerusform>Finish %Ln jobs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln job(s) finished</source>
        <translation>
            <numerusform>%Ln job finished</numerusform>
            <numerusform>%Ln jobs finished</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Give %Ln job(s) up</source>
        <translation>
            <numerusform>Give %Ln job up</numerusform>
            <numerusform>Give %Ln jobs up</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln job(s) given up</source>
        <translation>
            <numerusform>%Ln job given up</numerusform>
            <numerusform>%Ln jobs given up</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Move %Ln job(s) to the trash</source>
        <translation>
            <numerusform>Move %Ln job to the trash</numerusform>
            <numerusform>Move %Ln jobs to the trash</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln job(s) moved to the trash</source>
        <translation>
            <numerusform>%Ln job moved to the trash</numerusform>
            <numerusform>%Ln jobs moved to the trash</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Restore %Ln job(s)</source>
        <translation>
            <numerusform>Restore %Ln job</numerusform>
            <numerusform>Restore %Ln jobs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln job(s) restored</source>
        <translation>
            <numerusform>%Ln job restored</numerusform>
            <numerusform>%Ln jobs restored</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %Ln job(s) for good</source>
        <translation>
            <numerusform>Delete %Ln job for good</numerusform>
            <numerusform>Delete %Ln jobs for good</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln job(s) deleted for good</source>
        <translation>
            <numerusform>%Ln job deleted for good</numerusform>
            <numerusform>%Ln jobs deleted for good</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>WaitingText</name>
    <message numerus="yes">
        <source>Given up at %1 after %Ln attempt(s).</source>
        <translation>
            <numerusform>Given up at %1 after %Ln attempt.</numerusform>
            <numerusform>Given up at %1 after %Ln attempts.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Given up at %1 after %Ln attempt(s): %2.</source>
        <translation>
            <numerusform>Given up at %1 after %Ln attempt: %2.</numerusform>
            <numerusform>Given up at %1 after %Ln attempts: %2.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>restante::gui::AlertButton</name>
    <message numerus="yes">
        <source>%n alert(s)</source>
        <translation>
            <numerusform>%n alert</numerusform>
            <numerusform>%n alerts</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n alert(s) acknowledged</source>
        <translation>
            <numerusform>%n alert acknowledged</numerusform>
            <numerusform>%n alerts acknowledged</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>restante::gui::AlertPanel</name>
    <message numerus="yes">
        <source>%n alert(s) fire</source>
        <translation>
            <numerusform>%n alert fires</numerusform>
            <numerusform>%n alerts fire</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>restante::gui::AlertStrip</name>
    <message numerus="yes">
        <source>%1 %n more alert(s).</source>
        <translation>
            <numerusform>%1 %n more alert.</numerusform>
            <numerusform>%1 %n more alerts.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>restante::gui::AttemptsTab</name>
    <message numerus="yes">
        <source>What was sent in %Ln attempt(s) is not known, because no journal keeps it.</source>
        <translation>
            <numerusform>What was sent in %Ln attempt is not known, because no journal keeps it.</numerusform>
            <numerusform>What was sent in %Ln attempts is not known, because no journal keeps it.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln lease(s).</source>
        <translation>
            <numerusform>%Ln lease.</numerusform>
            <numerusform>%Ln leases.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Nothing was sent %Ln time(s), because no device was registered; the last time at %1.</source>
        <translation>
            <numerusform>Nothing was sent %Ln time, because no device was registered; the last time at %1.</numerusform>
            <numerusform>Nothing was sent %Ln times, because no device was registered; the last time at %1.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>It was taken up %Ln time(s) without anything being sent; the last time at %1.</source>
        <translation>
            <numerusform>It was taken up once without anything being sent; the last time at %1.</numerusform>
            <numerusform>It was taken up %Ln times without anything being sent; the last time at %1.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>It was taken up %Ln time(s) without anything being sent; the last time at %1: %2</source>
        <translation>
            <numerusform>It was taken up once without anything being sent; the last time at %1: %2</numerusform>
            <numerusform>It was taken up %Ln times without anything being sent; the last time at %1: %2</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>restante::gui::AuditPage</name>
    <message numerus="yes">
        <source>Exporting: %n row(s) so far</source>
        <translation>
            <numerusform>Exporting: %n row so far</numerusform>
            <numerusform>Exporting: %n rows so far</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n row(s) written to %1</source>
        <translation>
            <numerusform>%n row written to %1</numerusform>
            <numerusform>%n rows written to %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n write(s)</source>
        <translation>
            <numerusform>%n write</numerusform>
            <numerusform>%n writes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The newest %n write(s); scroll down for more</source>
        <translation>
            <numerusform>The newest write; scroll down for more</numerusform>
            <numerusform>The newest %n writes; scroll down for more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>restante::gui::ConfirmDialog</name>
    <message numerus="yes">
        <source>%Ln job(s) no longer match and will be skipped.</source>
        <translation>
            <numerusform>%Ln job no longer matches and will be skipped.</numerusform>
            <numerusform>%Ln jobs no longer match and will be skipped.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln job(s) came in after you selected and will be left alone.</source>
        <translation>
            <numerusform>%Ln job came in after you selected and will be left alone.</numerusform>
            <numerusform>%Ln jobs came in after you selected and will be left alone.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>restante::gui::Console</name>
    <message numerus="yes">
        <source>%1: %Ln task(s)</source>
        <translation>
            <numerusform>%1: %Ln task</numerusform>
            <numerusform>%1: %Ln tasks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln task(s) are running and will be stopped.</source>
        <translation>
            <numerusform>%Ln task is running and will be stopped.</numerusform>
            <numerusform>%Ln tasks are running and will be stopped.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>restante::gui::FacetSidebar</name>
    <message numerus="yes">
        <source>%n more topic(s)</source>
        <translation>
            <numerusform>%n more topic</numerusform>
            <numerusform>%n more topics</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more reason(s)</source>
        <translation>
            <numerusform>%n more reason</numerusform>
            <numerusform>%n more reasons</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>&amp;Retry These %Ln Job(s)</source>
        <translation>
            <numerusform>&amp;Retry This %Ln Job</numerusform>
            <numerusform>&amp;Retry These %Ln Jobs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>restante::gui::HistoryTab</name>
    <message numerus="yes">
        <source>%n transition(s), oldest first</source>
        <translation>
            <numerusform>%n transition, oldest first</numerusform>
            <numerusform>%n transitions, oldest first</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>restante::gui::ImportDialog</name>
    <message numerus="yes">
        <source>%Ln line(s) are wrong, so nothing is stored. Mend the file first.</source>
        <translation>
            <numerusform>%Ln line is wrong, so nothing is stored. Mend the file first.</numerusform>
            <numerusform>%Ln lines are wrong, so nothing is stored. Mend the file first.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>restante::gui::JobsMenus</name>
    <message numerus="yes">
        <source>Copied the %n job(s) that are loaded; an export writes all that are selected</source>
        <translation>
            <numerusform>Copied the one job that is loaded; an export writes all that are selected</numerusform>
            <numerusform>Copied the %n jobs that are loaded; an export writes all that are selected</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Copied %n job(s)</source>
        <translation>
            <numerusform>Copied %n job</numerusform>
            <numerusform>Copied %n jobs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>restante::gui::MailboxesPage</name>
    <message numerus="yes">
        <source>%Ln mailbox(es)</source>
        <translation>
            <numerusform>%Ln mailbox</numerusform>
            <numerusform>%Ln mailboxes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln message(s)</source>
        <translation>
            <numerusform>%Ln message</numerusform>
            <numerusform>%Ln messages</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>restante::gui::MainWindow</name>
    <message numerus="yes">
        <source>%n task(s) are running and will be stopped.</source>
        <translation>
            <numerusform>%n task is running and will be stopped.</numerusform>
            <numerusform>%n tasks are running and will be stopped.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 Trying again in %n second(s).</source>
        <translation>
            <numerusform>%1 Trying again in %n second.</numerusform>
            <numerusform>%1 Trying again in %n seconds.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>restante::gui::MonitorPage</name>
    <message numerus="yes">
        <source>%n row(s) written to %1</source>
        <translation>
            <numerusform>%n row written to %1</numerusform>
            <numerusform>%n rows written to %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>restante::gui::OverviewPage</name>
    <message numerus="yes">
        <source>%n daemon(s) deliver</source>
        <translation>
            <numerusform>%n daemon delivers</numerusform>
            <numerusform>%n daemons deliver</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hang(s) in part</source>
        <comment>daemons</comment>
        <translation>
            <numerusform>%n hangs in part</numerusform>
            <numerusform>%n hang in part</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>restante::gui::PersonPane</name>
    <message numerus="yes">
        <source>%Ln message(s) waiting</source>
        <translation>
            <numerusform>%Ln message waiting</numerusform>
            <numerusform>%Ln messages waiting</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The newest %1 of %Ln message(s)</source>
        <translation>
            <numerusform>The newest %1 of %Ln message</numerusform>
            <numerusform>The newest %1 of %Ln messages</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>restante::gui::Rail</name>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>restante::gui::RelatedTab</name>
    <message numerus="yes">
        <source>%n other job(s)</source>
        <translation>
            <numerusform>%n other job</numerusform>
            <numerusform>%n other jobs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>restante::gui::RemindersPage</name>
    <message numerus="yes">
        <source>%Ln recurring reminder(s)</source>
        <translation>
            <numerusform>%Ln recurring reminder</numerusform>
            <numerusform>%Ln recurring reminders</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln paused</source>
        <translation>
            <numerusform>%Ln paused</numerusform>
            <numerusform>%Ln paused</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>restante::gui::TopicsModel</name>
    <message numerus="yes">
        <source>%Ln ready</source>
        <translation>
            <numerusform>%Ln ready</numerusform>
            <numerusform>%Ln ready</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln scheduled</source>
        <translation>
            <numerusform>%Ln scheduled</numerusform>
            <numerusform>%Ln scheduled</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln retrying</source>
        <translation>
            <numerusform>%Ln retrying</numerusform>
            <numerusform>%Ln retrying</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln leased</source>
        <translation>
            <numerusform>%Ln leased</numerusform>
            <numerusform>%Ln leased</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln held</source>
        <translation>
            <numerusform>%Ln held</numerusform>
            <numerusform>%Ln held</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln dead</source>
        <translation>
            <numerusform>%Ln dead</numerusform>
            <numerusform>%Ln dead</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>restante::gui::TopicsPage</name>
    <message numerus="yes">
        <source>%n topic(s)</source>
        <translation>
            <numerusform>%n topic</numerusform>
            <numerusform>%n topics</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n paused</source>
        <translation>
            <numerusform>%n paused</numerusform>
            <numerusform>%n paused</numerusform>
        </translation>
    </message>
</context>
</TS>
