<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US" sourcelanguage="en_US">
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
    <name>Verb</name>
    <message numerus="yes">
        <source>%Ln job(s)</source>
        <translation>
            <numerusform>%Ln job</numerusform>
            <numerusform>%Ln jobs</numerusform>
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
    <name>restante::gui::AttemptsTab</name>
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
    <name>restante::gui::QueuesPage</name>
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
</TS>
