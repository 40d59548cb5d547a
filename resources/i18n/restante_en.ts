<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US" sourcelanguage="en_US">
<context>
    <name>ActionRegistry</name>
    <message>
        <source>&amp;New Connection…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Describe a store and connect to it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Open Connection…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose among the connections, or change them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Disconnect</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close this connection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write what is selected, or all that match, to a file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Import…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bring jobs back from a file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>End the console; it asks only when tasks are running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take the last step back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Do again what was undone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the selected rows, separated by tabs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy as &amp;JSON</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the selected rows as JSON</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy &amp;Id</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the ids of the selected jobs, one a line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select &amp;All Rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select the rows that are loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select All &amp;Matching</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select every job that the filter matches, on screen or not</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select &amp;None</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clear the selection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Find…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to the filter box, or search in the payload</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find Ne&amp;xt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The next place in the payload</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find Pre&amp;vious</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The place before in the payload</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>C&amp;lear Filter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show every job of this state again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Preferences…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language, colours, times, confirmations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Refresh</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask the store again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Live Update</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Follow what happens in the store</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Jobs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The table of jobs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Queues</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Topics, what waits in them and what holds them back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Monitor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rates, backlog and lateness over time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Audit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Who changed what, when and why</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Tasks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is going on at length, with its progress and failures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Sidebar</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show or hide states, kinds, topics and saved views</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Detail</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show or hide what is known about the current job</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Columns…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose and order the columns of the table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset La&amp;yout</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Columns, panels and sizes as they came</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show all that is known about this job</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open in New &amp;Window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show this job in a window of its own</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Run Now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make it due at once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Re&amp;schedule…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose when it is due</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Hold</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep it back until it is released</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Res&amp;tore</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Put it back where it was, with its due time and attempts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move to &amp;Trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete it; it can be restored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Delete for Good…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete it; nothing brings it back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>D&amp;uplicate…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make a new job like this one and leave this one alone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;New Job…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Push a job</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New Re&amp;minder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send somebody a text later, once or again and again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Go to Job…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find a job by its id</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Pause…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Give out nothing of this topic until it is resumed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Command Palette…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find any command, view, connection or job by its name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How to use this console, and how to write a filter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Shortcuts…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look up and change the keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;About Restante</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Versions and licences</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Channel</name>
    <message>
        <source>Pull</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SIP</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SMS</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Webhook</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>State</name>
    <message>
        <source>Scheduled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leased</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Held</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dead</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Done</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>restante::gui::ActionRegistry</name>
    <message>
        <source>There is no connection.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select a job first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select one job first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select a topic first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing that is selected is in a state for that.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Re&amp;lease</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Hold</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Resume</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Pause…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>restante::gui::JobCommands</name>
    <message>
        <source>This connection is read-only: change its mode to write.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no connection at the moment.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>restante::gui::MainWindow</name>
    <message>
        <source>&amp;File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Job</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Queue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mode of the connection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restante Console</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not connected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2 ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connection lost</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Closed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PRODUCTION: writes to many jobs need confirmation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read-only: nothing can be changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>read-only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>read and write</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 - %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
