<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en_US">
<context>
    <name>ActionRegistry</name>
    <message>
        <source>&amp;New Connection…</source>
        <translation>新建连接(&amp;N)…</translation>
    </message>
    <message>
        <source>Describe a store and connect to it</source>
        <translation>描述一个存储并连接</translation>
    </message>
    <message>
        <source>&amp;Open Connection…</source>
        <translation>打开连接(&amp;O)…</translation>
    </message>
    <message>
        <source>Choose among the connections, or change them</source>
        <translation>选择或修改连接</translation>
    </message>
    <message>
        <source>&amp;Disconnect</source>
        <translation>断开连接(&amp;D)</translation>
    </message>
    <message>
        <source>Close this connection</source>
        <translation>关闭当前连接</translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <translation>导出(&amp;E)…</translation>
    </message>
    <message>
        <source>Write what is selected, or all that match, to a file</source>
        <translation>将所选或全部匹配的任务写入文件</translation>
    </message>
    <message>
        <source>&amp;Import…</source>
        <translation>导入(&amp;I)…</translation>
    </message>
    <message>
        <source>Bring jobs back from a file</source>
        <translation>从文件导入任务</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>End the console; it asks only when tasks are running</source>
        <translation>退出控制台；仅在有操作进行时询问</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>Take the last step back</source>
        <translation>撤销上一步</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>Do again what was undone</source>
        <translation>重做已撤销的操作</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>Copy the selected rows, separated by tabs</source>
        <translation>复制所选行，以制表符分隔</translation>
    </message>
    <message>
        <source>Copy as &amp;JSON</source>
        <translation>复制为 JSON(&amp;J)</translation>
    </message>
    <message>
        <source>Copy the selected rows as JSON</source>
        <translation>将所选行复制为 JSON</translation>
    </message>
    <message>
        <source>Copy &amp;Id</source>
        <translation>复制编号(&amp;I)</translation>
    </message>
    <message>
        <source>Copy the ids of the selected jobs, one a line</source>
        <translation>复制所选任务的编号，每行一个</translation>
    </message>
    <message>
        <source>Select &amp;All Rows</source>
        <translation>选择全部行(&amp;A)</translation>
    </message>
    <message>
        <source>Select the rows that are loaded</source>
        <translation>选择已加载的行</translation>
    </message>
    <message>
        <source>Select All &amp;Matching</source>
        <translation>选择全部匹配项(&amp;M)</translation>
    </message>
    <message>
        <source>Select every job that the filter matches, on screen or not</source>
        <translation>选择筛选条件匹配的所有任务，无论是否显示在屏幕上</translation>
    </message>
    <message>
        <source>Select &amp;None</source>
        <translation>取消选择(&amp;N)</translation>
    </message>
    <message>
        <source>Clear the selection</source>
        <translation>清除选择</translation>
    </message>
    <message>
        <source>&amp;Find…</source>
        <translation>查找(&amp;F)…</translation>
    </message>
    <message>
        <source>Go to the filter box, or search in the payload</source>
        <translation>转到筛选框，或在内容中查找</translation>
    </message>
    <message>
        <source>Find Ne&amp;xt</source>
        <translation>查找下一个(&amp;X)</translation>
    </message>
    <message>
        <source>The next place in the payload</source>
        <translation>内容中的下一处</translation>
    </message>
    <message>
        <source>Find Pre&amp;vious</source>
        <translation>查找上一个(&amp;V)</translation>
    </message>
    <message>
        <source>The place before in the payload</source>
        <translation>内容中的上一处</translation>
    </message>
    <message>
        <source>C&amp;lear Filter</source>
        <translation>清除筛选(&amp;L)</translation>
    </message>
    <message>
        <source>Show every job of this state again</source>
        <translation>重新显示该状态的所有任务</translation>
    </message>
    <message>
        <source>&amp;Preferences…</source>
        <translation>首选项(&amp;P)…</translation>
    </message>
    <message>
        <source>Language, colours, times, confirmations</source>
        <translation>语言、颜色、时间、确认方式</translation>
    </message>
    <message>
        <source>&amp;Refresh</source>
        <translation>刷新(&amp;R)</translation>
    </message>
    <message>
        <source>Ask the store again</source>
        <translation>重新查询存储</translation>
    </message>
    <message>
        <source>&amp;Live Update</source>
        <translation>实时更新(&amp;L)</translation>
    </message>
    <message>
        <source>Follow what happens in the store</source>
        <translation>跟踪存储中的变化</translation>
    </message>
    <message>
        <source>&amp;Jobs</source>
        <translation>任务(&amp;J)</translation>
    </message>
    <message>
        <source>The table of jobs</source>
        <translation>任务列表</translation>
    </message>
    <message>
        <source>&amp;Queues</source>
        <translation>队列(&amp;Q)</translation>
    </message>
    <message>
        <source>Topics, what waits in them and what holds them back</source>
        <translation>主题、其中等待的任务以及限制</translation>
    </message>
    <message>
        <source>&amp;Monitor</source>
        <translation>监控(&amp;M)</translation>
    </message>
    <message>
        <source>Rates, backlog and lateness over time</source>
        <translation>随时间变化的速率、积压与延迟</translation>
    </message>
    <message>
        <source>&amp;Audit</source>
        <translation>审计(&amp;A)</translation>
    </message>
    <message>
        <source>Who changed what, when and why</source>
        <translation>谁在何时、因何更改了什么</translation>
    </message>
    <message>
        <source>&amp;Tasks</source>
        <translation>操作(&amp;T)</translation>
    </message>
    <message>
        <source>What is going on at length, with its progress and failures</source>
        <translation>正在进行的操作、进度与失败</translation>
    </message>
    <message>
        <source>&amp;Sidebar</source>
        <translation>侧边栏(&amp;S)</translation>
    </message>
    <message>
        <source>Show or hide states, kinds, topics and saved views</source>
        <translation>显示或隐藏状态、类型、主题和已存视图</translation>
    </message>
    <message>
        <source>&amp;Detail</source>
        <translation>详情(&amp;D)</translation>
    </message>
    <message>
        <source>Show or hide what is known about the current job</source>
        <translation>显示或隐藏当前任务的详情</translation>
    </message>
    <message>
        <source>&amp;Columns…</source>
        <translation>列(&amp;C)…</translation>
    </message>
    <message>
        <source>Choose and order the columns of the table</source>
        <translation>选择表格的列及其顺序</translation>
    </message>
    <message>
        <source>Reset La&amp;yout</source>
        <translation>重置布局(&amp;Y)</translation>
    </message>
    <message>
        <source>Columns, panels and sizes as they came</source>
        <translation>恢复默认的列、面板和大小</translation>
    </message>
    <message>
        <source>&amp;Open</source>
        <translation>打开(&amp;O)</translation>
    </message>
    <message>
        <source>Show all that is known about this job</source>
        <translation>显示该任务的全部信息</translation>
    </message>
    <message>
        <source>Open in New &amp;Window</source>
        <translation>在新窗口中打开(&amp;W)</translation>
    </message>
    <message>
        <source>Show this job in a window of its own</source>
        <translation>在单独的窗口中显示该任务</translation>
    </message>
    <message>
        <source>&amp;Run Now</source>
        <translation>立即运行(&amp;R)</translation>
    </message>
    <message>
        <source>Make it due at once</source>
        <translation>使其立即到期</translation>
    </message>
    <message>
        <source>Re&amp;schedule…</source>
        <translation>改期(&amp;S)…</translation>
    </message>
    <message>
        <source>Choose when it is due</source>
        <translation>选择到期时间</translation>
    </message>
    <message>
        <source>&amp;Hold</source>
        <translation>暂留(&amp;H)</translation>
    </message>
    <message>
        <source>Keep it back until it is released</source>
        <translation>暂留，直到被放行</translation>
    </message>
    <message>
        <source>Res&amp;tore</source>
        <translation>恢复(&amp;T)</translation>
    </message>
    <message>
        <source>Put it back where it was, with its due time and attempts</source>
        <translation>恢复到原处，保留到期时间和尝试次数</translation>
    </message>
    <message>
        <source>Move to &amp;Trash</source>
        <translation>移到回收站(&amp;T)</translation>
    </message>
    <message>
        <source>Delete it; it can be restored</source>
        <translation>删除；可以恢复</translation>
    </message>
    <message>
        <source>&amp;Delete for Good…</source>
        <translation>永久删除(&amp;D)…</translation>
    </message>
    <message>
        <source>Delete it; nothing brings it back</source>
        <translation>删除后无法恢复</translation>
    </message>
    <message>
        <source>D&amp;uplicate…</source>
        <translation>复制为新任务(&amp;U)…</translation>
    </message>
    <message>
        <source>Make a new job like this one and leave this one alone</source>
        <translation>新建一个相同的任务，原任务保持不变</translation>
    </message>
    <message>
        <source>&amp;New Job…</source>
        <translation>新建任务(&amp;N)…</translation>
    </message>
    <message>
        <source>Push a job</source>
        <translation>添加一个任务</translation>
    </message>
    <message>
        <source>New Re&amp;minder…</source>
        <translation>新建提醒(&amp;M)…</translation>
    </message>
    <message>
        <source>Send somebody a text later, once or again and again</source>
        <translation>稍后向某人发送文本，一次或重复多次</translation>
    </message>
    <message>
        <source>&amp;Go to Job…</source>
        <translation>转到任务(&amp;G)…</translation>
    </message>
    <message>
        <source>Find a job by its id</source>
        <translation>按编号查找任务</translation>
    </message>
    <message>
        <source>&amp;Pause…</source>
        <translation>暂停(&amp;P)…</translation>
    </message>
    <message>
        <source>Give out nothing of this topic until it is resumed</source>
        <translation>在恢复之前不再发放该主题的任务</translation>
    </message>
    <message>
        <source>&amp;Command Palette…</source>
        <translation>命令面板(&amp;C)…</translation>
    </message>
    <message>
        <source>Find any command, view, connection or job by its name</source>
        <translation>按名称查找命令、视图、连接或任务</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>How to use this console, and how to write a filter</source>
        <translation>如何使用控制台，以及如何书写筛选条件</translation>
    </message>
    <message>
        <source>&amp;Shortcuts…</source>
        <translation>快捷键(&amp;S)…</translation>
    </message>
    <message>
        <source>Look up and change the keys</source>
        <translation>查看和修改快捷键</translation>
    </message>
    <message>
        <source>&amp;About Restante</source>
        <translation>关于 Restante(&amp;A)</translation>
    </message>
    <message>
        <source>Versions and licences</source>
        <translation>版本与许可</translation>
    </message>
</context>
<context>
    <name>Channel</name>
    <message>
        <source>Pull</source>
        <translation>拉取</translation>
    </message>
    <message>
        <source>SIP</source>
        <translation>SIP</translation>
    </message>
    <message>
        <source>SMS</source>
        <translation>短信</translation>
    </message>
    <message>
        <source>Webhook</source>
        <translation>Webhook</translation>
    </message>
</context>
<context>
    <name>State</name>
    <message>
        <source>Scheduled</source>
        <translation>已计划</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>Leased</source>
        <translation>处理中</translation>
    </message>
    <message>
        <source>Held</source>
        <translation>暂留</translation>
    </message>
    <message>
        <source>Dead</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Trash</source>
        <translation>回收站</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>已完成</translation>
    </message>
</context>
<context>
    <name>restante::gui::ActionRegistry</name>
    <message>
        <source>There is no connection.</source>
        <translation>没有连接。</translation>
    </message>
    <message>
        <source>Select a job first.</source>
        <translation>请先选择任务。</translation>
    </message>
    <message>
        <source>Select one job first.</source>
        <translation>请先选择一个任务。</translation>
    </message>
    <message>
        <source>Select a topic first.</source>
        <translation>请先选择主题。</translation>
    </message>
    <message>
        <source>Nothing that is selected is in a state for that.</source>
        <translation>所选任务的状态不允许此操作。</translation>
    </message>
    <message>
        <source>Re&amp;lease</source>
        <translation>放行(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Hold</source>
        <translation>暂留(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Resume</source>
        <translation>恢复发放(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Pause…</source>
        <translation>暂停(&amp;P)…</translation>
    </message>
</context>
<context>
    <name>restante::gui::JobCommands</name>
    <message>
        <source>This connection is read-only: change its mode to write.</source>
        <translation>此连接为只读：更改其模式后才能写入。</translation>
    </message>
    <message>
        <source>There is no connection at the moment.</source>
        <translation>目前没有连接。</translation>
    </message>
</context>
<context>
    <name>restante::gui::MainWindow</name>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Job</source>
        <translation>任务(&amp;J)</translation>
    </message>
    <message>
        <source>&amp;Queue</source>
        <translation>队列(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Tools</source>
        <translation>工具(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>Mode of the connection</source>
        <translation>连接模式</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>Restante Console</source>
        <translation>Restante 控制台</translation>
    </message>
    <message>
        <source>Not connected</source>
        <translation>未连接</translation>
    </message>
    <message>
        <source>%1, %2 ms</source>
        <translation>%1，%2 毫秒</translation>
    </message>
    <message>
        <source>Connection lost</source>
        <translation>连接中断</translation>
    </message>
    <message>
        <source>Closed</source>
        <translation>已关闭</translation>
    </message>
    <message>
        <source>PRODUCTION: writes to many jobs need confirmation</source>
        <translation>生产环境：批量写入需要确认</translation>
    </message>
    <message>
        <source>Read-only: nothing can be changed</source>
        <translation>只读：不能做任何更改</translation>
    </message>
    <message>
        <source>read-only</source>
        <translation>只读</translation>
    </message>
    <message>
        <source>read and write</source>
        <translation>读写</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>%1 - %2</source>
        <translation>%1 - %2</translation>
    </message>
</context>
</TS>
