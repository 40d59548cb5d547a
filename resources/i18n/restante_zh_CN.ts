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
    <message>
        <source>Detail on the Ri&amp;ght</source>
        <translation>详情在右侧(&amp;G)</translation>
    </message>
    <message>
        <source>Show the current job beside the table, not below it</source>
        <translation>在表格旁而不是下方显示当前任务</translation>
    </message>
    <message>
        <source>R&amp;estore</source>
        <translation>恢复(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Overview</source>
        <translation>概览(&amp;O)</translation>
    </message>
    <message>
        <source>Whether it delivers, what is stuck, and what to do about it</source>
        <translation>是否在投递、卡在哪里、该怎么办</translation>
    </message>
    <message>
        <source>Mail&amp;boxes</source>
        <translation>信箱(&amp;B)</translation>
    </message>
    <message>
        <source>Recipients with what waits for them, and their devices</source>
        <translation>收件人、等待他们的消息以及他们的设备</translation>
    </message>
    <message>
        <source>To&amp;pics</source>
        <translation>主题(&amp;P)</translation>
    </message>
    <message>
        <source>Remi&amp;nders</source>
        <translation>提醒(&amp;N)</translation>
    </message>
    <message>
        <source>Recurring reminders: to whom, how often, what, and when they come next</source>
        <translation>周期提醒：发给谁、多久一次、内容以及下次时间</translation>
    </message>
    <message>
        <source>Send Test Mess&amp;age…</source>
        <translation>发送测试消息(&amp;A)…</translation>
    </message>
    <message>
        <source>Send somebody a SIP message, and watch what becomes of it</source>
        <translation>向某人发送一条 SIP 消息，并跟踪它的结果</translation>
    </message>
    <message>
        <source>New &amp;Window…</source>
        <translation>新建窗口(&amp;W)…</translation>
    </message>
    <message>
        <source>Open a store in a window of its own, beside this one</source>
        <translation>在另一个窗口中打开一个存储</translation>
    </message>
    <message>
        <source>Export C&amp;hart…</source>
        <translation>导出图表(&amp;H)…</translation>
    </message>
    <message>
        <source>Write a chart of the monitor to a file, as a picture</source>
        <translation>把监控页的图表存成图片文件</translation>
    </message>
    <message>
        <source>&amp;Close Window</source>
        <translation>关闭窗口(&amp;C)</translation>
    </message>
    <message>
        <source>Close this window; the others stay</source>
        <translation>关闭此窗口，其他窗口保持打开</translation>
    </message>
    <message>
        <source>Close all windows; it asks only when tasks are running</source>
        <translation>关闭所有窗口；仅在有操作进行时询问</translation>
    </message>
    <message>
        <source>Al&amp;erts</source>
        <translation>告警(&amp;E)</translation>
    </message>
    <message>
        <source>What fires now and what has, with where to mend it</source>
        <translation>正在触发和曾经触发的告警，以及去哪里处理</translation>
    </message>
    <message>
        <source>C&amp;hart Range…</source>
        <translation>图表范围(&amp;H)…</translation>
    </message>
    <message>
        <source>Choose from when to when the charts of the monitor go</source>
        <translation>选择监控图表的起止时间</translation>
    </message>
    <message>
        <source>Reset &amp;Zoom</source>
        <translation>还原缩放(&amp;Z)</translation>
    </message>
    <message>
        <source>Let the charts of the monitor follow the store again</source>
        <translation>让监控图表重新跟随存储实时更新</translation>
    </message>
    <message>
        <source>Mar&amp;k Actions in Charts</source>
        <translation>在图表中标出操作(&amp;K)</translation>
    </message>
    <message>
        <source>Show in the charts when somebody paused, limited, deleted or changed many</source>
        <translation>在图表中标出有人暂停、限流、删除或批量修改的时刻</translation>
    </message>
    <message>
        <source>&amp;Mute Alerts for an Hour</source>
        <translation>告警静音一小时(&amp;M)</translation>
    </message>
    <message>
        <source>No notifications and no sound for an hour; alerts are still listed</source>
        <translation>一小时内不弹通知、不响铃；告警仍会列出</translation>
    </message>
    <message>
        <source>Alert &amp;Rules…</source>
        <translation>告警规则(&amp;R)…</translation>
    </message>
    <message>
        <source>Choose what fires, from which value on, and after how long</source>
        <translation>设置哪些规则触发、从什么值起、持续多久后触发</translation>
    </message>
    <message>
        <source>&amp;Duplicate Window</source>
        <translation>复制窗口(&amp;D)</translation>
    </message>
    <message>
        <source>Open this store a second time</source>
        <translation>再次打开此存储</translation>
    </message>
    <message>
        <source>Ne&amp;xt Window</source>
        <translation>下一个窗口(&amp;X)</translation>
    </message>
    <message>
        <source>Go to the next window of the console</source>
        <translation>转到控制台的下一个窗口</translation>
    </message>
</context>
<context>
    <name>Alert</name>
    <message>
        <source>%1 %</source>
        <comment>a share</comment>
        <translation>%1%</translation>
    </message>
    <message>
        <source>Store away</source>
        <translation>存储无响应</translation>
    </message>
    <message>
        <source>Nobody delivers</source>
        <translation>无人投递</translation>
    </message>
    <message>
        <source>Jobs are late</source>
        <translation>任务迟到</translation>
    </message>
    <message>
        <source>Jobs die</source>
        <translation>任务变为死信</translation>
    </message>
    <message>
        <source>Deliveries fail</source>
        <translation>投递失败</translation>
    </message>
    <message>
        <source>Journal down</source>
        <translation>日志库未工作</translation>
    </message>
    <message>
        <source>Journal behind</source>
        <translation>日志库落后</translation>
    </message>
    <message>
        <source>Redis refuses</source>
        <translation>Redis 拒绝写入</translation>
    </message>
    <message>
        <source>Unreadable records</source>
        <translation>无法读取的记录</translation>
    </message>
    <message>
        <source>The store does not answer this console.</source>
        <translation>存储没有应答本控制台。</translation>
    </message>
    <message>
        <source>No daemon delivers; messages and jobs wait, nothing is lost.</source>
        <translation>没有守护进程在投递；消息和任务在等待，没有丢失。</translation>
    </message>
    <message>
        <source>Ready jobs are %1 late (p99).</source>
        <translation>就绪任务迟到 %1（p99）。</translation>
    </message>
    <message numerus="yes">
        <source>%n job(s) have died within an hour.</source>
        <translation>
            <numerusform>一小时内有 %Ln 个任务变为死信。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of the attempts of the last 10 minutes have failed.</source>
        <translation>最近 10 分钟的投递尝试中有 %1 失败。</translation>
    </message>
    <message>
        <source>Nobody records into the journal; history waits in Redis.</source>
        <translation>没有进程在写日志库；历史记录暂存在 Redis 中。</translation>
    </message>
    <message>
        <source>The journal is %1 behind.</source>
        <translation>日志库落后 %1。</translation>
    </message>
    <message>
        <source>Redis refuses calls of a daemon.</source>
        <translation>Redis 拒绝了守护进程的请求。</translation>
    </message>
    <message>
        <source>There are records of a newer version.</source>
        <translation>有更新版本写入的记录。</translation>
    </message>
    <message>
        <source>%1 at most</source>
        <translation>最多 %1</translation>
    </message>
    <message numerus="yes">
        <source>%n job(s) at most</source>
        <translation>
            <numerusform>最多 %Ln 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>The store does not answer</source>
        <translation>存储没有应答</translation>
    </message>
    <message>
        <source>No daemon delivers</source>
        <translation>没有守护进程在投递</translation>
    </message>
    <message>
        <source>Lateness of ready jobs (p99) above</source>
        <translation>就绪任务的迟到时间（p99）超过</translation>
    </message>
    <message>
        <source>Jobs that die in an hour, more than</source>
        <translation>一小时内变为死信的任务多于</translation>
    </message>
    <message>
        <source>Failed attempts of 10 minutes above</source>
        <translation>10 分钟内失败的尝试占比超过</translation>
    </message>
    <message>
        <source>Nobody records into the journal</source>
        <translation>没有进程在写日志库</translation>
    </message>
    <message>
        <source>The journal is behind by more than</source>
        <translation>日志库落后超过</translation>
    </message>
    <message>
        <source>Open Overview</source>
        <translation>打开概览</translation>
    </message>
    <message>
        <source>Show Dead Jobs</source>
        <translation>查看死信</translation>
    </message>
    <message>
        <source>Show Retrying Jobs</source>
        <translation>查看重试中的任务</translation>
    </message>
    <message>
        <source>Open Monitor</source>
        <translation>打开监控</translation>
    </message>
    <message>
        <source>critical</source>
        <translation>严重</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>警告</translation>
    </message>
</context>
<context>
    <name>AuditWords</name>
    <message>
        <source>%1 pushed %2</source>
        <translation>%1 添加了 %2</translation>
    </message>
    <message numerus="yes">
        <source>%1 pushed %n job(s)</source>
        <translation>
            <numerusform>%1 添加了 %n 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 took %2</source>
        <translation>%1 领取了 %2</translation>
    </message>
    <message numerus="yes">
        <source>%1 took %n job(s)</source>
        <translation>
            <numerusform>%1 领取了 %n 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 ran %2 at once</source>
        <translation>%1 立即运行了 %2</translation>
    </message>
    <message numerus="yes">
        <source>%1 ran %n job(s) at once</source>
        <translation>
            <numerusform>%1 立即运行了 %n 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 held %2</source>
        <translation>%1 暂留了 %2</translation>
    </message>
    <message numerus="yes">
        <source>%1 held %n job(s)</source>
        <translation>
            <numerusform>%1 暂留了 %n 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 released %2</source>
        <translation>%1 放行了 %2</translation>
    </message>
    <message numerus="yes">
        <source>%1 released %n job(s)</source>
        <translation>
            <numerusform>%1 放行了 %n 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 finished %2</source>
        <translation>%1 完成了 %2</translation>
    </message>
    <message numerus="yes">
        <source>%1 finished %n job(s)</source>
        <translation>
            <numerusform>%1 完成了 %n 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 gave %2 up</source>
        <translation>%1 放弃了 %2</translation>
    </message>
    <message numerus="yes">
        <source>%1 gave %n job(s) up</source>
        <translation>
            <numerusform>%1 放弃了 %n 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 moved %2 to the trash</source>
        <translation>%1 将 %2 移入了回收站</translation>
    </message>
    <message numerus="yes">
        <source>%1 moved %n job(s) to the trash</source>
        <translation>
            <numerusform>%1 将 %n 个任务移入了回收站</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 put %2 back where it was</source>
        <translation>%1 还原了 %2</translation>
    </message>
    <message numerus="yes">
        <source>%1 put %n job(s) back where they were</source>
        <translation>
            <numerusform>%1 还原了 %n 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 deleted %2 for good</source>
        <translation>%1 永久删除了 %2</translation>
    </message>
    <message numerus="yes">
        <source>%1 deleted %n job(s) for good</source>
        <translation>
            <numerusform>%1 永久删除了 %n 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 brought %2 back from the journal</source>
        <translation>%1 从日志库恢复了 %2</translation>
    </message>
    <message numerus="yes">
        <source>%1 brought %n job(s) back from the journal</source>
        <translation>
            <numerusform>%1 从日志库恢复了 %n 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 repaired %2</source>
        <translation>%1 修复了 %2</translation>
    </message>
    <message numerus="yes">
        <source>%1 repaired %n job(s)</source>
        <translation>
            <numerusform>%1 修复了 %n 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 gave %2 another due time</source>
        <translation>%1 更改了 %2 的到期时间</translation>
    </message>
    <message numerus="yes">
        <source>%1 gave %n job(s) another due time</source>
        <translation>
            <numerusform>%1 更改了 %n 个任务的到期时间</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 paused the topic %2</source>
        <translation>%1 暂停了主题 %2</translation>
    </message>
    <message>
        <source>%1 resumed the topic %2</source>
        <translation>%1 恢复了主题 %2</translation>
    </message>
    <message>
        <source>%1 changed the limits of the topic %2</source>
        <translation>%1 更改了主题 %2 的限制</translation>
    </message>
    <message>
        <source>%1 traces the messages of %2</source>
        <translation>%1 开始跟踪 %2 的消息</translation>
    </message>
    <message>
        <source>%1 no longer traces the messages of %2</source>
        <translation>%1 停止跟踪 %2 的消息</translation>
    </message>
    <message>
        <source>%1 moved the due time of %2 from %3 to %4</source>
        <translation>%1 将 %2 的到期时间从 %3 改为 %4</translation>
    </message>
    <message>
        <source>%1 moved the due time of %2 to %3</source>
        <translation>%1 将 %2 的到期时间改为 %3</translation>
    </message>
    <message numerus="yes">
        <source>%1 moved the due times of %n job(s) to %2</source>
        <translation>
            <numerusform>%1 将 %n 个任务的到期时间改为 %2</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 took the limits of topic %2 away</source>
        <translation>%1 取消了主题 %2 的限制</translation>
    </message>
    <message>
        <source>%1 took the concurrency limit of topic %2 away, which was %3</source>
        <translation>%1 取消了主题 %2 的并发数限制（原为 %3）</translation>
    </message>
    <message>
        <source>%1 set the concurrency of topic %2 to %3</source>
        <translation>%1 将主题 %2 的并发数设为 %3</translation>
    </message>
    <message>
        <source>%1 set the concurrency of topic %2 from %3 to %4</source>
        <translation>%1 将主题 %2 的并发数从 %3 改为 %4</translation>
    </message>
    <message>
        <source>%1 took the rate limit of topic %2 away, which was %3</source>
        <translation>%1 取消了主题 %2 的速率限制（原为 %3）</translation>
    </message>
    <message>
        <source>%1 set the rate of topic %2 to %3</source>
        <translation>%1 将主题 %2 的速率设为 %3</translation>
    </message>
    <message>
        <source>%1 set the rate of topic %2 from %3 to %4</source>
        <translation>%1 将主题 %2 的速率从 %3 改为 %4</translation>
    </message>
    <message>
        <source>%1 set the concurrency of topic %2 to %3, with no rate limit</source>
        <translation>%1 将主题 %2 的并发数设为 %3，不限制速率</translation>
    </message>
    <message>
        <source>%1 set the rate of topic %2 to %3, with no concurrency limit</source>
        <translation>%1 将主题 %2 的速率设为 %3，不限制并发数</translation>
    </message>
    <message>
        <source>%1 set the concurrency of topic %2 to %3, and its rate to %4</source>
        <translation>%1 将主题 %2 的并发数设为 %3，速率设为 %4</translation>
    </message>
    <message>
        <source>%1: %2 %3</source>
        <comment>who: the word of a deed, to what</comment>
        <translation>%1：%2 %3</translation>
    </message>
    <message numerus="yes">
        <source>%1: %2, %n job(s)</source>
        <comment>who: the word of a deed</comment>
        <translation>
            <numerusform>%1：%2，%n 个任务</numerusform>
        </translation>
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
    <name>Daemon</name>
    <message>
        <source>text messages</source>
        <translation>短信</translation>
    </message>
    <message>
        <source>webhooks</source>
        <translation>webhook</translation>
    </message>
    <message>
        <source>reminders</source>
        <translation>提醒</translation>
    </message>
    <message>
        <source>journal</source>
        <translation>日志库</translation>
    </message>
    <message>
        <source>upkeep</source>
        <translation>维护</translation>
    </message>
    <message>
        <source>%1, %2, silent: last seen %3</source>
        <translation>%1，%2，无响应：最后一次心跳 %3</translation>
    </message>
    <message>
        <source>%1, %2, stopping, seen %3</source>
        <translation>%1，%2，正在停止，心跳 %3</translation>
    </message>
    <message>
        <source>%1, %2, %3, seen %4; hangs: %5</source>
        <translation>%1，%2，%3，心跳 %4；已卡住：%5</translation>
    </message>
    <message>
        <source>%1, %2, %3, seen %4</source>
        <translation>%1，%2，%3，心跳 %4</translation>
    </message>
    <message>
        <source>Nobody delivers: no daemon works on this store. Start restanted; if it does not stay, its log says why.</source>
        <translation>无人投递：没有守护进程在为此存储工作。请启动 restanted；如果它随即退出，原因在其日志中。</translation>
    </message>
    <message>
        <source>Nobody delivers: the last daemon, %1, was last seen %2. Start restanted again; its log says what happened.</source>
        <translation>无人投递：最后一个守护进程 %1 的最后一次心跳是 %2。请重新启动 restanted；发生了什么，见其日志。</translation>
    </message>
    <message>
        <source>Nobody delivers: the last daemon, %1, is stopping. Start restanted again.</source>
        <translation>无人投递：最后一个守护进程 %1 正在停止。请重新启动 restanted。</translation>
    </message>
    <message>
        <source>Nobody delivers: the daemon %1 is alive, but what delivers in it does not run. Its log says why; else restart it.</source>
        <translation>无人投递：守护进程 %1 仍在运行，但其中负责投递的部分没有工作。原因见其日志；否则请重启它。</translation>
    </message>
    <message>
        <source>Part of the daemon %1 hangs: %2. Restart it; its log may say why.</source>
        <translation>守护进程 %1 的一部分已卡住：%2。请重启它；原因可能在其日志中。</translation>
    </message>
    <message>
        <source>ok</source>
        <comment>a daemon</comment>
        <translation>正常</translation>
    </message>
    <message>
        <source>stopping</source>
        <comment>a daemon</comment>
        <translation>正在停止</translation>
    </message>
    <message>
        <source>hangs</source>
        <comment>a daemon</comment>
        <translation>部分卡住</translation>
    </message>
    <message>
        <source>silent</source>
        <comment>a daemon</comment>
        <translation>无响应</translation>
    </message>
</context>
<context>
    <name>DetailText</name>
    <message>
        <source>Pushed</source>
        <translation>已添加</translation>
    </message>
    <message>
        <source>Attempt begun</source>
        <translation>开始尝试</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>Failed, to be tried again</source>
        <translation>失败，将重试</translation>
    </message>
    <message>
        <source>Lease extended</source>
        <translation>租约已延长</translation>
    </message>
    <message>
        <source>Given up</source>
        <translation>已放弃</translation>
    </message>
    <message>
        <source>Held</source>
        <translation>已暂留</translation>
    </message>
    <message>
        <source>Released</source>
        <translation>已放行</translation>
    </message>
    <message>
        <source>Mailbox released</source>
        <translation>信箱已放行</translation>
    </message>
    <message>
        <source>Expired</source>
        <translation>已过期</translation>
    </message>
    <message>
        <source>Run now</source>
        <translation>立即运行</translation>
    </message>
    <message>
        <source>Rescheduled</source>
        <translation>已改期</translation>
    </message>
    <message>
        <source>Moved to trash</source>
        <translation>已移到回收站</translation>
    </message>
    <message>
        <source>Restored</source>
        <translation>已恢复</translation>
    </message>
    <message>
        <source>Deleted for good</source>
        <translation>已永久删除</translation>
    </message>
    <message>
        <source>Lease lapsed</source>
        <translation>租约已到期</translation>
    </message>
    <message>
        <source>One device served</source>
        <translation>已送达一台设备</translation>
    </message>
    <message>
        <source>Recovered from the journal</source>
        <translation>已从日志库恢复</translation>
    </message>
    <message>
        <source>Brought up to date from the journal</source>
        <translation>已按日志库更新</translation>
    </message>
    <message>
        <source>Repaired after a crash of Redis</source>
        <translation>Redis 崩溃后已修复</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>Moved to the journal until it is due soon</source>
        <translation>已移到日志库，临近到期时取回</translation>
    </message>
    <message>
        <source>Brought back from the journal before it is due</source>
        <translation>到期前已从日志库取回</translation>
    </message>
    <message>
        <source>In the journal</source>
        <translation>在日志库中</translation>
    </message>
</context>
<context>
    <name>Dialog</name>
    <message>
        <source>Optional; kept in history and audit</source>
        <translation>可选；保存在历史和审计中</translation>
    </message>
</context>
<context>
    <name>FileWriter</name>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>无法写入%1：%2</translation>
    </message>
</context>
<context>
    <name>FilterField</name>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Topic</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>To</source>
        <translation>收件人</translation>
    </message>
    <message>
        <source>From</source>
        <translation>发件人</translation>
    </message>
    <message>
        <source>Id</source>
        <translation>编号</translation>
    </message>
    <message>
        <source>Key of the caller</source>
        <translation>调用方的键</translation>
    </message>
    <message>
        <source>Call-ID</source>
        <translation>Call-ID</translation>
    </message>
    <message>
        <source>Last error</source>
        <translation>最近错误</translation>
    </message>
    <message>
        <source>Status code</source>
        <translation>状态码</translation>
    </message>
    <message>
        <source>Due</source>
        <translation>到期</translation>
    </message>
    <message>
        <source>Age</source>
        <translation>存在时长</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>创建于</translation>
    </message>
    <message>
        <source>Expires</source>
        <translation>过期于</translation>
    </message>
    <message>
        <source>Attempts</source>
        <translation>尝试次数</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>优先级</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Content type</source>
        <translation>内容类型</translation>
    </message>
    <message>
        <source>Payload (slow)</source>
        <translation>内容（慢）</translation>
    </message>
</context>
<context>
    <name>Import</name>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>无法读取 %1：%2</translation>
    </message>
    <message>
        <source>Line %1 is longer than any job</source>
        <translation>第 %1 行比任何任务都长</translation>
    </message>
</context>
<context>
    <name>JobColumns</name>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Topic</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>From</source>
        <translation>发件人</translation>
    </message>
    <message>
        <source>To</source>
        <translation>收件人</translation>
    </message>
    <message>
        <source>Due</source>
        <translation>到期</translation>
    </message>
    <message>
        <source>Last error</source>
        <translation>最近错误</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>业务键</translation>
    </message>
    <message>
        <source>Id</source>
        <translation>编号</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>优先级</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Content type</source>
        <translation>内容类型</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>创建于</translation>
    </message>
    <message>
        <source>Expires</source>
        <translation>过期于</translation>
    </message>
    <message>
        <source>Select jobs one by one</source>
        <translation>逐个选择任务</translation>
    </message>
    <message>
        <source>The next moment: due, end of the lease, next attempt of the mailbox; of an ended job when it ended. Jobs are in its order, state by state. Click to turn the order round.</source>
        <translation>下一个时刻：到期时间、租约结束或信箱的下一次尝试；已结束的任务为结束时间。任务按状态依此排序。单击可反转顺序。</translation>
    </message>
    <message>
        <source>The caller&apos;s own key; of a SIP message its Call-ID</source>
        <translation>调用方自己的键；SIP 消息为其 Call-ID</translation>
    </message>
    <message>
        <source>Bytes of the body</source>
        <translation>正文字节数</translation>
    </message>
    <message>
        <source>Not a column to sort by: the store keeps jobs in the order of their next moment only</source>
        <translation>不能按此列排序：存储仅按任务的下一个时刻排序</translation>
    </message>
    <message>
        <source>Channel</source>
        <translation>通道</translation>
    </message>
    <message>
        <source>Attempts</source>
        <translation>尝试次数</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Lease ends</source>
        <translation>租约结束</translation>
    </message>
    <message>
        <source>Next attempt</source>
        <translation>下次尝试</translation>
    </message>
    <message>
        <source>Died</source>
        <translation>死信时间</translation>
    </message>
    <message>
        <source>Trashed</source>
        <translation>删除时间</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>完成时间</translation>
    </message>
    <message>
        <source>Attempts that its schedule has used up, and how many it allows</source>
        <translation>已用的尝试次数，以及计划允许的次数</translation>
    </message>
    <message>
        <source>What the body says, in a line; all of it is in the detail</source>
        <translation>正文内容，显示为一行；完整内容见详情</translation>
    </message>
    <message>
        <source>recurring reminder</source>
        <translation>周期提醒</translation>
    </message>
</context>
<context>
    <name>JobFields</name>
    <message>
        <source>Due</source>
        <translation>到期</translation>
    </message>
    <message>
        <source>Ready since</source>
        <translation>就绪起始</translation>
    </message>
    <message>
        <source>Lease ends</source>
        <translation>租约结束</translation>
    </message>
    <message>
        <source>Next attempt</source>
        <translation>下次尝试</translation>
    </message>
    <message>
        <source>Died</source>
        <translation>死信时间</translation>
    </message>
    <message>
        <source>Trashed</source>
        <translation>删除时间</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>when the recipient registers</source>
        <translation>收件人注册时</translation>
    </message>
    <message>
        <source>Last error</source>
        <translation>最近错误</translation>
    </message>
    <message>
        <source>Attempts</source>
        <translation>尝试次数</translation>
    </message>
    <message>
        <source>Delivered to</source>
        <translation>已送达</translation>
    </message>
    <message>
        <source>Id</source>
        <translation>编号</translation>
    </message>
    <message>
        <source>Topic</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Channel</source>
        <translation>通道</translation>
    </message>
    <message>
        <source>Recipient</source>
        <translation>收件人</translation>
    </message>
    <message>
        <source>Sender</source>
        <translation>发件人</translation>
    </message>
    <message>
        <source>Call-ID</source>
        <translation>Call-ID</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>业务键</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>优先级</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>创建于</translation>
    </message>
    <message>
        <source>Expires</source>
        <translation>过期于</translation>
    </message>
    <message>
        <source>never</source>
        <translation>永不</translation>
    </message>
    <message>
        <source>Retries</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>standard of the channel</source>
        <translation>通道的标准计划</translation>
    </message>
    <message>
        <source>Lease</source>
        <translation>租约</translation>
    </message>
    <message>
        <source>Recurs</source>
        <translation>重复</translation>
    </message>
    <message>
        <source>Content type</source>
        <translation>内容类型</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message numerus="yes">
        <source>%n device(s)</source>
        <translation>
            <numerusform>%n 台设备</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>JournalSecret</name>
    <message>
        <source>%1 The journal&apos;s address must not have a password in it then: let the database know you otherwise (peer, .pgpass, socket).</source>
        <translation>%1 那么日志数据库地址中不得含有密码：请让数据库以其他方式认证您（peer、.pgpass、套接字）。</translation>
    </message>
</context>
<context>
    <name>Keychain</name>
    <message>
        <source>The keychain has no password for this connection.</source>
        <translation>钥匙串中没有此连接的密码。</translation>
    </message>
    <message>
        <source>The keychain was not unlocked.</source>
        <translation>钥匙串未解锁。</translation>
    </message>
    <message>
        <source>No keychain is running in this session (Secret Service or KWallet).</source>
        <translation>当前会话没有运行钥匙串服务（Secret Service 或 KWallet）。</translation>
    </message>
    <message>
        <source>The keychain cannot be used: %1</source>
        <translation>无法使用钥匙串：%1</translation>
    </message>
</context>
<context>
    <name>Line</name>
    <message>
        <source>Pushed</source>
        <translation>已添加</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>Retried</source>
        <translation>已重试</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Late p50</source>
        <translation>延迟 p50</translation>
    </message>
    <message>
        <source>Late p95</source>
        <translation>延迟 p95</translation>
    </message>
    <message>
        <source>Late p99</source>
        <translation>延迟 p99</translation>
    </message>
</context>
<context>
    <name>LinkText</name>
    <message>
        <source>%1 %2 of %3 jobs were looked at.</source>
        <translation>%1 已检查 %2 个任务，共 %3 个。</translation>
    </message>
    <message>
        <source>Redis has lost the store: nothing is served before the journal has brought it back.</source>
        <translation>Redis 丢失了存储数据：在日志库将其恢复之前，不提供任何服务。</translation>
    </message>
    <message>
        <source>Redis has lost its newest writes: nothing is served before the journal has brought them back.</source>
        <translation>Redis 丢失了最新的写入：在日志库将其恢复之前，不提供任何服务。</translation>
    </message>
    <message>
        <source>The journal belongs to another store than this Redis: no daemon serves it. Give it a journal of its own (journal.url).</source>
        <translation>日志库属于另一个存储，而不是这个 Redis：没有守护进程为它服务。请为它单独配置日志库（journal.url）。</translation>
    </message>
    <message>
        <source>the default user</source>
        <translation>默认用户</translation>
    </message>
    <message>
        <source>“%1”</source>
        <translation>“%1”</translation>
    </message>
    <message>
        <source>The configuration %1 cannot be used: %2</source>
        <translation>无法使用配置 %1：%2</translation>
    </message>
    <message>
        <source>The address cannot be read: %1</source>
        <translation>无法读取该地址：%1</translation>
    </message>
    <message>
        <source>There is no socket %1. Is the daemon running, and is this its configuration?</source>
        <translation>没有套接字 %1。守护进程在运行吗？这是它的配置吗？</translation>
    </message>
    <message>
        <source>The host %1 is not known (%2). Check its name, and the network.</source>
        <translation>未知主机 %1（%2）。请检查名称和网络。</translation>
    </message>
    <message>
        <source>Nobody listens at %1. Is Redis running there, and is the port right?</source>
        <translation>%1 没有程序在监听。Redis 在运行吗？端口正确吗？</translation>
    </message>
    <message>
        <source>%1 did not answer in time. A firewall may be in the way, or Redis is overloaded.</source>
        <translation>%1 未及时应答。可能有防火墙阻挡，或 Redis 负载过高。</translation>
    </message>
    <message>
        <source>%1 cannot be reached: %2.</source>
        <translation>无法连接 %1：%2。</translation>
    </message>
    <message>
        <source>Redis wants a password. Enter one in the connection.</source>
        <translation>Redis 需要密码。请在连接中输入。</translation>
    </message>
    <message>
        <source>Redis refused the password of %1. Check user and password.</source>
        <translation>Redis 拒绝了 %1 的密码。请检查用户和密码。</translation>
    </message>
    <message>
        <source>Redis has no password for the default user, but one was given. Leave it out, or name the user it belongs to.</source>
        <translation>Redis 的默认用户没有密码，却提供了密码。请留空，或写明密码所属的用户。</translation>
    </message>
    <message>
        <source>%1 may not do this in Redis (%2). Ask for the permission, or log in as another user.</source>
        <translation>%1 在 Redis 中没有此权限（%2）。请申请权限，或以其他用户登录。</translation>
    </message>
    <message>
        <source>Redis has no database %1. Correct the number in the address.</source>
        <translation>Redis 没有数据库 %1。请更正地址中的编号。</translation>
    </message>
    <message>
        <source>The password could not be read from the keychain: %1</source>
        <translation>无法从钥匙串读取密码：%1</translation>
    </message>
    <message>
        <source>Redis is still loading its data. Wait a moment.</source>
        <translation>Redis 仍在载入数据。请稍候。</translation>
    </message>
    <message>
        <source>Redis %1 is too old: Restante needs 7.0 or newer.</source>
        <translation>Redis %1 版本过旧：Restante 需要 7.0 或更新版本。</translation>
    </message>
    <message>
        <source>Redis throws data away when it is full (maxmemory-policy %1). Set it to noeviction.</source>
        <translation>Redis 存满时会丢弃数据（maxmemory-policy %1）。请设为 noeviction。</translation>
    </message>
    <message>
        <source>The keys that begin with “%1” are not Restante&apos;s. Check the prefix.</source>
        <translation>以“%1”开头的键不属于 Restante。请检查前缀。</translation>
    </message>
    <message>
        <source>The store has schema %1, which is newer than this console knows (%2): it is only shown. Update the console to change it.</source>
        <translation>存储的模式版本 %1 比此控制台所知的（%2）更新：仅供查看。请更新控制台后再修改。</translation>
    </message>
    <message>
        <source>The store has schema %1, which is older than this console knows (%2): it is only shown. Start the new daemon to bring it up to date.</source>
        <translation>存储的模式版本 %1 比此控制台所知的（%2）更旧：仅供查看。请启动新的守护进程以更新它。</translation>
    </message>
    <message>
        <source>No daemon has used the prefix “%1” here yet, so nothing can be changed. Check the prefix, or start the daemon first.</source>
        <translation>还没有守护进程在此使用前缀“%1”，因此不能做任何更改。请检查前缀，或先启动守护进程。</translation>
    </message>
    <message>
        <source>The connection to %1 was lost.</source>
        <translation>与 %1 的连接已中断。</translation>
    </message>
    <message>
        <source>This Redis is a replica and takes no writes. Connect to its master, %1, to change anything.</source>
        <translation>此 Redis 是副本，不接受写入。要修改请连接其主节点 %1。</translation>
    </message>
    <message>
        <source>This connection names no journal, so there is no history. Enter its address in the connection.</source>
        <translation>此连接未指定日志库，因此没有历史。请在连接中填写其地址。</translation>
    </message>
    <message>
        <source>The daemon keeps no journal (journal.mode is off), so there is no history.</source>
        <translation>守护进程不保存日志（journal.mode 为 off），因此没有历史。</translation>
    </message>
    <message>
        <source>There is no journal at %1. Check its address in the connection.</source>
        <translation>%1 处没有日志库。请在连接中检查其地址。</translation>
    </message>
    <message>
        <source>Reading the configuration…</source>
        <translation>正在读取配置…</translation>
    </message>
    <message>
        <source>Looking the host up…</source>
        <translation>正在查找主机…</translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation>正在连接…</translation>
    </message>
    <message>
        <source>Logging in…</source>
        <translation>正在登录…</translation>
    </message>
    <message>
        <source>Waiting for an answer…</source>
        <translation>正在等待应答…</translation>
    </message>
    <message>
        <source>Looking at the server…</source>
        <translation>正在查看服务器…</translation>
    </message>
    <message>
        <source>Looking for the store…</source>
        <translation>正在查找存储…</translation>
    </message>
    <message>
        <source>Looking at the permissions…</source>
        <translation>正在查看权限…</translation>
    </message>
    <message>
        <source>Looking for the journal…</source>
        <translation>正在查找日志库…</translation>
    </message>
    <message>
        <source>Configuration</source>
        <translation>配置</translation>
    </message>
    <message>
        <source>Host name</source>
        <translation>主机名</translation>
    </message>
    <message>
        <source>Connection</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Log-in</source>
        <translation>登录</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>应答</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>Store</source>
        <translation>存储</translation>
    </message>
    <message>
        <source>Permissions</source>
        <translation>权限</translation>
    </message>
    <message>
        <source>Journal</source>
        <translation>日志库</translation>
    </message>
    <message>
        <source>The certificate of %1 was issued by “%2”, which is not known here. Enter the certificate of that authority in the connection.</source>
        <translation>%1 的证书由“%2”签发，本机不认识该机构。请在连接中填写该机构的证书。</translation>
    </message>
    <message>
        <source>The certificate of %1 has expired (on %2). It has to be renewed there.</source>
        <translation>%1 的证书已过期（%2）。需要在对方更新证书。</translation>
    </message>
    <message>
        <source>The certificate of %1 is not valid before %2. Compare the clocks of both machines.</source>
        <translation>%1 的证书在 %2 之前无效。请核对两台机器的时钟。</translation>
    </message>
    <message>
        <source>The certificate of %1 is for %2, not for %3. Correct the host, or enter the name it has to bear.</source>
        <translation>%1 的证书属于 %2，而不是 %3。请更正主机，或填写证书应有的名称。</translation>
    </message>
    <message>
        <source>The certificate of %1 cannot be believed: %2.</source>
        <translation>%1 的证书不可信：%2。</translation>
    </message>
    <message>
        <source>What listens at %1 does not speak TLS. Switch TLS off, or enter the port that has it.</source>
        <translation>%1 上监听的服务不使用 TLS。请关闭 TLS，或填写支持 TLS 的端口。</translation>
    </message>
    <message>
        <source>What listens at %1 does not answer the TLS greeting. Perhaps it does not speak TLS: switch TLS off, or enter the port that has it.</source>
        <translation>%1 上监听的服务没有回应 TLS 问候，可能不使用 TLS：请关闭 TLS，或填写支持 TLS 的端口。</translation>
    </message>
    <message>
        <source>%1 wants a certificate of yours. Enter its file and that of its key.</source>
        <translation>%1 要求您提供证书。请填写证书文件及其密钥文件。</translation>
    </message>
    <message>
        <source>%1 refuses your certificate (%2). Ask who runs it for another one.</source>
        <translation>%1 拒绝了您的证书（%2）。请向其管理员索取另一张证书。</translation>
    </message>
    <message>
        <source>%1 speaks nothing newer than TLS 1.1, which is not safe any more.</source>
        <translation>%1 最高只支持 TLS 1.1，已不再安全。</translation>
    </message>
    <message>
        <source>The file %1 cannot be used: %2.</source>
        <translation>无法使用文件 %1：%2。</translation>
    </message>
    <message>
        <source>TLS with %1 failed: %2.</source>
        <translation>与 %1 的 TLS 连接失败：%2。</translation>
    </message>
    <message>
        <source>What listens at %1 does not talk like Redis. Is it another service, or is the port another one&apos;s?</source>
        <translation>%1 上监听的服务不像是 Redis。是别的服务，还是端口填错了？</translation>
    </message>
    <message>
        <source>What listens at %1 hangs up without a word. If it wants TLS, switch TLS on in the connection.</source>
        <translation>%1 上监听的服务一言不发就断开了。如果它要求 TLS，请在连接中打开 TLS。</translation>
    </message>
    <message>
        <source>Whoever answers at %1 is believed, and could read and change everything. Switch the verification on, and name the authority that issued the certificate.</source>
        <translation>无论谁在 %1 应答都会被信任，并能读取和修改一切。请打开验证，并指明签发证书的机构。</translation>
    </message>
    <message>
        <source>No sentinel knows the master “%1” (%2). Check its name, and the addresses of the sentinels.</source>
        <translation>没有哨兵认识主节点“%1”（%2）。请检查它的名称以及各哨兵的地址。</translation>
    </message>
    <message>
        <source>Asking the sentinels…</source>
        <translation>正在询问哨兵…</translation>
    </message>
    <message>
        <source>Looking at the certificate…</source>
        <translation>正在查看证书…</translation>
    </message>
    <message>
        <source>Sentinels</source>
        <translation>哨兵</translation>
    </message>
    <message>
        <source>TLS</source>
        <translation>TLS</translation>
    </message>
    <message>
        <source>The Redis Cluster cannot be entered: %1. Check the addresses of its nodes.</source>
        <translation>无法进入 Redis 集群：%1。请检查其节点的地址。</translation>
    </message>
    <message>
        <source>The program ssh cannot be started (%1). Install OpenSSH&apos;s client.</source>
        <translation>无法启动 ssh 程序（%1）。请安装 OpenSSH 客户端。</translation>
    </message>
    <message>
        <source>The host %1 that the tunnel goes through is not known (%2). Check its name, and the network.</source>
        <translation>隧道所经过的主机 %1 未知（%2）。请检查其名称和网络。</translation>
    </message>
    <message>
        <source>%1, which the tunnel goes through, cannot be reached: %2.</source>
        <translation>无法连到隧道所经过的 %1：%2。</translation>
    </message>
    <message>
        <source>%1 has not let ssh in within half a minute. Does an agent or a security key wait for you?</source>
        <translation>%1 在半分钟内没有让 ssh 登录。是否有代理或安全密钥在等待您？</translation>
    </message>
    <message>
        <source>ssh does not know the key of %1 yet, or may not trust it. Log in there once in a terminal, compare the key, and accept it.</source>
        <translation>ssh 还不认识 %1 的密钥，或不可信任它。请在终端中登录一次，核对密钥并接受它。</translation>
    </message>
    <message>
        <source>%1 shows another key than the one that ssh knows. Somebody may listen in: ask who runs it, before you remove the old key.</source>
        <translation>%1 给出的密钥与 ssh 所知的不同。可能有人在窃听：在删除旧密钥之前，请先询问其管理者。</translation>
    </message>
    <message>
        <source>%1 lets nobody in with the keys that ssh has here. Enter the right user and key, or add the key to ssh&apos;s agent: a passphrase cannot be asked for.</source>
        <translation>%1 不接受 ssh 在此处的密钥。请填写正确的用户和密钥，或将密钥加入 ssh 代理：无法询问口令。</translation>
    </message>
    <message>
        <source>The key %1 cannot be read: %2.</source>
        <translation>无法读取密钥 %1：%2。</translation>
    </message>
    <message>
        <source>The tunnel through %1 could not be opened.</source>
        <translation>无法打开经过 %1 的隧道。</translation>
    </message>
    <message>
        <source>The tunnel through %1 could not be opened: %2</source>
        <translation>无法打开经过 %1 的隧道：%2</translation>
    </message>
    <message>
        <source>The tunnel through %1 was lost.</source>
        <translation>经过 %1 的隧道已中断。</translation>
    </message>
    <message>
        <source>The tunnel through %1 was lost: %2</source>
        <translation>经过 %1 的隧道已中断：%2</translation>
    </message>
    <message>
        <source>“%1” is no host for a tunnel. Enter [user@]host[:port], of letters, digits, dots, underscores and hyphens, not beginning with a hyphen.</source>
        <translation>“%1”不能作为隧道的主机。请填写 [用户@]主机[:端口]，只含字母、数字、点、下划线和连字符，且不以连字符开头。</translation>
    </message>
    <message>
        <source>“%1” is no file for a key. Enter its whole path, or one that begins with ~/, without quotes, colons, brackets, %, $ and \.</source>
        <translation>“%1”不能作为密钥文件。请填写完整路径，或以 ~/ 开头的路径，不含引号、冒号、方括号、%、$ 和 \。</translation>
    </message>
    <message>
        <source>Sentinels and clusters cannot be reached through a tunnel: the addresses they give are not those of its end. Enter the host of the master itself, or leave the tunnel out.</source>
        <translation>哨兵和集群无法通过隧道访问：它们给出的地址不是隧道末端的地址。请填写主节点自身的主机，或不使用隧道。</translation>
    </message>
    <message>
        <source>%1 cannot be the end of a tunnel. Enter a host of letters, digits, dots and hyphens, or the whole path of a socket.</source>
        <translation>%1 不能作为隧道的末端。请填写由字母、数字、点和连字符组成的主机，或套接字的完整路径。</translation>
    </message>
    <message>
        <source>The tunnel is open, but nobody listens at %1 behind %2. Is Redis running there, and is the port right?</source>
        <translation>隧道已打开，但 %2 后面的 %1 无人监听。Redis 是否在那里运行，端口是否正确？</translation>
    </message>
    <message>
        <source>The tunnel is open, but %2 does not let it go on to %1 (AllowTcpForwarding, PermitOpen). Ask who runs it.</source>
        <translation>隧道已打开，但 %2 不允许它继续到 %1（AllowTcpForwarding、PermitOpen）。请询问其管理者。</translation>
    </message>
    <message>
        <source>The tunnel is open, but the socket %1 cannot be reached there (%2). Is Redis running, and may you use the socket?</source>
        <translation>隧道已打开，但在那里无法访问套接字 %1（%2）。Redis 是否在运行，您是否有权使用该套接字？</translation>
    </message>
    <message>
        <source>The tunnel is open, but %1 cannot be reached behind it (%2).</source>
        <translation>隧道已打开，但无法访问其后的 %1（%2）。</translation>
    </message>
    <message>
        <source>This is a node of a Redis Cluster. Let the connection be reached by the nodes of a cluster, and name some of them.</source>
        <translation>这是 Redis 集群的一个节点。请将连接方式改为集群节点，并填写其中几个节点。</translation>
    </message>
    <message>
        <source>Opening the tunnel…</source>
        <translation>正在打开隧道…</translation>
    </message>
    <message>
        <source>Asking the nodes of the cluster…</source>
        <translation>正在询问集群的节点…</translation>
    </message>
    <message>
        <source>Ssh tunnel</source>
        <translation>ssh 隧道</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>集群</translation>
    </message>
    <message>
        <source>This user may not use the socket %1. Start the console as the daemon&apos;s user, or ask for the permission.</source>
        <translation>此用户无权使用套接字 %1。请以守护进程的用户身份启动控制台，或申请相应权限。</translation>
    </message>
    <message>
        <source>Jobs that are due in a long while are in the journal alone (queue.hot_horizon), and this connection has none: they are not shown, counted or changed, and nobody knows how many they are. Enter the journal&apos;s address in the connection.</source>
        <translation>到期时间还很远的任务只保存在日志库中（queue.hot_horizon），而此连接没有日志库：这些任务不会显示、计数或更改，数量也无从得知。请在连接中填写日志库的地址。</translation>
    </message>
    <message>
        <source>Jobs that are due in a long while are in the journal alone (queue.hot_horizon), and %1 is the journal of another store: they are not shown, counted or changed, and nobody knows how many they are. Correct the journal&apos;s address in the connection.</source>
        <translation>到期时间还很远的任务只保存在日志库中（queue.hot_horizon），而 %1 是另一个存储的日志库：这些任务不会显示、计数或更改，数量也无从得知。请在连接中更正日志库的地址。</translation>
    </message>
    <message>
        <source>Jobs that are due in a long while are in the journal alone (queue.hot_horizon), which cannot be read (%1): they are not shown, counted or changed, and nobody knows how many they are. Start its database, or correct its address in the connection, and connect again.</source>
        <translation>到期时间还很远的任务只保存在日志库中（queue.hot_horizon），而日志库无法读取（%1）：这些任务不会显示、计数或更改，数量也无从得知。请启动其数据库，或在连接中更正其地址，然后重新连接。</translation>
    </message>
</context>
<context>
    <name>MailboxText</name>
    <message>
        <source>[%1 that are not text]</source>
        <translation>[%1，不是文本]</translation>
    </message>
    <message>
        <source>[%1, %2]</source>
        <translation>[%1，%2]</translation>
    </message>
    <message numerus="yes">
        <source>%Ln device(s) registered</source>
        <translation>
            <numerusform>%Ln 台设备已注册</numerusform>
        </translation>
    </message>
    <message>
        <source>away since %1</source>
        <translation>自 %1 起离线</translation>
    </message>
    <message>
        <source>no device is known here</source>
        <translation>本处没有已知设备</translation>
    </message>
    <message>
        <source>A message is on its way at this moment.</source>
        <translation>正有一条消息在投递途中。</translation>
    </message>
    <message>
        <source>Delivered when a device registers.</source>
        <translation>设备注册后投递。</translation>
    </message>
    <message>
        <source>Due now.</source>
        <translation>现在到期。</translation>
    </message>
    <message>
        <source>Tried again at %1.</source>
        <translation>将于 %1 再次尝试。</translation>
    </message>
    <message>
        <source>Tried again at %1, and delivered at once when a device registers.</source>
        <translation>将于 %1 再次尝试；设备一注册就立即投递。</translation>
    </message>
    <message>
        <source>Nothing waits for this person.</source>
        <translation>没有等待此人的消息。</translation>
    </message>
    <message>
        <source>The oldest message expires in %1.</source>
        <translation>最早的一条消息将在 %1 后过期。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln message(s) waiting</source>
        <translation>
            <numerusform>%Ln 条消息在等待</numerusform>
        </translation>
    </message>
    <message>
        <source>the oldest since %1</source>
        <translation>最早的一条始于 %1</translation>
    </message>
    <message>
        <source>gone since %1</source>
        <translation>自 %1 起已离开</translation>
    </message>
    <message>
        <source>registered since %1</source>
        <translation>自 %1 起已注册</translation>
    </message>
    <message>
        <source>registered</source>
        <translation>已注册</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>last registration: %1</source>
        <translation>上次注册：%1</translation>
    </message>
    <message>
        <source>registered until %1</source>
        <translation>注册有效期至 %1</translation>
    </message>
    <message>
        <source>[empty]</source>
        <translation>[空]</translation>
    </message>
</context>
<context>
    <name>NoticeText</name>
    <message>
        <source>No store is open</source>
        <translation>没有打开的存储</translation>
    </message>
    <message>
        <source>Connect to the store of a daemon on this machine, or to a Redis elsewhere. Or look around in a store that is made up: it needs no server.</source>
        <translation>连接到本机守护进程的存储或其他位置的 Redis。也可以浏览一个演示存储：不需要服务器。</translation>
    </message>
    <message>
        <source>&amp;Add Your First Connection…</source>
        <translation>添加第一个连接(&amp;A)…</translation>
    </message>
    <message>
        <source>&amp;Open Connection…</source>
        <translation>打开连接(&amp;O)…</translation>
    </message>
    <message>
        <source>&amp;Demo Data</source>
        <translation>演示数据(&amp;D)</translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation>正在连接…</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>取消(&amp;C)</translation>
    </message>
    <message>
        <source>The connection was lost</source>
        <translation>连接已中断</translation>
    </message>
    <message>
        <source>There is no connection</source>
        <translation>没有连接</translation>
    </message>
    <message>
        <source>&amp;Try Again</source>
        <translation>重试(&amp;T)</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>正在查找…</translation>
    </message>
    <message>
        <source>Nothing is found yet. The store has no index for this filter, so jobs are looked at one by one.</source>
        <translation>尚未找到。存储没有适合此筛选的索引，因此逐个查看任务。</translation>
    </message>
    <message>
        <source>The store has no jobs</source>
        <translation>存储中没有任务</translation>
    </message>
    <message>
        <source>No jobs here</source>
        <translation>此处没有任务</translation>
    </message>
    <message>
        <source>This view shows jobs whose last failure had the chosen reason, and there are none.</source>
        <translation>此视图显示最近一次因所选原因失败的任务，目前没有。</translation>
    </message>
    <message>
        <source>This view shows jobs that are tried again after a failed attempt, and there are none.</source>
        <translation>此视图显示尝试失败后将重试的任务，目前没有。</translation>
    </message>
    <message>
        <source>This view shows jobs in state “%1”, and there are none.</source>
        <translation>此视图显示状态为“%1”的任务，目前没有。</translation>
    </message>
    <message>
        <source>Jobs appear here as soon as somebody pushes one.</source>
        <translation>一有人添加任务，就会显示在这里。</translation>
    </message>
    <message>
        <source>No job matches</source>
        <translation>没有匹配的任务</translation>
    </message>
    <message>
        <source>Without %1</source>
        <translation>去掉 %1</translation>
    </message>
    <message>
        <source>&amp;Clear the Filter</source>
        <translation>清除筛选(&amp;C)</translation>
    </message>
    <message>
        <source>No job is of this channel and topic.</source>
        <translation>没有此通道和主题的任务。</translation>
    </message>
    <message>
        <source>&amp;Show All States, Channels and Topics</source>
        <translation>显示所有状态、通道和主题(&amp;S)</translation>
    </message>
    <message numerus="yes">
        <source>None here; %Ln in all states.</source>
        <translation>
            <numerusform>此处没有；所有状态中共有 %Ln 个。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>None here; at least %Ln in all states.</source>
        <translation>
            <numerusform>此处没有；所有状态中至少有 %Ln 个。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>None here; %Ln in other states.</source>
        <translation>
            <numerusform>此处没有；其他状态中有 %Ln 个。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>None here; at least %Ln in other states.</source>
        <translation>
            <numerusform>此处没有；其他状态中至少有 %Ln 个。</numerusform>
        </translation>
    </message>
    <message>
        <source>Look in All &amp;States</source>
        <translation>在所有状态中查找(&amp;S)</translation>
    </message>
</context>
<context>
    <name>PayloadDocument</name>
    <message>
        <source>not text</source>
        <translation>不是文本</translation>
    </message>
    <message>
        <source>Lines over %1 characters are broken where ↩ stands.</source>
        <translation>超过 %1 个字符的行在 ↩ 处断开。</translation>
    </message>
    <message>
        <source>Control characters are shown as symbols.</source>
        <translation>控制字符以符号显示。</translation>
    </message>
    <message>
        <source>This is not text in %1; Hex shows every byte.</source>
        <translation>这不是 %1 编码的文本；“十六进制”显示每个字节。</translation>
    </message>
    <message>
        <source>Too large to be indented; shown as it is.</source>
        <translation>太大，无法缩进；按原样显示。</translation>
    </message>
    <message>
        <source>This is not JSON (byte %1: %2); shown as it is.</source>
        <translation>这不是 JSON（第 %1 字节：%2）；按原样显示。</translation>
    </message>
    <message>
        <source>[%1 that are not text: see Hex]</source>
        <translation>[%1 不是文本：见十六进制]</translation>
    </message>
</context>
<context>
    <name>ProfileText</name>
    <message>
        <source>This file has no connections of this console.</source>
        <translation>此文件中没有本控制台的连接。</translation>
    </message>
    <message>
        <source>“%1”: %2</source>
        <translation>“%1”：%2</translation>
    </message>
    <message numerus="yes">
        <source>Give the connection a name of at most %n character(s).</source>
        <translation>
            <numerusform>请为连接取一个不超过 %n 个字符的名称。</numerusform>
        </translation>
    </message>
    <message>
        <source>The address must not have the password in it.</source>
        <translation>地址中不能包含密码。</translation>
    </message>
    <message>
        <source>The prefix is what the keys begin with, such as rst.</source>
        <translation>前缀是键的开头，例如 rst。</translation>
    </message>
</context>
<context>
    <name>Reason</name>
    <message>
        <source>undone</source>
        <translation>已撤销</translation>
    </message>
    <message>
        <source>done again</source>
        <translation>已重做</translation>
    </message>
    <message>
        <source>resumed</source>
        <translation>已恢复</translation>
    </message>
    <message>
        <source>the next time is skipped</source>
        <translation>跳过下一次</translation>
    </message>
    <message>
        <source>given up</source>
        <translation>已放弃</translation>
    </message>
    <message>
        <source>given up by hand</source>
        <translation>手动放弃</translation>
    </message>
    <message>
        <source>expired</source>
        <translation>已过期</translation>
    </message>
    <message>
        <source>expired; refused by every device that was offered it</source>
        <translation>已过期；所有收到它的设备都拒绝了</translation>
    </message>
    <message>
        <source>the lease ended before the attempt did</source>
        <translation>租约在尝试结束之前到期</translation>
    </message>
    <message>
        <source>no device is registered</source>
        <translation>没有已注册的设备</translation>
    </message>
    <message>
        <source>kept long enough</source>
        <translation>保留期已满</translation>
    </message>
    <message>
        <source>brought back from a file</source>
        <translation>从文件导入</translation>
    </message>
    <message>
        <source>attempts reset</source>
        <translation>尝试次数已重置</translation>
    </message>
    <message>
        <source>attempts count again</source>
        <translation>尝试次数重新计入</translation>
    </message>
    <message>
        <source>undone: %1</source>
        <translation>已撤销：%1</translation>
    </message>
    <message>
        <source>done again: %1</source>
        <translation>已重做：%1</translation>
    </message>
    <message>
        <source>retry of all that failed by: %1</source>
        <translation>重试所有因此失败的任务：%1</translation>
    </message>
    <message>
        <source>%1 (attempts reset)</source>
        <translation>%1（尝试次数已重置）</translation>
    </message>
    <message>
        <source>%1 (attempts count again)</source>
        <translation>%1（尝试次数重新计入）</translation>
    </message>
</context>
<context>
    <name>ScanReason</name>
    <message>
        <source>all jobs</source>
        <translation>全部任务</translation>
    </message>
    <message>
        <source>the jobs that are %1</source>
        <translation>%1的任务</translation>
    </message>
    <message>
        <source>%1: compared one by one with %2 and their payloads.</source>
        <translation>%1：与%2及其内容逐一比较。</translation>
    </message>
    <message>
        <source>%1: compared one by one with %2.</source>
        <translation>%1：与%2逐一比较。</translation>
    </message>
    <message>
        <source>Topics and channels are quick together with state:scheduled,ready; an exact id: or biz_key: always.</source>
        <translation>主题和通道与 state:scheduled,ready 一起使用时很快；精确的 id: 或 biz_key: 始终很快。</translation>
    </message>
    <message>
        <source>Quick is an exact id: or biz_key:.</source>
        <translation>快速的是精确的 id: 或 biz_key:。</translation>
    </message>
    <message>
        <source>A state: leaves fewer to look at.</source>
        <translation>加上 state: 可减少要查看的任务。</translation>
    </message>
</context>
<context>
    <name>SeriesText</name>
    <message>
        <source>every hour</source>
        <translation>每小时</translation>
    </message>
    <message numerus="yes">
        <source>every %Ln hour(s)</source>
        <translation>
            <numerusform>每 %Ln 小时</numerusform>
        </translation>
    </message>
    <message>
        <source>every minute</source>
        <translation>每分钟</translation>
    </message>
    <message numerus="yes">
        <source>every %Ln minute(s)</source>
        <translation>
            <numerusform>每 %Ln 分钟</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>every %Ln second(s)</source>
        <translation>
            <numerusform>每 %Ln 秒</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>every %Ln week(s) on %1 at %2</source>
        <comment>days, time</comment>
        <translation>
            <numerusform>每 %Ln 周的%1 %2</numerusform>
        </translation>
    </message>
    <message>
        <source>daily at %1</source>
        <translation>每天 %1</translation>
    </message>
    <message>
        <source>weekdays at %1</source>
        <comment>Monday to Friday</comment>
        <translation>工作日 %1</translation>
    </message>
    <message>
        <source>weekends at %1</source>
        <comment>Saturday and Sunday</comment>
        <translation>周末 %1</translation>
    </message>
    <message>
        <source>every %1 at %2</source>
        <comment>a day of the week, time</comment>
        <translation>每%1 %2</translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <comment>several days of the week, time</comment>
        <translation>每%1 %2</translation>
    </message>
    <message numerus="yes">
        <source>every %Ln day(s) at %1</source>
        <translation>
            <numerusform>每 %Ln 天 %1</numerusform>
        </translation>
    </message>
    <message>
        <source>the first %1 of each month at %2</source>
        <translation>每月第一个%1 %2</translation>
    </message>
    <message>
        <source>the second %1 of each month at %2</source>
        <translation>每月第二个%1 %2</translation>
    </message>
    <message>
        <source>the third %1 of each month at %2</source>
        <translation>每月第三个%1 %2</translation>
    </message>
    <message>
        <source>the fourth %1 of each month at %2</source>
        <translation>每月第四个%1 %2</translation>
    </message>
    <message>
        <source>the last %1 of each month at %2</source>
        <translation>每月最后一个%1 %2</translation>
    </message>
    <message>
        <source>the last day of each month at %1</source>
        <translation>每月最后一天 %1</translation>
    </message>
    <message>
        <source>on day %1 of each month at %2</source>
        <translation>每月 %1 日 %2</translation>
    </message>
    <message numerus="yes">
        <source>every %Ln month(s) on day %1 at %2</source>
        <translation>
            <numerusform>每 %Ln 个月的 %1 日 %2</numerusform>
        </translation>
    </message>
    <message>
        <source>each year on %1 at %2</source>
        <comment>a day of the year, time</comment>
        <translation>每年%1 %2</translation>
    </message>
    <message>
        <source>d MMMM</source>
        <comment>a day of the year, as Qt writes it</comment>
        <translation>M月d日</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>how often, time zone</comment>
        <translation>%1，%2</translation>
    </message>
    <message numerus="yes">
        <source>after %Ln time(s)</source>
        <translation>
            <numerusform>共 %Ln 次之后</numerusform>
        </translation>
    </message>
    <message>
        <source>after %1</source>
        <comment>a moment as the rule has it</comment>
        <translation>%1 之后</translation>
    </message>
    <message>
        <source>delivered</source>
        <translation>已送达</translation>
    </message>
    <message>
        <source>on its way</source>
        <translation>正在投递</translation>
    </message>
    <message>
        <source>dead</source>
        <translation>死信</translation>
    </message>
    <message>
        <source>in the trash</source>
        <translation>在回收站中</translation>
    </message>
    <message>
        <source>held</source>
        <translation>已暂留</translation>
    </message>
    <message>
        <source>waits for the recipient</source>
        <translation>等待收件人上线</translation>
    </message>
    <message>
        <source>failed, tried again</source>
        <translation>失败，将重试</translation>
    </message>
    <message>
        <source>waits to be delivered</source>
        <translation>等待投递</translation>
    </message>
    <message>
        <source>removed</source>
        <translation>已删除</translation>
    </message>
    <message>
        <source>not sent</source>
        <translation>未发送</translation>
    </message>
    <message>
        <source>The journal has no such job: it was skipped, or nobody was there to send it.</source>
        <translation>日志库中没有这个任务：它被跳过了，或者当时没有守护进程来发送。</translation>
    </message>
    <message>
        <source>…</source>
        <comment>the answer is on its way</comment>
        <translation>…</translation>
    </message>
    <message>
        <source>not in the store any more</source>
        <translation>存储中已不存在</translation>
    </message>
    <message>
        <source>Delivered and forgotten, removed, or skipped: without a journal nobody can say. With retention.done the store keeps what was delivered.</source>
        <translation>可能已送达并清除、已删除或被跳过：没有日志库就无从得知。设置 retention.done 后，存储会保留已送达的任务。</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>Nothing is sent until it is resumed.</source>
        <translation>恢复之前不会发送任何内容。</translation>
    </message>
    <message>
        <source>late</source>
        <translation>已迟</translation>
    </message>
    <message>
        <source>Its time has passed and no daemon has sent it.</source>
        <translation>时间已过，但没有守护进程发送它。</translation>
    </message>
    <message>
        <source>active</source>
        <translation>正常</translation>
    </message>
</context>
<context>
    <name>SessionOpening</name>
    <message>
        <source>Demo</source>
        <translation>演示</translation>
    </message>
</context>
<context>
    <name>ShortcutMap</name>
    <message>
        <source>%1 is needed for typing. Hold Ctrl or Alt with it, or take an F key.</source>
        <translation>输入文字需要 %1。请同时按 Ctrl 或 Alt，或改用 F 键。</translation>
    </message>
    <message>
        <source>%1 belongs to “%2” already. Take it away there first, or choose another key.</source>
        <translation>%1 已属于“%2”。请先在那里取消，或另选一个键。</translation>
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
        <translation>死信</translation>
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
    <name>StepsModel</name>
    <message>
        <source>%1 (no answer)</source>
        <translation>%1（无应答）</translation>
    </message>
    <message>
        <source>Delivered</source>
        <translation>已送达</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>No answer</source>
        <translation>无应答</translation>
    </message>
    <message>
        <source>Under way</source>
        <translation>进行中</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>未知</translation>
    </message>
</context>
<context>
    <name>StoreProblem</name>
    <message>
        <source>demo store</source>
        <translation>演示存储</translation>
    </message>
    <message>
        <source>not connected to the store</source>
        <translation>未连接到存储</translation>
    </message>
    <message>
        <source>stored, but the connection was closed since</source>
        <translation>已存储，但此后连接被关闭</translation>
    </message>
    <message>
        <source>state: a job that is done is not stored again</source>
        <translation>状态：已完成的任务不会再次存储</translation>
    </message>
    <message>
        <source>nothing was done, because jobs that are due in a long while cannot be read, and one of them may have this id</source>
        <translation>未执行任何操作：到期时间还很远的任务无法读取，其中可能有使用此 ID 的任务</translation>
    </message>
    <message>
        <source>there are too many of them</source>
        <translation>数量过多</translation>
    </message>
</context>
<context>
    <name>Task</name>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>%1 jobs/s</source>
        <translation>%1 个任务/秒</translation>
    </message>
    <message>
        <source>about %1 s</source>
        <translation>约 %1 秒</translation>
    </message>
    <message>
        <source>about %1 min</source>
        <translation>约 %1 分钟</translation>
    </message>
    <message>
        <source>about %1 h</source>
        <translation>约 %1 小时</translation>
    </message>
</context>
<context>
    <name>TimeText</name>
    <message>
        <source>%1 d</source>
        <translation>%1 天</translation>
    </message>
    <message>
        <source>%1 h</source>
        <translation>%1 小时</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 分钟</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>now</source>
        <translation>现在</translation>
    </message>
    <message>
        <source>in %1</source>
        <translation>%1后</translation>
    </message>
    <message>
        <source>%1 ago</source>
        <translation>%1前</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 毫秒</translation>
    </message>
</context>
<context>
    <name>Topic</name>
    <message>
        <source>Reminders</source>
        <translation>提醒</translation>
    </message>
</context>
<context>
    <name>Tray</name>
    <message>
        <source>&amp;Open Restante</source>
        <translation>打开 Restante(&amp;O)</translation>
    </message>
</context>
<context>
    <name>Verb</name>
    <message>
        <source>Push</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Take</source>
        <translation>领取</translation>
    </message>
    <message>
        <source>Run now</source>
        <translation>立即运行</translation>
    </message>
    <message>
        <source>Reschedule</source>
        <translation>改期</translation>
    </message>
    <message>
        <source>Hold</source>
        <translation>暂留</translation>
    </message>
    <message>
        <source>Release</source>
        <translation>放行</translation>
    </message>
    <message>
        <source>Finish</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Bury</source>
        <translation>放弃</translation>
    </message>
    <message>
        <source>Move to trash</source>
        <translation>移到回收站</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Delete for good</source>
        <translation>永久删除</translation>
    </message>
    <message>
        <source>Bring back</source>
        <translation>恢复到存储</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>修复</translation>
    </message>
    <message>
        <source>Pause topic</source>
        <translation>暂停主题</translation>
    </message>
    <message>
        <source>Resume topic</source>
        <translation>恢复主题</translation>
    </message>
    <message>
        <source>Limit topic</source>
        <translation>限制主题</translation>
    </message>
    <message>
        <source>Trace</source>
        <translation>跟踪消息</translation>
    </message>
    <message>
        <source>Stop tracing</source>
        <translation>停止跟踪消息</translation>
    </message>
    <message numerus="yes">
        <source>%Ln job(s)</source>
        <translation>
            <numerusform>%Ln 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>Run %1 Now</source>
        <translation>立即运行 %1</translation>
    </message>
    <message>
        <source>Reschedule %1</source>
        <translation>将 %1 改期</translation>
    </message>
    <message>
        <source>Release %1</source>
        <translation>放行 %1</translation>
    </message>
    <message>
        <source>Hold %1</source>
        <translation>暂留 %1</translation>
    </message>
    <message>
        <source>Finish %1</source>
        <translation>完成 %1</translation>
    </message>
    <message>
        <source>Give Up %1</source>
        <translation>放弃 %1</translation>
    </message>
    <message>
        <source>Move %1 to Trash</source>
        <translation>将 %1 移到回收站</translation>
    </message>
    <message>
        <source>Restore %1</source>
        <translation>恢复 %1</translation>
    </message>
    <message>
        <source>Delete %1 for Good</source>
        <translation>永久删除 %1</translation>
    </message>
    <message>
        <source>Run %1 now?</source>
        <translation>立即运行 %1？</translation>
    </message>
    <message>
        <source>Reschedule %1?</source>
        <translation>将 %1 改期？</translation>
    </message>
    <message>
        <source>Release %1?</source>
        <translation>放行 %1？</translation>
    </message>
    <message>
        <source>Hold %1?</source>
        <translation>暂留 %1？</translation>
    </message>
    <message>
        <source>Finish %1?</source>
        <translation>完成 %1？</translation>
    </message>
    <message>
        <source>Give up %1?</source>
        <translation>放弃 %1？</translation>
    </message>
    <message>
        <source>Move %1 to the trash?</source>
        <translation>将 %1 移到回收站？</translation>
    </message>
    <message>
        <source>Restore %1?</source>
        <translation>恢复 %1？</translation>
    </message>
    <message>
        <source>Delete %1 for good?</source>
        <translation>永久删除 %1？</translation>
    </message>
    <message>
        <source>%1 ok · %2 skipped · %3 failed</source>
        <translation>成功 %1 · 跳过 %2 · 失败 %3</translation>
    </message>
    <message>
        <source>%1 selected</source>
        <translation>已选 %1</translation>
    </message>
    <message>
        <source>All jobs of the store</source>
        <translation>存储中的全部任务</translation>
    </message>
    <message>
        <source>All that match %1</source>
        <translation>匹配 %1 的全部任务</translation>
    </message>
    <message>
        <source>, minus %1</source>
        <translation>，除去 %1</translation>
    </message>
    <message numerus="yes">
        <source>Run %Ln job(s) now</source>
        <translation>
            <numerusform>立即运行 %Ln 个任务</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln job(s) set going</source>
        <translation>
            <numerusform>已启动 %Ln 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 is set going</source>
        <translation>%1 已启动</translation>
    </message>
    <message numerus="yes">
        <source>Reschedule %Ln job(s)</source>
        <translation>
            <numerusform>改期 %Ln 个任务</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln job(s) rescheduled</source>
        <translation>
            <numerusform>已改期 %Ln 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 is rescheduled</source>
        <translation>%1 已改期</translation>
    </message>
    <message numerus="yes">
        <source>Release %Ln job(s)</source>
        <translation>
            <numerusform>放行 %Ln 个任务</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln job(s) released</source>
        <translation>
            <numerusform>已放行 %Ln 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 is released</source>
        <translation>%1 已放行</translation>
    </message>
    <message numerus="yes">
        <source>Hold %Ln job(s)</source>
        <translation>
            <numerusform>暂留 %Ln 个任务</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln job(s) held</source>
        <translation>
            <numerusform>已暂留 %Ln 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 is held</source>
        <translation>%1 已暂留</translation>
    </message>
    <message numerus="yes">
        <source>Finish %Ln job(s)</source>
        <translation>
            <numerusform>完成 %Ln 个任务</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln job(s) finished</source>
        <translation>
            <numerusform>已完成 %Ln 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 is finished</source>
        <translation>%1 已完成</translation>
    </message>
    <message numerus="yes">
        <source>Give %Ln job(s) up</source>
        <translation>
            <numerusform>放弃 %Ln 个任务</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln job(s) given up</source>
        <translation>
            <numerusform>已放弃 %Ln 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 is given up</source>
        <translation>%1 已放弃</translation>
    </message>
    <message numerus="yes">
        <source>Move %Ln job(s) to the trash</source>
        <translation>
            <numerusform>将 %Ln 个任务移到回收站</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln job(s) moved to the trash</source>
        <translation>
            <numerusform>已将 %Ln 个任务移到回收站</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 is in the trash</source>
        <translation>%1 已移到回收站</translation>
    </message>
    <message numerus="yes">
        <source>Restore %Ln job(s)</source>
        <translation>
            <numerusform>恢复 %Ln 个任务</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln job(s) restored</source>
        <translation>
            <numerusform>已恢复 %Ln 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 is restored</source>
        <translation>%1 已恢复</translation>
    </message>
    <message numerus="yes">
        <source>Delete %Ln job(s) for good</source>
        <translation>
            <numerusform>彻底删除 %Ln 个任务</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln job(s) deleted for good</source>
        <translation>
            <numerusform>已彻底删除 %Ln 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 is deleted for good</source>
        <translation>%1 已彻底删除</translation>
    </message>
</context>
<context>
    <name>WaitingText</name>
    <message>
        <source>Delivered at %1.</source>
        <translation>已于 %1 送达。</translation>
    </message>
    <message>
        <source>In the trash since %1; nothing happens until it is restored.</source>
        <translation>自 %1 起在回收站中；恢复之前不会有任何动作。</translation>
    </message>
    <message>
        <source>Expired at %1 before it was delivered.</source>
        <translation>送达之前已于 %1 过期。</translation>
    </message>
    <message>
        <source>Being delivered now, attempt %1; the answer is awaited until %2.</source>
        <translation>正在投递（第 %1 次尝试），等待应答至 %2。</translation>
    </message>
    <message>
        <source>A consumer works on it; without an answer it is given out again at %1.</source>
        <translation>消费者正在处理；若无应答，将于 %1 重新发放。</translation>
    </message>
    <message>
        <source>Held until somebody releases it; it is due at %1 then.</source>
        <translation>已暂留，等待有人放行；放行后于 %1 到期。</translation>
    </message>
    <message>
        <source>Held until somebody releases it.</source>
        <translation>已暂留，等待有人放行。</translation>
    </message>
    <message>
        <source>Its time has not come: it is due at %1.</source>
        <translation>时间未到：%1 到期。</translation>
    </message>
    <message>
        <source>Topic “%1” delivers at most %2 at a time, and as many are on their way. Its turn comes when one of them ends.</source>
        <translation>主题“%1”最多同时投递 %2 个，目前已满；有一个结束后才轮到它。</translation>
    </message>
    <message>
        <source>Due since %1; topic “%2” gives out no more than %3.</source>
        <translation>自 %1 起已到期；主题“%2”的发放速率上限为 %3。</translation>
    </message>
    <message>
        <source>No running daemon delivers on channel %1. Start restanted, or switch the channel on in its configuration.</source>
        <translation>没有正在运行的守护进程负责 %1 通道。请启动 restanted，或在其配置中启用该通道。</translation>
    </message>
    <message>
        <source>Due since %1; no consumer of topic “%2” has taken it yet.</source>
        <translation>自 %1 起已到期；主题“%2”的消费者尚未取走。</translation>
    </message>
    <message>
        <source>Due since %1; it is delivered in its turn.</source>
        <translation>自 %1 起已到期，正在排队等待投递。</translation>
    </message>
    <message>
        <source>%1 has had no device registered since %2.</source>
        <translation>%1 自 %2 起没有已注册的设备。</translation>
    </message>
    <message>
        <source>%1 has no device registered.</source>
        <translation>%1 没有已注册的设备。</translation>
    </message>
    <message>
        <source>%1 is registered, but could not be reached: %2.</source>
        <translation>%1 已注册，但未能联系上：%2。</translation>
    </message>
    <message>
        <source>It waits in the mailbox of %1.</source>
        <translation>它在 %1 的信箱中等待。</translation>
    </message>
    <message>
        <source>It waits in the mailbox of %1 for its turn.</source>
        <translation>它在 %1 的信箱中等待轮到它。</translation>
    </message>
    <message>
        <source>It is tried at %1 at the latest.</source>
        <translation>最迟于 %1 尝试。</translation>
    </message>
    <message>
        <source>It waits in the mailbox of %1, who could not be reached: %2.</source>
        <translation>它在 %1 的信箱中等待，此前未能联系上：%2。</translation>
    </message>
    <message>
        <source>It is delivered as soon as a device registers.</source>
        <translation>一旦有设备注册就立即投递。</translation>
    </message>
    <message>
        <source>It is tried now.</source>
        <translation>正在尝试投递。</translation>
    </message>
    <message>
        <source>It is delivered as soon as a device registers, and tried again at %1.</source>
        <translation>一旦有设备注册就立即投递，否则于 %1 再次尝试。</translation>
    </message>
    <message>
        <source>It is tried again at %1.</source>
        <translation>将于 %1 再次尝试。</translation>
    </message>
    <message>
        <source>It expires in %1.</source>
        <translation>还有 %1 过期。</translation>
    </message>
    <message>
        <source>Its time is over: it expires now.</source>
        <translation>期限已到，即将过期。</translation>
    </message>
    <message>
        <source>Given up at %1.</source>
        <translation>已于 %1 放弃。</translation>
    </message>
    <message>
        <source>Given up at %1: %2.</source>
        <translation>已于 %1 放弃：%2。</translation>
    </message>
    <message numerus="yes">
        <source>Given up at %1 after %Ln attempt(s).</source>
        <translation>
            <numerusform>尝试 %Ln 次后，已于 %1 放弃。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Given up at %1 after %Ln attempt(s): %2.</source>
        <translation>
            <numerusform>尝试 %Ln 次后，已于 %1 放弃：%2。</numerusform>
        </translation>
    </message>
    <message>
        <source>Attempt %1 failed. It is tried again at %2.</source>
        <translation>第 %1 次尝试失败，将于 %2 重试。</translation>
    </message>
    <message>
        <source>Attempt %1 failed: %2. It is tried again at %3.</source>
        <translation>第 %1 次尝试失败：%2。将于 %3 重试。</translation>
    </message>
    <message>
        <source>Attempt %1 of %2 failed. It is tried again at %3.</source>
        <translation>第 %1 次尝试（共 %2 次）失败，将于 %3 重试。</translation>
    </message>
    <message>
        <source>Attempt %1 of %2 failed: %3. It is tried again at %4.</source>
        <translation>第 %1 次尝试（共 %2 次）失败：%3。将于 %4 重试。</translation>
    </message>
    <message>
        <source>Topic “%1” has been paused since %2; nothing of it is given out until somebody resumes it.</source>
        <translation>主题“%1”自 %2 起已暂停；恢复之前不会发放其中任何任务。</translation>
    </message>
    <message>
        <source>%1 paused topic “%2” at %3; nothing of it is given out until somebody resumes it.</source>
        <translation>%1 于 %3 暂停了主题“%2”；恢复之前不会发放其中任何任务。</translation>
    </message>
    <message>
        <source>%1 paused topic “%2” at %3 (%4); nothing of it is given out until somebody resumes it.</source>
        <translation>%1 于 %3 暂停了主题“%2”（%4）；恢复之前不会发放其中任何任务。</translation>
    </message>
</context>
<context>
    <name>restante::gui::AboutDialog</name>
    <message>
        <source>About Restante</source>
        <translation>关于 Restante</translation>
    </message>
    <message>
        <source>Restante Console</source>
        <translation>Restante 控制台</translation>
    </message>
    <message>
        <source>Version %1, on Qt %2 (built with %3)</source>
        <translation>版本 %1，基于 Qt %2（以 %3 构建）</translation>
    </message>
    <message>
        <source>Looks at the jobs of a Restante store, and steers them.</source>
        <translation>查看并管理 Restante 存储中的任务。</translation>
    </message>
    <message>
        <source>It is made with:</source>
        <translation>使用以下组件：</translation>
    </message>
</context>
<context>
    <name>restante::gui::ActionRegistry</name>
    <message>
        <source>Hold it back no longer: it is due when its time has come</source>
        <translation>不再扣留：到时间即到期</translation>
    </message>
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
        <source>Another step is being undone or redone.</source>
        <translation>另一个步骤正在撤销或重做。</translation>
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
    <message>
        <source>There is nothing to undo.</source>
        <translation>没有可撤销的操作。</translation>
    </message>
    <message>
        <source>There is nothing to redo.</source>
        <translation>没有可重做的操作。</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>恢复发放</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>“%1” is paused: give out its jobs again</source>
        <translation>“%1”已暂停：重新开始分发其任务</translation>
    </message>
    <message>
        <source>“%1” is not paused: give out nothing of it until it is resumed</source>
        <translation>“%1”未暂停：停止分发其任务，直到恢复为止</translation>
    </message>
    <message>
        <source>There is no other window.</source>
        <translation>没有其他窗口。</translation>
    </message>
</context>
<context>
    <name>restante::gui::AlertButton</name>
    <message numerus="yes">
        <source>%n alert(s)</source>
        <translation>
            <numerusform>%Ln 条告警</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n alert(s) acknowledged</source>
        <translation>
            <numerusform>%Ln 条告警已确认</numerusform>
        </translation>
    </message>
    <message>
        <source>No alerts</source>
        <translation>没有告警</translation>
    </message>
    <message>
        <source>Muted for an hour at most</source>
        <translation>已静音，最长一小时</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
</context>
<context>
    <name>restante::gui::AlertCenter</name>
    <message>
        <source>Ended: %1</source>
        <comment>an alert</comment>
        <translation>已结束：%1</translation>
    </message>
    <message>
        <source>It is as it should be again.</source>
        <translation>已恢复正常。</translation>
    </message>
    <message>
        <source>It is as it should be again. It was %1.</source>
        <translation>已恢复正常。曾达到：%1。</translation>
    </message>
</context>
<context>
    <name>restante::gui::AlertPanel</name>
    <message>
        <source>No store is open, so nothing is watched.</source>
        <translation>没有打开存储，因此没有监视。</translation>
    </message>
    <message>
        <source>No alert fires</source>
        <translation>没有告警</translation>
    </message>
    <message numerus="yes">
        <source>%n alert(s) fire</source>
        <translation>
            <numerusform>%Ln 条告警正在触发</numerusform>
        </translation>
    </message>
    <message>
        <source>An alert fires when a rule has held for long enough. It is then listed here, with where to mend it, and stays listed when it has ended.</source>
        <translation>规则的条件持续足够久就会触发告警。告警列在这里，并指明去哪里处理；结束后仍保留在列表中。</translation>
    </message>
    <message>
        <source>Ended</source>
        <translation>已结束</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>an alert, how bad it is</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1 This is as it was known last; how it is now is not known.</source>
        <translation>%1这是最后一次得知的情况；现在如何尚不清楚。</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>%1 to %2, %3</source>
        <translation>%1 至 %2，%3</translation>
    </message>
    <message>
        <source>since %1, acknowledged</source>
        <translation>自 %1 起，已确认</translation>
    </message>
    <message>
        <source>since %1</source>
        <translation>自 %1 起</translation>
    </message>
    <message>
        <source>Not known at the moment: %1.</source>
        <translation>目前无法判断：%1。</translation>
    </message>
    <message>
        <source>Alerts</source>
        <translation>告警</translation>
    </message>
    <message>
        <source>&amp;Acknowledge All</source>
        <translation>全部确认(&amp;A)</translation>
    </message>
    <message>
        <source>Somebody has seen them: they are no longer counted at the bell</source>
        <translation>有人已看过：不再计入铃铛上的数字</translation>
    </message>
</context>
<context>
    <name>restante::gui::AlertStrip</name>
    <message>
        <source>%1 (%2): %3</source>
        <comment>an alert, how bad it is, what is the matter</comment>
        <translation>%1（%2）：%3</translation>
    </message>
    <message numerus="yes">
        <source>%1 %n more alert(s).</source>
        <translation>
            <numerusform>%1另有 %Ln 条告警。</numerusform>
        </translation>
    </message>
    <message>
        <source>Acknowledge</source>
        <translation>确认</translation>
    </message>
    <message>
        <source>Acknowledge: %1</source>
        <translation>确认：%1</translation>
    </message>
</context>
<context>
    <name>restante::gui::AttemptsTab</name>
    <message>
        <source>Given out</source>
        <translation>已发放</translation>
    </message>
    <message>
        <source>Attempts to deliver the job</source>
        <translation>投递该任务的尝试</translation>
    </message>
    <message>
        <source>The attempts as a sequence diagram; the table has the same in words</source>
        <translation>以时序图显示尝试；表格中有同样的文字说明</translation>
    </message>
    <message>
        <source>Two attempts compared</source>
        <translation>两次尝试的比较</translation>
    </message>
    <message>
        <source>The attempts are in the history, and there is none: %1</source>
        <translation>尝试记录在历史中，而历史不可用：%1</translation>
    </message>
    <message>
        <source>Asking the journal…</source>
        <translation>正在查询日志库…</translation>
    </message>
    <message>
        <source>Nobody has tried to deliver this job yet.</source>
        <translation>还没有人尝试投递该任务。</translation>
    </message>
    <message>
        <source>&amp;Attempts</source>
        <translation>尝试(&amp;A)</translation>
    </message>
    <message>
        <source>Requests sent: %1. Attempts used up: %2.</source>
        <translation>已发送请求：%1。已用尝试次数：%2。</translation>
    </message>
    <message numerus="yes">
        <source>What was sent in %Ln attempt(s) is not known, because no journal keeps it.</source>
        <translation>
            <numerusform>%Ln 次尝试中发送了什么无从得知，因为没有日志库保存。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln lease(s).</source>
        <translation>
            <numerusform>%Ln 次租约。</numerusform>
        </translation>
    </message>
    <message>
        <source>Select two to compare them.</source>
        <translation>选中两项即可比较。</translation>
    </message>
    <message numerus="yes">
        <source>Nothing was sent %Ln time(s), because no device was registered; the last time at %1.</source>
        <translation>
            <numerusform>有 %Ln 次因没有已注册的设备而未发送任何内容，最近一次在 %1。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>It was taken up %Ln time(s) without anything being sent; the last time at %1.</source>
        <translation>
            <numerusform>有 %Ln 次被取出但未发送任何内容，最近一次在 %1。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>It was taken up %Ln time(s) without anything being sent; the last time at %1: %2</source>
        <translation>
            <numerusform>有 %Ln 次被取出但未发送任何内容，最近一次在 %1：%2</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>restante::gui::AuditExport</name>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
</context>
<context>
    <name>restante::gui::AuditFilter</name>
    <message>
        <source>Who</source>
        <translation>谁</translation>
    </message>
    <message>
        <source>Show only what people of this name did</source>
        <translation>只显示该名称的人所做的操作</translation>
    </message>
    <message>
        <source>Job, topic or reason</source>
        <translation>任务、主题或原因</translation>
    </message>
    <message>
        <source>Show only writes whose job, topic or reason contains this</source>
        <translation>仅显示任务、主题或原因含有此内容的更改</translation>
    </message>
    <message>
        <source>Show only this kind of write</source>
        <translation>只显示此类写入</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Show only writes of this time</source>
        <translation>仅显示此时间的更改</translation>
    </message>
    <message>
        <source>At any time</source>
        <translation>任何时间</translation>
    </message>
    <message>
        <source>Last hour</source>
        <translation>最近一小时</translation>
    </message>
    <message>
        <source>Last 24 hours</source>
        <translation>最近 24 小时</translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation>最近 7 天</translation>
    </message>
    <message>
        <source>Last 30 days</source>
        <translation>最近 30 天</translation>
    </message>
    <message>
        <source>Between…</source>
        <translation>介于…</translation>
    </message>
    <message>
        <source>From this time on</source>
        <translation>从此时起</translation>
    </message>
    <message>
        <source>Up to this time</source>
        <translation>到此时为止</translation>
    </message>
</context>
<context>
    <name>restante::gui::AuditModel</name>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>发生了什么</translation>
    </message>
    <message>
        <source>Enter hides each of them again</source>
        <translation>按回车键收起明细</translation>
    </message>
    <message>
        <source>Enter shows each of them</source>
        <translation>按回车键展开明细</translation>
    </message>
    <message>
        <source>%1 before, %2 since</source>
        <comment>states</comment>
        <translation>之前：%1，之后：%2</translation>
    </message>
</context>
<context>
    <name>restante::gui::AuditPage</name>
    <message>
        <source>The audit could not be read: %1</source>
        <translation>无法读取审计：%1</translation>
    </message>
    <message>
        <source>Export the Audit</source>
        <translation>导出审计</translation>
    </message>
    <message>
        <source>Comma-separated values (*.csv)</source>
        <translation>逗号分隔值 (*.csv)</translation>
    </message>
    <message numerus="yes">
        <source>Exporting: %n row(s) so far</source>
        <translation>
            <numerusform>正在导出：已写 %n 行</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n row(s) written to %1</source>
        <translation>
            <numerusform>已将 %n 行写入 %1</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 has not been written: %2</source>
        <translation>%1 未写入：%2</translation>
    </message>
    <message>
        <source>Not connected</source>
        <translation>未连接</translation>
    </message>
    <message>
        <source>Open a connection to see who changed what.</source>
        <translation>打开一个连接以查看谁更改了什么。</translation>
    </message>
    <message>
        <source>No audit</source>
        <translation>没有审计</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>没有找到</translation>
    </message>
    <message>
        <source>Show Everything</source>
        <translation>显示全部</translation>
    </message>
    <message>
        <source>Nothing has been changed yet</source>
        <translation>尚无任何更改</translation>
    </message>
    <message>
        <source>Everything that people do to jobs and topics is listed here.</source>
        <translation>人们对任务和主题所做的一切都列在这里。</translation>
    </message>
    <message numerus="yes">
        <source>%n write(s)</source>
        <translation>
            <numerusform>%n 次写入</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The newest %n write(s); scroll down for more</source>
        <translation>
            <numerusform>最近的 %n 次写入；向下滚动查看更多</numerusform>
        </translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Write all that the filter finds to a file</source>
        <translation>将筛选结果全部写入文件</translation>
    </message>
    <message>
        <source>Writes of people</source>
        <translation>人工写入</translation>
    </message>
    <message>
        <source>Nobody has done that, as far as is known.</source>
        <translation>据所知，没有人这样做过。</translation>
    </message>
    <message>
        <source>%1 Listed is what the store&apos;s own events still know: the newest writes. For everything, name the journal&apos;s URL in the connection (File, Open Connection).</source>
        <translation>%1 列出的是存储自身事件仍记得的内容：最新的更改。要查看全部，请在连接中填写日志的网址（文件，打开连接）。</translation>
    </message>
</context>
<context>
    <name>restante::gui::Chart</name>
    <message>
        <source>%1/s</source>
        <translation>%1/秒</translation>
    </message>
    <message>
        <source>not watched</source>
        <translation>未监测</translation>
    </message>
    <message>
        <source>%1/min</source>
        <translation>%1/分</translation>
    </message>
    <message>
        <source>%1/h</source>
        <translation>%1/时</translation>
    </message>
    <message>
        <source>%1/d</source>
        <translation>%1/天</translation>
    </message>
</context>
<context>
    <name>restante::gui::ColumnsDialog</name>
    <message>
        <source>Move &amp;Up</source>
        <translation>上移(&amp;U)</translation>
    </message>
    <message>
        <source>Move &amp;Down</source>
        <translation>下移(&amp;D)</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>列</translation>
    </message>
    <message>
        <source>&amp;Columns that are shown, from left to right:</source>
        <translation>显示的列，从左到右(&amp;C)：</translation>
    </message>
    <message>
        <source>&amp;Reset</source>
        <translation>重置(&amp;R)</translation>
    </message>
</context>
<context>
    <name>restante::gui::CommandPalette</name>
    <message>
        <source>Command Palette</source>
        <translation>命令面板</translation>
    </message>
    <message>
        <source>A command, a saved view, a connection, or the id of a job</source>
        <translation>命令、已存视图、连接或任务编号</translation>
    </message>
    <message>
        <source>What has been found</source>
        <translation>找到的内容</translation>
    </message>
</context>
<context>
    <name>restante::gui::ConfirmDialog</name>
    <message>
        <source>others %1</source>
        <translation>其他 %1</translation>
    </message>
    <message>
        <source>counting…</source>
        <translation>正在计数…</translation>
    </message>
    <message>
        <source>&amp;Type %1 to confirm:</source>
        <translation>键入 %1 以确认(&amp;T)：</translation>
    </message>
    <message>
        <source>They could not be counted: %1</source>
        <translation>无法计数：%1</translation>
    </message>
    <message>
        <source>None of these jobs is in a state for that any more.</source>
        <translation>这些任务都已不在允许此操作的状态。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln job(s) no longer match and will be skipped.</source>
        <translation>
            <numerusform>%Ln 个任务已不再匹配，将被跳过。</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing brings them back.</source>
        <translation>删除后无法恢复。</translation>
    </message>
    <message>
        <source>They become due at once. What has been delivered cannot be taken back.</source>
        <translation>它们将立即到期。已投递的无法收回。</translation>
    </message>
    <message>
        <source>They can be restored until the trash is emptied.</source>
        <translation>清空回收站之前可以恢复。</translation>
    </message>
    <message>
        <source>This can be undone while the connection is open.</source>
        <translation>连接打开期间可以撤销。</translation>
    </message>
    <message>
        <source>Jobs:</source>
        <translation>任务：</translation>
    </message>
    <message>
        <source>By state:</source>
        <translation>按状态：</translation>
    </message>
    <message>
        <source>By topic:</source>
        <translation>按主题：</translation>
    </message>
    <message>
        <source>&amp;Reason:</source>
        <translation>原因(&amp;R)：</translation>
    </message>
    <message>
        <source>Counting</source>
        <translation>计数</translation>
    </message>
    <message>
        <source>The count, typed</source>
        <translation>键入的数量</translation>
    </message>
    <message>
        <source>Count &amp;Again</source>
        <translation>重新计数(&amp;A)</translation>
    </message>
    <message>
        <source>There are more by now: please look at the numbers again.</source>
        <translation>现在又多了一些：请再看一下数目。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln job(s) came in after you selected and will be left alone.</source>
        <translation>
            <numerusform>有 %Ln 个任务在您选择之后到来，不会被触及。</numerusform>
        </translation>
    </message>
    <message>
        <source>no answer</source>
        <translation>没有应答</translation>
    </message>
</context>
<context>
    <name>restante::gui::ConnectionDialog</name>
    <message>
        <source>Password</source>
        <translation>密码</translation>
    </message>
    <message>
        <source>the default user</source>
        <translation>默认用户</translation>
    </message>
    <message>
        <source>Password of %1 for %2:</source>
        <translation>%1 在 %2 的密码：</translation>
    </message>
    <message>
        <source>Connections</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Steps of the test</source>
        <translation>测试步骤</translation>
    </message>
    <message>
        <source>Test, step by step:</source>
        <translation>逐步测试：</translation>
    </message>
    <message>
        <source>New</source>
        <translation>新建</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Add from a redis:// address…</source>
        <translation>从 redis:// 地址添加…</translation>
    </message>
    <message>
        <source>Import from a file…</source>
        <translation>从文件导入…</translation>
    </message>
    <message>
        <source>Export all, without passwords…</source>
        <translation>全部导出（不含密码）…</translation>
    </message>
    <message>
        <source>&amp;Test</source>
        <translation>测试(&amp;T)</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>&amp;Connect</source>
        <translation>连接(&amp;C)</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>New connection</source>
        <translation>新连接</translation>
    </message>
    <message>
        <source>%1 (copy)</source>
        <translation>%1（副本）</translation>
    </message>
    <message>
        <source>Remove the connection?</source>
        <translation>移除此连接？</translation>
    </message>
    <message>
        <source>Remove “%1” and its password? The store is not touched.</source>
        <translation>移除“%1”及其密码？存储不受影响。</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>The connection works.</source>
        <translation>连接正常。</translation>
    </message>
    <message>
        <source>The connection does not work.</source>
        <translation>连接不正常。</translation>
    </message>
    <message>
        <source>%1 Choose “Ask each time” instead.</source>
        <translation>%1 请改选“每次询问”。</translation>
    </message>
    <message>
        <source>Add from an address</source>
        <translation>从地址添加</translation>
    </message>
    <message>
        <source>An address of one of these forms; with rediss it is over TLS:</source>
        <translation>以下形式之一的地址；rediss 表示通过 TLS：</translation>
    </message>
    <message>
        <source>Export connections</source>
        <translation>导出连接</translation>
    </message>
    <message>
        <source>Import connections</source>
        <translation>导入连接</translation>
    </message>
    <message>
        <source>Connections (*.json)</source>
        <translation>连接 (*.json)</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>无法读取 %1：%2</translation>
    </message>
    <message>
        <source>Enter the password of the sentinels, or let it be that of Redis.</source>
        <translation>请填写哨兵的密码，或设为使用 Redis 的密码。</translation>
    </message>
    <message>
        <source>Open in New &amp;Window</source>
        <translation>在新窗口中打开(&amp;W)</translation>
    </message>
</context>
<context>
    <name>restante::gui::ConnectionForm</name>
    <message>
        <source>&amp;Name:</source>
        <translation>名称(&amp;N)：</translation>
    </message>
    <message>
        <source>&amp;Mode:</source>
        <translation>模式(&amp;M)：</translation>
    </message>
    <message>
        <source>&amp;Store:</source>
        <translation>存储(&amp;S)：</translation>
    </message>
    <message>
        <source>Con&amp;figuration:</source>
        <translation>配置(&amp;F)：</translation>
    </message>
    <message>
        <source>&amp;Reached by:</source>
        <translation>连接方式(&amp;R)：</translation>
    </message>
    <message>
        <source>&amp;Host:</source>
        <translation>主机(&amp;H)：</translation>
    </message>
    <message>
        <source>&amp;Port:</source>
        <translation>端口(&amp;P)：</translation>
    </message>
    <message>
        <source>&amp;Database:</source>
        <translation>数据库(&amp;D)：</translation>
    </message>
    <message>
        <source>&amp;User:</source>
        <translation>用户(&amp;U)：</translation>
    </message>
    <message>
        <source>Pass&amp;word:</source>
        <translation>密码(&amp;W)：</translation>
    </message>
    <message>
        <source>Pr&amp;efix of the keys:</source>
        <translation>键的前缀(&amp;E)：</translation>
    </message>
    <message>
        <source>&amp;Journal:</source>
        <translation>日志库(&amp;J)：</translation>
    </message>
    <message>
        <source>T&amp;ime-out:</source>
        <translation>超时(&amp;I)：</translation>
    </message>
    <message>
        <source>Normal</source>
        <translation>普通</translation>
    </message>
    <message>
        <source>Production: bulk changes want the count to be typed</source>
        <translation>生产环境：批量更改需要键入数量</translation>
    </message>
    <message>
        <source>Read-only: nothing can be changed</source>
        <translation>只读：不能做任何更改</translation>
    </message>
    <message>
        <source>Of a daemon on this machine</source>
        <translation>本机守护进程的存储</translation>
    </message>
    <message>
        <source>Redis</source>
        <translation>Redis</translation>
    </message>
    <message>
        <source>Demo: made up</source>
        <translation>演示：虚构数据</translation>
    </message>
    <message>
        <source>Host and port</source>
        <translation>主机和端口</translation>
    </message>
    <message>
        <source>Unix socket</source>
        <translation>Unix 套接字</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>In the keychain</source>
        <translation>存入钥匙串</translation>
    </message>
    <message>
        <source>Ask each time</source>
        <translation>每次询问</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>浏览…</translation>
    </message>
    <message>
        <source>Choose the configuration file</source>
        <translation>选择配置文件</translation>
    </message>
    <message>
        <source>the default user</source>
        <translation>默认用户</translation>
    </message>
    <message>
        <source>as in the configuration, or none</source>
        <translation>与配置相同，或没有</translation>
    </message>
    <message>
        <source> s</source>
        <translation> 秒</translation>
    </message>
    <message>
        <source>unchanged</source>
        <translation>不变</translation>
    </message>
    <message>
        <source>Configuration of the daemon</source>
        <translation>守护进程的配置</translation>
    </message>
    <message>
        <source>Configurations (*.toml);;All files (*)</source>
        <translation>配置 (*.toml);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Sentine&amp;ls:</source>
        <translation>哨兵(&amp;L)：</translation>
    </message>
    <message>
        <source>Master&apos;s n&amp;ame:</source>
        <translation>主节点名称(&amp;A)：</translation>
    </message>
    <message>
        <source>Sentinels, which know its master</source>
        <translation>认识主节点的哨兵</translation>
    </message>
    <message>
        <source>Colour:</source>
        <translation>颜色：</translation>
    </message>
    <message>
        <source>Uni&amp;x socket:</source>
        <translation>Unix 套接字(&amp;X)：</translation>
    </message>
    <message>
        <source>Password to keep:</source>
        <translation>保存的密码：</translation>
    </message>
    <message>
        <source>Nodes of a cluster, which know the others</source>
        <translation>认识其他节点的集群节点</translation>
    </message>
    <message>
        <source>A cluster has no databases but the first.</source>
        <translation>集群只有第一个数据库。</translation>
    </message>
    <message>
        <source>C&amp;luster&apos;s nodes:</source>
        <translation>集群节点(&amp;L)：</translation>
    </message>
</context>
<context>
    <name>restante::gui::Console</name>
    <message>
        <source>There is no connection to take a picture of.</source>
        <translation>没有可截图的连接。</translation>
    </message>
    <message>
        <source>The picture cannot be written to %1.</source>
        <translation>无法将图片写入 %1。</translation>
    </message>
    <message>
        <source>Redis</source>
        <translation>Redis</translation>
    </message>
    <message>
        <source>window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>“%1” was open already. Window, Duplicate Window opens it a second time.</source>
        <translation>“%1”已经打开。要再开一个，请选择“窗口 &gt; 复制窗口”。</translation>
    </message>
    <message numerus="yes">
        <source>%1: %Ln task(s)</source>
        <translation>
            <numerusform>%1：%Ln 个操作</numerusform>
        </translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>&amp;Quit Anyway</source>
        <translation>仍然退出(&amp;Q)</translation>
    </message>
    <message numerus="yes">
        <source>%Ln task(s) are running and will be stopped.</source>
        <translation>
            <numerusform>有 %Ln 个操作正在进行，将被停止。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>restante::gui::ErrorBar</name>
    <message>
        <source>The store did not answer as it should: %1 (%2)</source>
        <translation>存储未正常应答：%1（%2）</translation>
    </message>
    <message>
        <source>What is shown is %1 old.</source>
        <translation>所显示的内容是 %1前的。</translation>
    </message>
</context>
<context>
    <name>restante::gui::ExportDialog</name>
    <message>
        <source>Choose at least one column.</source>
        <translation>请至少选择一列。</translation>
    </message>
    <message>
        <source>Spreadsheets take cells that begin with = + - @ for formulas, and phone numbers begin with +. They are quoted; an apostrophe before them also keeps spreadsheets from calculating.</source>
        <translation>电子表格把以 = + - @ 开头的单元格当作公式，而电话号码以 + 开头。它们会加引号；前面加撇号还可阻止电子表格计算。</translation>
    </message>
    <message>
        <source>Only SIP messages are written; other jobs are skipped.</source>
        <translation>只写出 SIP 消息；其他任务被跳过。</translation>
    </message>
    <message>
        <source>Without payloads the file cannot be imported again.</source>
        <translation>没有内容的文件不能再次导入。</translation>
    </message>
    <message>
        <source>Export To</source>
        <translation>导出到</translation>
    </message>
    <message>
        <source>Replace the file?</source>
        <translation>替换该文件？</translation>
    </message>
    <message>
        <source>“%1” is there already, or another export is writing it. Replace it?</source>
        <translation>“%1”已存在，或另一次导出正在写入它。要替换吗？</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>替换</translation>
    </message>
    <message>
        <source>%1 is no place for a file.</source>
        <translation>%1 不是可存放文件的位置。</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>&amp;Jobs:</source>
        <translation>任务(&amp;J)：</translation>
    </message>
    <message>
        <source>Nothing is selected</source>
        <translation>没有选择</translation>
    </message>
    <message>
        <source>Selected: %1</source>
        <translation>所选：%1</translation>
    </message>
    <message>
        <source>All jobs of the store</source>
        <translation>存储中的全部任务</translation>
    </message>
    <message>
        <source>All that match: %1</source>
        <translation>全部匹配：%1</translation>
    </message>
    <message>
        <source>&amp;Format:</source>
        <translation>格式(&amp;F)：</translation>
    </message>
    <message>
        <source>CSV, for spreadsheets</source>
        <translation>CSV，用于电子表格</translation>
    </message>
    <message>
        <source>JSON Lines, which can be imported again</source>
        <translation>JSON Lines，可再次导入</translation>
    </message>
    <message>
        <source>SIP messages</source>
        <translation>SIP 消息</translation>
    </message>
    <message>
        <source>&amp;Columns:</source>
        <translation>列(&amp;C)：</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>列</translation>
    </message>
    <message>
        <source>&amp;Leave out the payloads</source>
        <translation>不含内容(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Include the history of each job</source>
        <translation>包含每个任务的历史(&amp;I)</translation>
    </message>
    <message>
        <source>Put an &amp;apostrophe before formulas</source>
        <translation>在公式前加撇号(&amp;A)</translation>
    </message>
    <message>
        <source>File &amp;name:</source>
        <translation>文件名(&amp;N)：</translation>
    </message>
    <message>
        <source>&amp;Browse…</source>
        <translation>浏览(&amp;B)…</translation>
    </message>
    <message>
        <source>&amp;Export</source>
        <translation>导出(&amp;E)</translation>
    </message>
</context>
<context>
    <name>restante::gui::Exporter</name>
    <message>
        <source>the connection was closed; no file was written</source>
        <translation>连接已关闭；没有写入文件</translation>
    </message>
    <message>
        <source>Export to %1</source>
        <translation>导出到 %1</translation>
    </message>
    <message>
        <source>no file was written</source>
        <translation>没有写入文件</translation>
    </message>
</context>
<context>
    <name>restante::gui::FacetSidebar</name>
    <message>
        <source>Filters</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Topics</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Saved views</source>
        <translation>已存视图</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>%1 (paused)</source>
        <translation>%1（已暂停）</translation>
    </message>
    <message numerus="yes">
        <source>%n more topic(s)</source>
        <translation>
            <numerusform>另有 %n 个主题</numerusform>
        </translation>
    </message>
    <message>
        <source>Star a filter to keep it</source>
        <translation>为筛选加星以保存</translation>
    </message>
    <message>
        <source>chosen</source>
        <translation>已选</translation>
    </message>
    <message>
        <source>&amp;Rename…</source>
        <translation>重命名(&amp;R)…</translation>
    </message>
    <message>
        <source>Remove this &amp;View</source>
        <translation>移除此视图(&amp;V)</translation>
    </message>
    <message>
        <source>not counted in this state</source>
        <translation>此状态下不计数</translation>
    </message>
    <message>
        <source>not counted under a filter</source>
        <translation>有筛选条件时不计数</translation>
    </message>
    <message>
        <source>%1 scheduled or ready; jobs in other states are not counted by channel and topic</source>
        <translation>%1 个已计划或就绪；其他状态的任务不按通道和主题计数</translation>
    </message>
    <message>
        <source>Channels</source>
        <translation>通道</translation>
    </message>
    <message>
        <source>The store counts all jobs of a channel or topic, not those that a filter finds. A click narrows the view all the same.</source>
        <translation>存储按通道或主题统计全部任务，而不是筛选出的任务。单击仍会缩小视图。</translation>
    </message>
    <message>
        <source>Last failure</source>
        <translation>最近失败原因</translation>
    </message>
    <message numerus="yes">
        <source>%n more reason(s)</source>
        <translation>
            <numerusform>另有 %n 种原因</numerusform>
        </translation>
    </message>
    <message>
        <source>The jobs of these states are not counted by channel and topic. A click narrows the view all the same.</source>
        <translation>这些状态的任务不按渠道和主题计数。点击仍可缩小视图范围。</translation>
    </message>
    <message numerus="yes">
        <source>&amp;Retry These %Ln Job(s)</source>
        <translation>
            <numerusform>重试这 %Ln 个任务(&amp;R)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>restante::gui::Figure</name>
    <message>
        <source>%1 in the last 24 hours</source>
        <translation>%1（最近 24 小时）</translation>
    </message>
</context>
<context>
    <name>restante::gui::FilterBar</name>
    <message>
        <source>valid</source>
        <translation>有效</translation>
    </message>
    <message>
        <source>valid, slow</source>
        <translation>有效，较慢</translation>
    </message>
    <message>
        <source>cannot be read</source>
        <translation>无法读取</translation>
    </message>
    <message>
        <source>Column %1: %2</source>
        <translation>第 %1 列：%2</translation>
    </message>
    <message>
        <source>&amp;Keep this View…</source>
        <translation>保存此视图(&amp;K)…</translation>
    </message>
    <message>
        <source>Filter, for example state:dead to:*@example.org due&lt;1h</source>
        <translation>筛选，例如 state:dead to:*@example.org due&lt;1h</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Return applies, Escape goes back, Down shows earlier filters</source>
        <translation>回车应用，Esc 还原，向下键显示以前的筛选</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>已存</translation>
    </message>
    <message>
        <source>Keep this view, or go to one that was kept</source>
        <translation>保存此视图，或转到已保存的视图</translation>
    </message>
    <message>
        <source>Begin a term of the filter</source>
        <translation>开始一个筛选项</translation>
    </message>
    <message>
        <source>Did you mean %1?</source>
        <translation>您是否想输入 %1？</translation>
    </message>
    <message>
        <source>Remove %1 from the filter</source>
        <translation>从筛选中移除 %1</translation>
    </message>
</context>
<context>
    <name>restante::gui::FindBar</name>
    <message>
        <source>Find in the payload; bytes as 0x0d0a</source>
        <translation>在内容中查找；字节写作 0x0d0a</translation>
    </message>
    <message>
        <source>Find in the payload</source>
        <translation>在内容中查找</translation>
    </message>
    <message>
        <source>The place before (Shift+F3)</source>
        <translation>上一处 (Shift+F3)</translation>
    </message>
    <message>
        <source>The place before</source>
        <translation>上一处</translation>
    </message>
    <message>
        <source>The next place (F3)</source>
        <translation>下一处 (F3)</translation>
    </message>
    <message>
        <source>The next place</source>
        <translation>下一处</translation>
    </message>
    <message>
        <source>Close (Esc)</source>
        <translation>关闭 (Esc)</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>&amp;Match case</source>
        <translation>区分大小写(&amp;M)</translation>
    </message>
</context>
<context>
    <name>restante::gui::FullestMailboxes</name>
    <message>
        <source>Fullest mailboxes</source>
        <translation>积压最多的信箱</translation>
    </message>
    <message>
        <source>All %1</source>
        <translation>全部 %1</translation>
    </message>
    <message>
        <source>All of them</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>No mailbox has messages.</source>
        <translation>没有信箱积压消息。</translation>
    </message>
    <message>
        <source>There may be fuller ones: not all were looked at.</source>
        <translation>未查看全部信箱，可能还有积压更多的。</translation>
    </message>
    <message>
        <source>Mailbox of %1</source>
        <translation>%1 的信箱</translation>
    </message>
</context>
<context>
    <name>restante::gui::GoToDialog</name>
    <message>
        <source>The store has no job of that id. It may be finished by now.</source>
        <translation>存储中没有该编号的任务。可能已经完成。</translation>
    </message>
    <message>
        <source>Go to Job</source>
        <translation>转到任务</translation>
    </message>
    <message>
        <source>&amp;Id:</source>
        <translation>编号(&amp;I)：</translation>
    </message>
    <message>
        <source>&amp;Go</source>
        <translation>转到(&amp;G)</translation>
    </message>
</context>
<context>
    <name>restante::gui::HelpWindow</name>
    <message>
        <source>contained in an address, the topic or the error</source>
        <translation>包含在地址、主题或错误中</translation>
    </message>
    <message>
        <source>a field has this value</source>
        <translation>字段等于此值</translation>
    </message>
    <message>
        <source>one of these values</source>
        <translation>这些值之一</translation>
    </message>
    <message>
        <source>any text in place of the star</source>
        <translation>星号处为任意文本</translation>
    </message>
    <message>
        <source>more or less than a number</source>
        <translation>大于或小于某数</translation>
    </message>
    <message>
        <source>due within the hour; pushed more than a week ago</source>
        <translation>一小时内到期；一周以前添加</translation>
    </message>
    <message>
        <source>from one day to another</source>
        <translation>从某日到某日</translation>
    </message>
    <message>
        <source>not so</source>
        <translation>排除</translation>
    </message>
    <message>
        <source>either, and in groups</source>
        <translation>任一，可分组</translation>
    </message>
    <message>
        <source>a phrase with spaces</source>
        <translation>带空格的短语</translation>
    </message>
    <message>
        <source>Fields: %1.</source>
        <translation>字段：%1。</translation>
    </message>
    <message>
        <source>A green box can be answered at once. A yellow one is valid, but the store must look at every job: it can be stopped at any time. A red one cannot be read, and says where.</source>
        <translation>绿色表示可立即应答。黄色表示有效，但存储须逐个查看任务：可随时停止。红色表示无法读取，并指出位置。</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>Filters</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Acting on jobs</source>
        <translation>对任务执行操作</translation>
    </message>
    <message>
        <source>An action applies to exactly what is selected. Select All Matching takes every job that the filter finds, on the screen or not; single rows can be taken out again.</source>
        <translation>操作恰好作用于所选内容。“选择全部匹配项”包括筛选找到的所有任务，无论是否在屏幕上；可以再排除个别行。</translation>
    </message>
    <message>
        <source>Moving to the trash, holding and rescheduling can be undone. Deleting for good cannot, and asks first.</source>
        <translation>移到回收站、暂留和改期可以撤销。永久删除不能撤销，会先询问。</translation>
    </message>
    <message>
        <source>The other pages</source>
        <translation>其他页面</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>Topics shows what waits in each topic and how late it is, and pauses topics. Monitor draws rates, backlog and lateness from the moment of connecting on, and what went in and out before as the journal has it; what nobody knows stays a gap. Audit lists what people changed.</source>
        <translation>“主题”页显示每个主题中等待的任务及其延迟，并可暂停主题。“监控”页从连接时起绘制速率、积压和延迟，此前的流入与流出以日志库的记录为准；无人知晓的时段留空。“审计”页列出人员所做的更改。</translation>
    </message>
</context>
<context>
    <name>restante::gui::HistoryModel</name>
    <message>
        <source>(gone)</source>
        <translation>（已消失）</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>发生了什么</translation>
    </message>
    <message>
        <source>From</source>
        <translation>发件人</translation>
    </message>
    <message>
        <source>To</source>
        <translation>收件人</translation>
    </message>
    <message>
        <source>By</source>
        <translation>执行者</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Worker</source>
        <translation>执行进程</translation>
    </message>
    <message>
        <source>What it told</source>
        <translation>其说明</translation>
    </message>
</context>
<context>
    <name>restante::gui::HistoryTab</name>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Write the history to a file</source>
        <translation>将历史写入文件</translation>
    </message>
    <message>
        <source>History of the job</source>
        <translation>任务的历史</translation>
    </message>
    <message>
        <source>Not up to date: %1</source>
        <translation>不是最新：%1</translation>
    </message>
    <message>
        <source>There is no history: %1</source>
        <translation>没有历史：%1</translation>
    </message>
    <message>
        <source>Asking the journal…</source>
        <translation>正在查询日志库…</translation>
    </message>
    <message>
        <source>The journal has no history of this job.</source>
        <translation>日志库中没有该任务的历史。</translation>
    </message>
    <message numerus="yes">
        <source>%n transition(s), oldest first</source>
        <translation>
            <numerusform>%n 次转换，最早的在前</numerusform>
        </translation>
    </message>
    <message>
        <source>Export History</source>
        <translation>导出历史</translation>
    </message>
    <message>
        <source>JSON Lines (*.jsonl)</source>
        <translation>JSON Lines (*.jsonl)</translation>
    </message>
    <message>
        <source>CSV (*.csv)</source>
        <translation>CSV (*.csv)</translation>
    </message>
    <message>
        <source>Saved as %1</source>
        <translation>已保存为 %1</translation>
    </message>
    <message>
        <source>Hi&amp;story</source>
        <translation>历史(&amp;S)</translation>
    </message>
</context>
<context>
    <name>restante::gui::ImportDialog</name>
    <message>
        <source>Checking: %1 so far</source>
        <translation>正在检查：已 %1</translation>
    </message>
    <message>
        <source>&amp;Import %1</source>
        <translation>导入 %1(&amp;I)</translation>
    </message>
    <message>
        <source>%1 can be stored.</source>
        <translation>可以存储 %1。</translation>
    </message>
    <message>
        <source>Besides the wrong lines it has %1.</source>
        <translation>除错误的行外还有 %1。</translation>
    </message>
    <message>
        <source>%1 are done already and are left out.</source>
        <translation>其中 %1 已完成，将被忽略。</translation>
    </message>
    <message>
        <source>Lines with pauses, limits or once keys: %1.</source>
        <translation>含暂停、限制或一次性键的行：%1。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln line(s) are wrong, so nothing is stored. Mend the file first.</source>
        <translation>
            <numerusform>有 %Ln 行错误，因此不存储任何内容。请先修正文件。</numerusform>
        </translation>
    </message>
    <message>
        <source>Import</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>Import %1</source>
        <translation>导入 %1</translation>
    </message>
    <message>
        <source>Checking…</source>
        <translation>正在检查…</translation>
    </message>
    <message>
        <source>Checking</source>
        <translation>检查</translation>
    </message>
    <message>
        <source>Wrong lines</source>
        <translation>错误的行</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>行</translation>
    </message>
    <message>
        <source>What is wrong</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>&amp;Replace jobs of the same ids that differ</source>
        <translation>替换编号相同但内容不同的任务(&amp;R)</translation>
    </message>
</context>
<context>
    <name>restante::gui::Importer</name>
    <message>
        <source>the file has changed since it was checked: line %1 is wrong</source>
        <translation>文件在检查之后已更改：第 %1 行有误</translation>
    </message>
    <message>
        <source>the store takes nothing more since line %1: %2; import the file again, what is stored is skipped</source>
        <translation>从第 %1 行起存储不再接受：%2；请再次导入该文件，已存储的会被跳过</translation>
    </message>
    <message>
        <source>the topic of line %1 cannot be set as it was, so no job after it is stored; import the file again</source>
        <translation>第 %1 行的主题无法恢复原来的设置，因此其后的任务均不存储；请重新导入该文件</translation>
    </message>
    <message>
        <source>the connection was closed; what was stored by then is counted</source>
        <translation>连接已关闭；此前已存储的已计入</translation>
    </message>
    <message>
        <source>Import of %1</source>
        <translation>导入 %1</translation>
    </message>
    <message>
        <source>line %1</source>
        <translation>第 %1 行</translation>
    </message>
</context>
<context>
    <name>restante::gui::JobActions</name>
    <message>
        <source>now due %1</source>
        <translation>现在的到期时间：%1</translation>
    </message>
    <message>
        <source>Undo: %1</source>
        <translation>撤销：%1</translation>
    </message>
    <message>
        <source>Redo: %1</source>
        <translation>重做：%1</translation>
    </message>
    <message>
        <source>Import Jobs</source>
        <translation>导入任务</translation>
    </message>
    <message>
        <source>JSON Lines (*.jsonl *.json *.ndjson)</source>
        <translation>JSON Lines (*.jsonl *.json *.ndjson)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>too many to be undone in one step</source>
        <translation>太多，无法一步撤销</translation>
    </message>
    <message>
        <source>%1 of them cannot be undone</source>
        <translation>其中 %1 个无法撤销</translation>
    </message>
    <message>
        <source>It cannot be duplicated: %1</source>
        <translation>无法复制为新任务：%1</translation>
    </message>
    <message>
        <source>“%1” is paused</source>
        <translation>“%1”已暂停</translation>
    </message>
    <message>
        <source>“%1” is resumed</source>
        <translation>“%1”已恢复</translation>
    </message>
    <message>
        <source>“%1” is not resumed: %2</source>
        <translation>“%1”未恢复：%2</translation>
    </message>
    <message>
        <source>Pause of “%1”</source>
        <translation>暂停“%1”</translation>
    </message>
    <message>
        <source>Resumption of “%1”</source>
        <translation>恢复“%1”</translation>
    </message>
    <message>
        <source>“%1” has been changed by somebody else since: nothing was done</source>
        <translation>“%1”此后已被他人更改：未执行任何操作</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>undo would hold %1 of them again, but leave their attempts reset</source>
        <translation>撤销会再次暂留其中 %1 个，但其尝试次数保持已重置</translation>
    </message>
    <message>
        <source>what is skipped has been changed by others since</source>
        <translation>被跳过的任务此后已由他人更改</translation>
    </message>
    <message>
        <source>The limits of “%1” are changed</source>
        <translation>“%1”的限制已更改</translation>
    </message>
    <message>
        <source>Limits of “%1”</source>
        <translation>“%1”的限制</translation>
    </message>
</context>
<context>
    <name>restante::gui::JobButtons</name>
    <message>
        <source>Run Now</source>
        <translation>立即运行</translation>
    </message>
    <message>
        <source>Re&amp;schedule…</source>
        <translation>改期(&amp;S)…</translation>
    </message>
    <message>
        <source>&amp;Hold</source>
        <translation>暂留(&amp;H)</translation>
    </message>
    <message>
        <source>Re&amp;lease</source>
        <translation>放行(&amp;L)</translation>
    </message>
    <message>
        <source>Res&amp;tore</source>
        <translation>恢复(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Move to Trash</source>
        <translation>移到回收站(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Delete for Good…</source>
        <translation>永久删除(&amp;D)…</translation>
    </message>
    <message>
        <source>Its state does not allow that.</source>
        <translation>其状态不允许此操作。</translation>
    </message>
    <message>
        <source>Run this job now</source>
        <translation>立即运行该任务</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>More that can be done with this job</source>
        <translation>可对该任务执行的更多操作</translation>
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
    <name>restante::gui::JobDetail</name>
    <message>
        <source>Loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>Gone</source>
        <translation>已消失</translation>
    </message>
    <message>
        <source>%1 - %2</source>
        <translation>%1 - %2</translation>
    </message>
    <message>
        <source>This job is gone; below is how it was last seen.</source>
        <translation>该任务已消失；下面是最后一次见到的内容。</translation>
    </message>
    <message>
        <source>The store has no job with this id.</source>
        <translation>存储中没有此编号的任务。</translation>
    </message>
    <message>
        <source>Not up to date: %1</source>
        <translation>不是最新：%1</translation>
    </message>
    <message>
        <source>The job could not be read: %1</source>
        <translation>无法读取该任务：%1</translation>
    </message>
    <message>
        <source>Last: %1, %2.</source>
        <translation>最后：%1，%2。</translation>
    </message>
    <message>
        <source>Last: %1 by %2, %3.</source>
        <translation>最后：%1，由 %2，%3。</translation>
    </message>
    <message>
        <source>Reason: %1</source>
        <translation>原因：%1</translation>
    </message>
    <message>
        <source>Select a job to see all that is known about it.</source>
        <translation>选择一个任务以查看其全部信息。</translation>
    </message>
    <message>
        <source>What is known about the job</source>
        <translation>任务的信息</translation>
    </message>
    <message>
        <source>Whether this is up to date</source>
        <translation>是否为最新</translation>
    </message>
    <message>
        <source>Why is it waiting?</source>
        <translation>为什么在等待？</translation>
    </message>
    <message>
        <source>Show it among the reminders: next times, pause, edit, cancel</source>
        <translation>在“提醒”页查看：下次时间、暂停、编辑、取消</translation>
    </message>
    <message>
        <source>Sent by a recurring reminder: %1</source>
        <translation>由周期提醒发出：%1</translation>
    </message>
    <message>
        <source>Sent by a recurring reminder</source>
        <translation>由周期提醒发出</translation>
    </message>
    <message>
        <source>A recurring reminder to %1 that is paused: %2.</source>
        <comment>to whom, how often</comment>
        <translation>发给 %1 的周期提醒（已暂停）：%2。</translation>
    </message>
    <message>
        <source>A recurring reminder to %1: %2.</source>
        <comment>to whom, how often</comment>
        <translation>发给 %1 的周期提醒：%2。</translation>
    </message>
</context>
<context>
    <name>restante::gui::JobDialog</name>
    <message>
        <source>This body is no short text: it is taken as it is, byte for byte.</source>
        <translation>此正文不是短文本：将逐字节原样采用。</translation>
    </message>
    <message>
        <source>These headers cannot be edited as text: they are taken as they are.</source>
        <translation>这些头字段无法作为文本编辑：将原样采用。</translation>
    </message>
    <message>
        <source>Load Body</source>
        <translation>载入正文</translation>
    </message>
    <message>
        <source>%1 cannot be read.</source>
        <translation>无法读取 %1。</translation>
    </message>
    <message>
        <source>%1 is larger than any store takes.</source>
        <translation>%1 超过任何存储所能接受的大小。</translation>
    </message>
    <message>
        <source>%1 bytes</source>
        <translation>%1 字节</translation>
    </message>
    <message>
        <source>There is no time zone “%1”; choose one like Europe/Berlin or UTC.</source>
        <translation>没有时区“%1”；请选择如 Europe/Berlin 或 UTC。</translation>
    </message>
    <message>
        <source>Duplicate Job</source>
        <translation>复制任务</translation>
    </message>
    <message>
        <source>New Job</source>
        <translation>新建任务</translation>
    </message>
    <message>
        <source>&amp;Topic:</source>
        <translation>主题(&amp;T)：</translation>
    </message>
    <message>
        <source>&amp;Channel:</source>
        <translation>通道(&amp;C)：</translation>
    </message>
    <message>
        <source>&amp;Recipient:</source>
        <translation>收件人(&amp;R)：</translation>
    </message>
    <message>
        <source>&amp;Sender:</source>
        <translation>发件人(&amp;S)：</translation>
    </message>
    <message>
        <source>Your &amp;key:</source>
        <translation>您的键(&amp;K)：</translation>
    </message>
    <message>
        <source>&amp;Id:</source>
        <translation>编号(&amp;I)：</translation>
    </message>
    <message>
        <source>Content t&amp;ype:</source>
        <translation>内容类型(&amp;Y)：</translation>
    </message>
    <message>
        <source>&amp;Due:</source>
        <translation>到期(&amp;D)：</translation>
    </message>
    <message>
        <source>&amp;Priority:</source>
        <translation>优先级(&amp;P)：</translation>
    </message>
    <message>
        <source>&amp;Lease:</source>
        <translation>租约(&amp;L)：</translation>
    </message>
    <message>
        <source>&amp;Expires after:</source>
        <translation>过期时间(&amp;E)：</translation>
    </message>
    <message>
        <source>&amp;Headers, one a line:</source>
        <translation>头字段，每行一个(&amp;H)：</translation>
    </message>
    <message>
        <source>&amp;Body:</source>
        <translation>正文(&amp;B)：</translation>
    </message>
    <message>
        <source>Not needed</source>
        <translation>不需要</translation>
    </message>
    <message>
        <source>Order number, Call-ID …</source>
        <translation>订单号、Call-ID 等</translation>
    </message>
    <message>
        <source>Made by the store</source>
        <translation>由存储生成</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>永不</translation>
    </message>
    <message>
        <source>At once</source>
        <translation>同时</translation>
    </message>
    <message>
        <source>In</source>
        <translation>延时</translation>
    </message>
    <message>
        <source>At</source>
        <translation>定时</translation>
    </message>
    <message>
        <source>Delay</source>
        <translation>延时</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Time zone</source>
        <translation>时区</translation>
    </message>
    <message>
        <source>Load from &amp;File…</source>
        <translation>从文件载入(&amp;F)…</translation>
    </message>
    <message>
        <source>0 is first, 9 is last</source>
        <translation>0 最先，9 最后</translation>
    </message>
    <message>
        <source>Store Job</source>
        <translation>存储任务</translation>
    </message>
    <message>
        <source>Retry &amp;after:</source>
        <translation>重试间隔(&amp;A)：</translation>
    </message>
</context>
<context>
    <name>restante::gui::JobFieldsModel</name>
    <message>
        <source>Field</source>
        <translation>字段</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
</context>
<context>
    <name>restante::gui::JobWatch</name>
    <message>
        <source>There is no connection.</source>
        <translation>没有连接。</translation>
    </message>
</context>
<context>
    <name>restante::gui::JobsMenus</name>
    <message numerus="yes">
        <source>Copied the %n job(s) that are loaded; an export writes all that are selected</source>
        <translation>
            <numerusform>已复制已加载的 %n 个任务；导出可写出全部所选</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Copied %n job(s)</source>
        <translation>
            <numerusform>已复制 %n 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>Copy &amp;Value</source>
        <translation>复制值(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Filter by This</source>
        <translation>按此筛选(&amp;F)</translation>
    </message>
    <message>
        <source>E&amp;xclude This</source>
        <translation>排除此项(&amp;X)</translation>
    </message>
</context>
<context>
    <name>restante::gui::JobsModel</name>
    <message>
        <source>Loading</source>
        <translation>正在加载</translation>
    </message>
    <message>
        <source>Selected</source>
        <translation>已选择</translation>
    </message>
    <message>
        <source>Not selected</source>
        <translation>未选择</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Jobs that an id or a key leads to come in no order of time</source>
        <translation>由标识或键找到的任务没有时间顺序</translation>
    </message>
</context>
<context>
    <name>restante::gui::JobsPage</name>
    <message>
        <source>Keep this View</source>
        <translation>保存此视图</translation>
    </message>
    <message>
        <source>Its name; a view of the same name is replaced:</source>
        <translation>名称；同名视图将被替换：</translation>
    </message>
    <message>
        <source>Rename View</source>
        <translation>重命名视图</translation>
    </message>
    <message>
        <source>Its new name:</source>
        <translation>新名称：</translation>
    </message>
    <message>
        <source>There is a view of that name already.</source>
        <translation>已有同名视图。</translation>
    </message>
    <message>
        <source>counting…</source>
        <translation>正在计数…</translation>
    </message>
    <message>
        <source>%1 matching (exact)</source>
        <translation>匹配 %1 个（精确）</translation>
    </message>
    <message>
        <source>at least %1 matching</source>
        <translation>至少匹配 %1 个</translation>
    </message>
    <message>
        <source>%1 · %2 selected</source>
        <translation>%1 · 已选 %2</translation>
    </message>
    <message>
        <source>%1 matching when the store last answered</source>
        <translation>存储上次应答时匹配 %1 个</translation>
    </message>
</context>
<context>
    <name>restante::gui::JobsTable</name>
    <message>
        <source>Jobs</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>列</translation>
    </message>
</context>
<context>
    <name>restante::gui::LimitDelegate</name>
    <message>
        <source>no limit</source>
        <translation>不限制</translation>
    </message>
    <message>
        <source>Concurrency of “%1”</source>
        <translation>“%1”的并发数</translation>
    </message>
    <message>
        <source>Rate limit of “%1”</source>
        <translation>“%1”的速率限制</translation>
    </message>
</context>
<context>
    <name>restante::gui::MailboxesPage</name>
    <message>
        <source>The mailboxes could not be read: %1</source>
        <translation>无法读取信箱：%1</translation>
    </message>
    <message>
        <source>The mailbox could not be read: %1</source>
        <translation>无法读取此信箱：%1</translation>
    </message>
    <message>
        <source>Nobody is chosen</source>
        <translation>尚未选择任何人</translation>
    </message>
    <message>
        <source>Choose a mailbox to read what waits in it.</source>
        <translation>选择一个信箱，即可查看其中等待的消息。</translation>
    </message>
    <message>
        <source>Loading the mailbox…</source>
        <translation>正在加载信箱…</translation>
    </message>
    <message>
        <source>There is no connection.</source>
        <translation>没有连接。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln mailbox(es)</source>
        <translation>
            <numerusform>%Ln 个信箱</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln message(s)</source>
        <translation>
            <numerusform>%Ln 条消息</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>at least %1</source>
        <translation>至少 %1</translation>
    </message>
    <message>
        <source>Not connected</source>
        <translation>未连接</translation>
    </message>
    <message>
        <source>Open a connection to see its mailboxes.</source>
        <translation>打开一个连接，即可查看其信箱。</translation>
    </message>
    <message>
        <source>Loading mailboxes…</source>
        <translation>正在加载信箱…</translation>
    </message>
    <message>
        <source>Nobody is called so</source>
        <translation>没有叫这个名字的人</translation>
    </message>
    <message>
        <source>No message waits for anybody whose address contains “%1”.</source>
        <translation>地址含“%1”的人都没有等待的消息。</translation>
    </message>
    <message>
        <source>Show All Mailboxes</source>
        <translation>显示全部信箱</translation>
    </message>
    <message>
        <source>No mailbox has messages</source>
        <translation>所有信箱都没有消息</translation>
    </message>
    <message>
        <source>Here stands everybody for whom SIP messages wait, the fullest mailbox first, with their devices and what was tried. The first row comes when somebody who is away is sent a message:

%1</source>
        <translation>有 SIP 消息等待的人都列在这里，消息最多的信箱排在最前，并附其设备和投递尝试。给一个离线的人发条消息，就会出现第一行：

%1</translation>
    </message>
    <message>
        <source>Find a person</source>
        <translation>查找某人</translation>
    </message>
    <message>
        <source>Mailboxes, the fullest first</source>
        <translation>信箱，消息最多的在前</translation>
    </message>
    <message>
        <source>Show More</source>
        <translation>显示更多</translation>
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
    <message>
        <source>Tasks</source>
        <translation>操作</translation>
    </message>
    <message numerus="yes">
        <source>%n task(s) are running and will be stopped.</source>
        <translation>
            <numerusform>有 %n 个操作正在进行，将被停止。</numerusform>
        </translation>
    </message>
    <message>
        <source>What has been done stays done; the rest is left as it is.</source>
        <translation>已完成的保持不变；其余的不再处理。</translation>
    </message>
    <message>
        <source>saved view</source>
        <translation>已存视图</translation>
    </message>
    <message numerus="yes">
        <source>%1 Trying again in %n second(s).</source>
        <translation>
            <numerusform>%1 将在 %n 秒后重试。</numerusform>
        </translation>
    </message>
    <message>
        <source>To&amp;pic</source>
        <translation>主题(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Window</source>
        <translation>窗口(&amp;W)</translation>
    </message>
    <message>
        <source>%1 (read-only)</source>
        <translation>%1（只读）</translation>
    </message>
    <message>
        <source>Close Window</source>
        <translation>关闭窗口</translation>
    </message>
    <message>
        <source>&amp;Close Anyway</source>
        <translation>仍然关闭(&amp;C)</translation>
    </message>
</context>
<context>
    <name>restante::gui::MessageBar</name>
    <message>
        <source>&amp;Retry</source>
        <translation>重试(&amp;R)</translation>
    </message>
    <message>
        <source>Copy &amp;Details</source>
        <translation>复制详情(&amp;D)</translation>
    </message>
</context>
<context>
    <name>restante::gui::MessageView</name>
    <message>
        <source>What the job says</source>
        <translation>任务内容</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>bytes of an unknown type</source>
        <translation>类型不明的字节</translation>
    </message>
    <message>
        <source>Cut here; all of it is on the tab Payload.</source>
        <translation>此处已截断；完整内容见“载荷”标签页。</translation>
    </message>
</context>
<context>
    <name>restante::gui::MonitorModel</name>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
</context>
<context>
    <name>restante::gui::MonitorPage</name>
    <message>
        <source>The store could not be watched: %1</source>
        <translation>无法监测存储：%1</translation>
    </message>
    <message>
        <source>At %1</source>
        <translation>%1 时</translation>
    </message>
    <message>
        <source>Not connected</source>
        <translation>未连接</translation>
    </message>
    <message>
        <source>Waiting for the first numbers…</source>
        <translation>正在等待第一组数据…</translation>
    </message>
    <message>
        <source>Watching since %1</source>
        <translation>自 %1 起监测</translation>
    </message>
    <message>
        <source>Export the Numbers</source>
        <translation>导出数据</translation>
    </message>
    <message>
        <source>Comma-separated values (*.csv)</source>
        <translation>逗号分隔值 (*.csv)</translation>
    </message>
    <message>
        <source>%1 could not be written: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
    <message numerus="yes">
        <source>%n row(s) written to %1</source>
        <translation>
            <numerusform>已将 %n 行写入 %1</numerusform>
        </translation>
    </message>
    <message>
        <source>15 min</source>
        <translation>15 分钟</translation>
    </message>
    <message>
        <source>1 h</source>
        <translation>1 小时</translation>
    </message>
    <message>
        <source>6 h</source>
        <translation>6 小时</translation>
    </message>
    <message>
        <source>24 h</source>
        <translation>24 小时</translation>
    </message>
    <message>
        <source>7 d</source>
        <translation>7 天</translation>
    </message>
    <message>
        <source>The last %1</source>
        <translation>最近 %1</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Write the numbers of the table to a file</source>
        <translation>将表格中的数据写入文件</translation>
    </message>
    <message>
        <source>In and out</source>
        <translation>流入与流出</translation>
    </message>
    <message>
        <source>Backlog by state</source>
        <translation>按状态的积压</translation>
    </message>
    <message>
        <source>Lateness of ready jobs</source>
        <translation>就绪任务的延迟</translation>
    </message>
    <message>
        <source>The numbers of the charts</source>
        <translation>图表中的数据</translation>
    </message>
    <message>
        <source>reading the journal for what was before…</source>
        <translation>正在从日志读取此前的情况…</translation>
    </message>
    <message>
        <source>in and out before that from the journal, since %1</source>
        <translation>此前的进出量来自日志，自 %1 起</translation>
    </message>
    <message>
        <source>in and out from the journal, since %1; only ready and scheduled jobs are counted by topic and channel</source>
        <translation>进出量来自日志，自 %1 起；按主题和通道只统计就绪和已计划的任务</translation>
    </message>
    <message>
        <source>nothing is known of before: %1</source>
        <translation>此前情况不详：%1</translation>
    </message>
    <message>
        <source>in and out of some jobs only the journal knows: %1</source>
        <translation>部分任务的进出只有日志知道：%1</translation>
    </message>
    <message>
        <source>nothing is known of before</source>
        <translation>此前情况不详</translation>
    </message>
    <message>
        <source>All topics</source>
        <translation>全部主题</translation>
    </message>
    <message>
        <source>Topic</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Draw only the jobs of one topic</source>
        <translation>仅绘制一个主题的任务</translation>
    </message>
    <message>
        <source>All channels</source>
        <translation>全部通道</translation>
    </message>
    <message>
        <source>Channel</source>
        <translation>通道</translation>
    </message>
    <message>
        <source>Draw only the jobs of one channel</source>
        <translation>仅绘制一个通道的任务</translation>
    </message>
    <message>
        <source>in and out before that are not known: %1</source>
        <translation>此前的进出量未知：%1</translation>
    </message>
    <message>
        <source>backlog and lateness since %1</source>
        <translation>自 %1 起的积压与延迟</translation>
    </message>
    <message>
        <source>no backlog and lateness noted before that</source>
        <translation>此前没有积压与延迟的记录</translation>
    </message>
    <message>
        <source>%1 to %2, in steps of %3</source>
        <translation>%1 至 %2，每步 %3</translation>
    </message>
    <message>
        <source>The picture is in %1</source>
        <translation>图片已存到 %1</translation>
    </message>
    <message>
        <source>Export the Chart “%1”</source>
        <translation>导出图表“%1”</translation>
    </message>
    <message>
        <source>Export the Charts</source>
        <translation>导出图表</translation>
    </message>
    <message>
        <source>Pictures (*.png);;Drawings (*.svg)</source>
        <translation>图片 (*.png);;矢量图 (*.svg)</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>a time, what was done</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1: %2 (%3)</source>
        <comment>a time, what was done, why</comment>
        <translation>%1：%2（%3）</translation>
    </message>
    <message>
        <source>At least this: %1</source>
        <comment>what was done</comment>
        <translation>至少：%1</translation>
    </message>
    <message>
        <source>Stays at %1 to %2, in steps of %3, %4 behind now</source>
        <translation>停在 %1 至 %2，每步 %3，落后当前 %4</translation>
    </message>
    <message>
        <source>Range…</source>
        <translation>范围…</translation>
    </message>
    <message>
        <source>Choose from when to when. Or drag in a chart; Ctrl and the wheel go closer, Shift moves, a double click goes back</source>
        <translation>选择起止时间。也可在图表中拖选；Ctrl 加滚轮放大，Shift 平移，双击还原</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>实时</translation>
    </message>
    <message>
        <source>Follow the store again</source>
        <translation>重新跟随存储实时更新</translation>
    </message>
</context>
<context>
    <name>restante::gui::NextAttemptsModel</name>
    <message>
        <source>None: it has ended. Restore or run it, and it is tried again.</source>
        <translation>无：任务已结束。恢复或运行后会再次尝试。</translation>
    </message>
    <message>
        <source>None until it is released.</source>
        <translation>无：放行后才会再次尝试。</translation>
    </message>
    <message>
        <source>If the last one fails, too, the job is dead.</source>
        <translation>如果最后一次也失败，任务即成为死信。</translation>
    </message>
    <message>
        <source>Then it expires.</source>
        <translation>随后过期。</translation>
    </message>
    <message>
        <source>And so on.</source>
        <translation>依此类推。</translation>
    </message>
    <message>
        <source>A consumer takes it once it is due; whenever a lease ends without an answer, it is ready again.</source>
        <translation>到期后由消费者取走；每当租约未得到应答而结束，它会再次就绪。</translation>
    </message>
    <message>
        <source>It has no schedule of its own: this is the standard one of its channel, unless the daemon is configured otherwise.</source>
        <translation>没有自己的计划：除非守护进程另有配置，否则使用通道的标准计划。</translation>
    </message>
    <message>
        <source>at once</source>
        <translation>立即</translation>
    </message>
    <message>
        <source>about %1</source>
        <translation>约 %1</translation>
    </message>
    <message>
        <source>Attempt</source>
        <translation>尝试</translation>
    </message>
    <message>
        <source>After</source>
        <translation>间隔</translation>
    </message>
    <message>
        <source>At the earliest</source>
        <translation>最早时间</translation>
    </message>
    <message>
        <source>As soon as the recipient registers a device. Until then nothing is sent, and no attempt is used up.</source>
        <translation>收件人的设备一注册就投递。在此之前不会发送任何内容，也不消耗尝试次数。</translation>
    </message>
</context>
<context>
    <name>restante::gui::OverviewPage</name>
    <message>
        <source>The store could not be asked.</source>
        <translation>无法查询存储。</translation>
    </message>
    <message>
        <source>Nobody delivers</source>
        <translation>没有守护进程在投递</translation>
    </message>
    <message numerus="yes">
        <source>%n daemon(s) deliver</source>
        <translation>
            <numerusform>%n 个守护进程在投递</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hang(s) in part</source>
        <comment>daemons</comment>
        <translation>
            <numerusform>%n 个部分卡住</numerusform>
        </translation>
    </message>
    <message>
        <source>Delivered today</source>
        <translation>今日已投递</translation>
    </message>
    <message>
        <source>Delivered since %1</source>
        <translation>%1 以来已投递</translation>
    </message>
    <message>
        <source>%1 % of what ended</source>
        <translation>占已结束的 %1 %</translation>
    </message>
    <message>
        <source>The journal does not tell of the time before: %1</source>
        <translation>日志库没有此前的记录：%1</translation>
    </message>
    <message>
        <source>Failed today</source>
        <translation>今日失败</translation>
    </message>
    <message>
        <source>Failed since %1</source>
        <translation>%1 以来失败</translation>
    </message>
    <message>
        <source>%1 given up</source>
        <translation>放弃 %1</translation>
    </message>
    <message>
        <source>%1 expired</source>
        <translation>过期 %1</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>%1 scheduled</source>
        <translation>已计划 %1</translation>
    </message>
    <message>
        <source>%1 held</source>
        <translation>暂留 %1</translation>
    </message>
    <message>
        <source>Due and not given out</source>
        <translation>已到期未取走</translation>
    </message>
    <message>
        <source>on time</source>
        <translation>准时</translation>
    </message>
    <message>
        <source>the oldest is %1 late</source>
        <translation>最早的已迟 %1</translation>
    </message>
    <message>
        <source>The journal is %1 behind. Until it has caught up, what happened since is known to Redis alone; `restantectl doctor` says what keeps it.</source>
        <translation>日志库落后 %1。在它赶上之前，此后发生的事只有 Redis 知道；`restantectl doctor` 会说明原因。</translation>
    </message>
    <message>
        <source>As of %1</source>
        <translation>截至 %1</translation>
    </message>
    <message>
        <source>As it was at %1</source>
        <translation>%1 时的状态</translation>
    </message>
    <message>
        <source>No store is open</source>
        <translation>没有打开的存储</translation>
    </message>
    <message>
        <source>Connect to the store of a daemon on this machine, or to a Redis elsewhere. Or look around in a store that is made up: it needs no server.</source>
        <translation>连接到本机守护进程的存储或其他位置的 Redis。也可以浏览一个演示存储：不需要服务器。</translation>
    </message>
    <message>
        <source>&amp;Add Your First Connection…</source>
        <translation>添加第一个连接(&amp;A)…</translation>
    </message>
    <message>
        <source>&amp;Open Connection…</source>
        <translation>打开连接(&amp;O)…</translation>
    </message>
    <message>
        <source>&amp;Demo Data</source>
        <translation>演示数据(&amp;D)</translation>
    </message>
    <message>
        <source>The store has no jobs yet</source>
        <translation>存储中还没有任务</translation>
    </message>
    <message>
        <source>Here will stand what was delivered and what failed today, what waits and how late it is, why jobs died, and which topics are busy. This brings the first job:

%1</source>
        <translation>这里将显示今日的投递与失败、等待的任务及其延迟、死信原因和繁忙的主题。用下面的命令添加第一个任务：

%1</translation>
    </message>
    <message>
        <source>&amp;New Job…</source>
        <translation>新建任务(&amp;N)…</translation>
    </message>
    <message>
        <source>New &amp;Reminder…</source>
        <translation>新建提醒(&amp;R)…</translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation>正在连接…</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>取消(&amp;C)</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>The connection was lost</source>
        <translation>连接已中断</translation>
    </message>
    <message>
        <source>There is no connection</source>
        <translation>没有连接</translation>
    </message>
    <message>
        <source>&amp;Try Again</source>
        <translation>重试(&amp;T)</translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>概览</translation>
    </message>
</context>
<context>
    <name>restante::gui::OverviewTab</name>
    <message>
        <source>Fields of the job</source>
        <translation>任务的字段</translation>
    </message>
    <message>
        <source>Next attempts</source>
        <translation>后续尝试</translation>
    </message>
    <message>
        <source>&amp;Copy Value</source>
        <translation>复制值(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Filter by This</source>
        <translation>按此筛选(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Exclude This</source>
        <translation>排除此项(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Overview</source>
        <translation>概览(&amp;O)</translation>
    </message>
</context>
<context>
    <name>restante::gui::PauseDialog</name>
    <message>
        <source>Pause Topic</source>
        <translation>暂停主题</translation>
    </message>
    <message>
        <source>Pause “%1”</source>
        <translation>暂停“%1”</translation>
    </message>
    <message>
        <source>Nothing of this topic is given out, on any channel, until it is resumed. What is being delivered goes on, and new jobs are taken.</source>
        <translation>在恢复之前，该主题在任何通道上都不发放任务。正在投递的继续进行，新任务照常接受。</translation>
    </message>
    <message>
        <source>&amp;Reason:</source>
        <translation>原因(&amp;R)：</translation>
    </message>
    <message>
        <source>&amp;Pause Topic</source>
        <translation>暂停主题(&amp;P)</translation>
    </message>
</context>
<context>
    <name>restante::gui::PayloadTab</name>
    <message>
        <source>SIP</source>
        <translation>SIP</translation>
    </message>
    <message>
        <source>The SIP MESSAGE, as far as the store knows it</source>
        <translation>存储所知的 SIP MESSAGE</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>Indented; no value is changed</source>
        <translation>缩进显示；不改变任何值</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>In its charset</source>
        <translation>按其字符集</translation>
    </message>
    <message>
        <source>Hex</source>
        <translation>十六进制</translation>
    </message>
    <message>
        <source>Every byte</source>
        <translation>每个字节</translation>
    </message>
    <message>
        <source>Raw</source>
        <translation>原始</translation>
    </message>
    <message>
        <source>Bytes that are not printable ASCII as \xNN</source>
        <translation>非可打印 ASCII 字节写作 \xNN</translation>
    </message>
    <message>
        <source>Payload as %1</source>
        <translation>以 %1 显示内容</translation>
    </message>
    <message>
        <source>&amp;Wrap</source>
        <translation>自动换行(&amp;W)</translation>
    </message>
    <message>
        <source>Find…</source>
        <translation>查找…</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>保存…</translation>
    </message>
    <message>
        <source>Previous part</source>
        <translation>上一部分</translation>
    </message>
    <message>
        <source>Next part</source>
        <translation>下一部分</translation>
    </message>
    <message>
        <source>Payload</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>The body is empty.</source>
        <translation>正文为空。</translation>
    </message>
    <message>
        <source>What is shown differently from what it is</source>
        <translation>显示与原样的差别</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>Part %1 of %2</source>
        <translation>第 %1 部分，共 %2 部分</translation>
    </message>
    <message>
        <source>This body is long and comes in parts. Save it to have all of it.</source>
        <translation>正文较长，分部分显示。保存可得到全部内容。</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>Save Payload</source>
        <translation>保存内容</translation>
    </message>
    <message>
        <source>Body as it is (*)</source>
        <translation>原样正文 (*)</translation>
    </message>
    <message>
        <source>SIP message (*.sip)</source>
        <translation>SIP 消息 (*.sip)</translation>
    </message>
    <message>
        <source>Saved as %1</source>
        <translation>已保存为 %1</translation>
    </message>
    <message>
        <source>&amp;Payload</source>
        <translation>内容(&amp;P)</translation>
    </message>
</context>
<context>
    <name>restante::gui::PersonPane</name>
    <message>
        <source>No device has registered here in the last 30 days. Whoever is registered with another server is not known here.</source>
        <translation>最近 30 天没有设备在这里注册。在别的服务器上注册的，这里无从得知。</translation>
    </message>
    <message>
        <source>There is more of it: open the message to read all.</source>
        <translation>后面还有内容：打开消息可读全文。</translation>
    </message>
    <message>
        <source>last answer: %1</source>
        <translation>上次应答：%1</translation>
    </message>
    <message numerus="yes">
        <source>%Ln message(s) waiting</source>
        <translation>
            <numerusform>%Ln 条消息在等待</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The newest %1 of %Ln message(s)</source>
        <translation>
            <numerusform>共 %Ln 条消息，显示最新的 %1 条</numerusform>
        </translation>
    </message>
    <message>
        <source>What is sent to this person while no device can be reached stands here until it is delivered.</source>
        <translation>此人的设备都无法连通时，发给此人的消息会留在这里，直到投递为止。</translation>
    </message>
    <message>
        <source>Nothing is tried while nothing waits.</source>
        <translation>没有等待的消息，也就没有尝试。</translation>
    </message>
    <message>
        <source>Asking the journal…</source>
        <translation>正在查询日志库…</translation>
    </message>
    <message>
        <source>The attempts are in the journal, and there is none: %1</source>
        <translation>尝试记录在日志库里，而现在没有日志库：%1</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>%1 via %2</source>
        <translation>%1 经由 %2</translation>
    </message>
    <message>
        <source>What was sent is not known, because no journal keeps it.</source>
        <translation>发送了什么无从得知，因为没有日志库保存。</translation>
    </message>
    <message>
        <source>No request has left for this message yet.</source>
        <translation>这条消息还没有发出过任何请求。</translation>
    </message>
    <message>
        <source>Requests sent for this message</source>
        <translation>为这条消息发出的请求</translation>
    </message>
    <message>
        <source>Requests sent for the oldest message shown</source>
        <translation>为所示最早一条消息发出的请求</translation>
    </message>
    <message>
        <source>Requests sent for the oldest message</source>
        <translation>为最早一条消息发出的请求</translation>
    </message>
    <message>
        <source>No message waits that could be delivered</source>
        <translation>没有可以投递的等待消息</translation>
    </message>
    <message>
        <source>Try to deliver what waits, without waiting longer</source>
        <translation>不再等待，立即尝试投递</translation>
    </message>
    <message>
        <source>Write a message to this person</source>
        <translation>给此人写一条消息</translation>
    </message>
    <message>
        <source>Deliver Now</source>
        <translation>立即投递</translation>
    </message>
    <message>
        <source>Write…</source>
        <translation>写消息…</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>Show the Jobs of This Person</source>
        <translation>显示此人的任务</translation>
    </message>
    <message>
        <source>Copy Address</source>
        <translation>复制地址</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Messages that wait, the newest last</source>
        <translation>等待中的消息，最新的在最后</translation>
    </message>
    <message>
        <source>Devices of this person</source>
        <translation>此人的设备</translation>
    </message>
    <message>
        <source>Requests that were sent, the newest first</source>
        <translation>已发出的请求，最新的在最前</translation>
    </message>
</context>
<context>
    <name>restante::gui::PreferencesDialog</name>
    <message>
        <source>Preferences</source>
        <translation>首选项</translation>
    </message>
    <message>
        <source>Kinds of preferences</source>
        <translation>首选项类别</translation>
    </message>
    <message>
        <source>&amp;General</source>
        <translation>常规(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Live Update</source>
        <translation>实时更新(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Confirmations</source>
        <translation>确认(&amp;C)</translation>
    </message>
    <message>
        <source>As the desktop says</source>
        <translation>跟随桌面</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>&amp;Forget Them</source>
        <translation>清除(&amp;F)</translation>
    </message>
    <message>
        <source>Columns and sizes:</source>
        <translation>列与大小：</translation>
    </message>
    <message>
        <source>Forget columns and sizes</source>
        <translation>清除列与大小的记录</translation>
    </message>
    <message>
        <source>This machine&apos;s</source>
        <translation>本机时区</translation>
    </message>
    <message>
        <source>&amp;Relative: “in 2 h”, “3 min ago”</source>
        <translation>相对时间：“2 小时后”“3 分钟前”(&amp;R)</translation>
    </message>
    <message>
        <source>Time &amp;zone:</source>
        <translation>时区(&amp;Z)：</translation>
    </message>
    <message>
        <source>Times:</source>
        <translation>时间：</translation>
    </message>
    <message>
        <source> ms</source>
        <translation> 毫秒</translation>
    </message>
    <message>
        <source>Look &amp;every:</source>
        <translation>查看间隔(&amp;E)：</translation>
    </message>
    <message>
        <source>How often tables follow the store while Live Update is on: 250 ms to a minute.</source>
        <translation>实时更新时表格多久跟随一次存储：250 毫秒至一分钟。</translation>
    </message>
    <message>
        <source>Type the count &amp;from:</source>
        <translation>从多少个起键入数量(&amp;F)：</translation>
    </message>
    <message>
        <source>Now it is %1 there.</source>
        <translation>那里现在是 %1。</translation>
    </message>
    <message>
        <source>No time zone is called so. Choose one of the list, for example Europe/Berlin.</source>
        <translation>没有此名称的时区。请从列表中选择，例如 Europe/Berlin。</translation>
    </message>
    <message>
        <source>&amp;Appearance</source>
        <translation>外观(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Time and Numbers</source>
        <translation>时间和数字(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Payload</source>
        <translation>内容(&amp;P)</translation>
    </message>
    <message>
        <source>C&amp;onnections</source>
        <translation>连接(&amp;O)</translation>
    </message>
    <message>
        <source>The console speaks it at once.</source>
        <translation>控制台会立即使用。</translation>
    </message>
    <message>
        <source>Colou&amp;rs:</source>
        <translation>颜色(&amp;R)：</translation>
    </message>
    <message>
        <source>Separate t&amp;housands: “1,204”</source>
        <translation>千位分隔符(&amp;H)：“1,204”</translation>
    </message>
    <message>
        <source>Numbers:</source>
        <translation>数字：</translation>
    </message>
    <message>
        <source>When so many jobs or more are changed at once, their number must be typed.</source>
        <translation>一次更改的任务达到或超过此数目时，须键入其数目。</translation>
    </message>
    <message>
        <source>In pro&amp;duction from:</source>
        <translation>生产环境中自(&amp;D)：</translation>
    </message>
    <message>
        <source>In a connection marked Production a dialog always asks about more than one job, and from so many on their number must be typed.</source>
        <translation>在标记为“生产”的连接中，涉及多个任务时总会询问；达到此数目时须键入该数目。</translation>
    </message>
    <message>
        <source> KiB</source>
        <translation> KiB</translation>
    </message>
    <message>
        <source>&amp;Show at once:</source>
        <translation>一次显示(&amp;S)：</translation>
    </message>
    <message>
        <source>A longer payload is shown part by part, so that the window never waits for it. Searching and saving are about all of it.</source>
        <translation>较长的内容分段显示，窗口不必等待。搜索和保存针对全部内容。</translation>
    </message>
    <message>
        <source>At the start:</source>
        <translation>启动时：</translation>
    </message>
    <message>
        <source>Connections themselves are made and changed with File, Open Connection.</source>
        <translation>连接本身请用“文件，打开连接”创建和更改。</translation>
    </message>
    <message>
        <source>Lang&amp;uage:</source>
        <translation>语言(&amp;U)：</translation>
    </message>
    <message>
        <source>24 hour&amp;s: “20:41” instead of “08:41 PM”</source>
        <translation>24 小时制(&amp;S)：“20:41”而非“08:41 PM”</translation>
    </message>
    <message>
        <source>Open the wi&amp;ndows and connections of the last time again</source>
        <translation>重新打开上次的窗口和连接(&amp;N)</translation>
    </message>
    <message>
        <source>Alerts</source>
        <translation>告警</translation>
    </message>
    <message>
        <source>Alert</source>
        <translation>告警</translation>
    </message>
    <message>
        <source>Fires when</source>
        <translation>触发条件</translation>
    </message>
    <message>
        <source>For</source>
        <translation>持续</translation>
    </message>
    <message>
        <source>The rules are those of the Prometheus alerts that come with Restante, as far as the console can know. Nothing fires on what is not known.</source>
        <translation>规则与 Restante 附带的 Prometheus 告警相同，限于控制台所能得知的部分。无法得知的情况不会触发告警。</translation>
    </message>
    <message>
        <source>&amp;Beep when an alert begins</source>
        <translation>告警开始时响铃(&amp;B)</translation>
    </message>
    <message>
        <source>Reset to &amp;Defaults</source>
        <translation>恢复默认值(&amp;D)</translation>
    </message>
    <message>
        <source> s</source>
        <comment>seconds</comment>
        <translation> 秒</translation>
    </message>
    <message>
        <source>%1: for how long</source>
        <comment>an alert</comment>
        <translation>%1：持续多久</translation>
    </message>
    <message>
        <source> %</source>
        <translation> %</translation>
    </message>
    <message>
        <source>%1: threshold</source>
        <comment>an alert</comment>
        <translation>%1：阈值</translation>
    </message>
</context>
<context>
    <name>restante::gui::Rail</name>
    <message>
        <source>Not connected</source>
        <translation>未连接</translation>
    </message>
    <message>
        <source>Connection: %1</source>
        <translation>连接：%1</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>另有 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>Daemons</source>
        <translation>守护进程</translation>
    </message>
</context>
<context>
    <name>restante::gui::RailButton</name>
    <message>
        <source>%1, %2</source>
        <comment>a page, how many things</comment>
        <translation>%1，%2</translation>
    </message>
</context>
<context>
    <name>restante::gui::RangeDialog</name>
    <message>
        <source>Chart Range</source>
        <translation>图表范围</translation>
    </message>
    <message>
        <source>&amp;From:</source>
        <translation>从(&amp;F)：</translation>
    </message>
    <message>
        <source>&amp;To:</source>
        <translation>到(&amp;T)：</translation>
    </message>
    <message>
        <source>Times of %1.</source>
        <comment>a time zone</comment>
        <translation>时区：%1。</translation>
    </message>
    <message>
        <source>&amp;Show</source>
        <translation>显示(&amp;S)</translation>
    </message>
    <message>
        <source>It must begin before it ends.</source>
        <translation>开始时间必须早于结束时间。</translation>
    </message>
    <message>
        <source>It begins in the future, of which nothing is known.</source>
        <translation>开始时间在将来，还没有任何数据。</translation>
    </message>
    <message>
        <source>Half a minute is the shortest that can be shown.</source>
        <translation>最短可显示半分钟。</translation>
    </message>
    <message>
        <source>31 days are the longest that can be shown.</source>
        <translation>最长可显示 31 天。</translation>
    </message>
    <message>
        <source>%1, in steps of %2.</source>
        <translation>%1，每步 %2。</translation>
    </message>
</context>
<context>
    <name>restante::gui::ReasonList</name>
    <message>
        <source>Dead by reason</source>
        <translation>死信原因</translation>
    </message>
    <message>
        <source>All %1</source>
        <translation>全部 %1</translation>
    </message>
    <message>
        <source>Nothing is dead.</source>
        <translation>没有死信。</translation>
    </message>
    <message>
        <source>no reason was kept</source>
        <translation>没有记录原因</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Retry: %1</source>
        <translation>重试：%1</translation>
    </message>
    <message>
        <source>Look</source>
        <translation>查看</translation>
    </message>
    <message>
        <source>Look at: %1</source>
        <translation>查看：%1</translation>
    </message>
    <message>
        <source>Show the jobs that died by this</source>
        <translation>显示因此成为死信的任务</translation>
    </message>
    <message>
        <source>Of the newest %1 that were looked at.</source>
        <translation>仅统计了最新的 %1 个。</translation>
    </message>
    <message>
        <source>Make exactly these jobs due at once; what nobody has taken by then can be undone</source>
        <translation>让这些任务立即到期；尚未被取走的可以撤销</translation>
    </message>
</context>
<context>
    <name>restante::gui::RelatedJobsModel</name>
    <message>
        <source>at registration</source>
        <translation>注册时</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Due</source>
        <translation>到期</translation>
    </message>
    <message>
        <source>Id</source>
        <translation>编号</translation>
    </message>
    <message>
        <source>Topic</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>From</source>
        <translation>发件人</translation>
    </message>
    <message>
        <source>To</source>
        <translation>收件人</translation>
    </message>
    <message>
        <source>Tries</source>
        <translation>次数</translation>
    </message>
    <message>
        <source>Last error</source>
        <translation>最近错误</translation>
    </message>
</context>
<context>
    <name>restante::gui::RelatedTab</name>
    <message>
        <source>Same Recipient</source>
        <translation>同一收件人</translation>
    </message>
    <message>
        <source>Same Call-ID</source>
        <translation>同一 Call-ID</translation>
    </message>
    <message>
        <source>Same Key</source>
        <translation>同一业务键</translation>
    </message>
    <message>
        <source>Same Sender</source>
        <translation>同一发件人</translation>
    </message>
    <message>
        <source>Show in Table</source>
        <translation>在表格中显示</translation>
    </message>
    <message>
        <source>Filter the table of jobs by this</source>
        <translation>以此筛选任务表格</translation>
    </message>
    <message>
        <source>Related jobs</source>
        <translation>相关任务</translation>
    </message>
    <message>
        <source>This job has none.</source>
        <translation>该任务没有。</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>正在查找…</translation>
    </message>
    <message>
        <source>They could not be read: %1</source>
        <translation>无法读取：%1</translation>
    </message>
    <message>
        <source>No other job.</source>
        <translation>没有其他任务。</translation>
    </message>
    <message>
        <source>No other job among those that were looked at; there may be some.</source>
        <translation>已查看的任务中没有其他任务，但未查看全部，可能还有。</translation>
    </message>
    <message>
        <source> · there may be more: not all were looked at</source>
        <translation> · 未查看全部任务，可能还有更多</translation>
    </message>
    <message>
        <source>The first %1 jobs</source>
        <translation>前 %1 个任务</translation>
    </message>
    <message numerus="yes">
        <source>%n other job(s)</source>
        <translation>
            <numerusform>另有 %n 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>&amp;Related</source>
        <translation>相关(&amp;R)</translation>
    </message>
    <message>
        <source>Same Target</source>
        <translation>相同目标</translation>
    </message>
</context>
<context>
    <name>restante::gui::ReminderDialog</name>
    <message>
        <source>New Reminder</source>
        <translation>新建提醒</translation>
    </message>
    <message>
        <source>&amp;To:</source>
        <translation>收件人(&amp;T)：</translation>
    </message>
    <message>
        <source>sip:bob@example.org, +491701234567 or https://…</source>
        <translation>sip:bob@example.org、+491701234567 或 https://…</translation>
    </message>
    <message>
        <source>&amp;Channel:</source>
        <translation>通道(&amp;C)：</translation>
    </message>
    <message>
        <source>As the address says</source>
        <translation>按地址判断</translation>
    </message>
    <message>
        <source>Te&amp;xt:</source>
        <translation>文本(&amp;X)：</translation>
    </message>
    <message>
        <source>&amp;When:</source>
        <translation>时间(&amp;W)：</translation>
    </message>
    <message>
        <source>In</source>
        <translation>延时</translation>
    </message>
    <message>
        <source>At</source>
        <translation>定时</translation>
    </message>
    <message>
        <source>Before an event at</source>
        <translation>在事件之前，事件时间</translation>
    </message>
    <message>
        <source>From now, such as 2h30m</source>
        <translation>从现在起，例如 2h30m</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>So long &amp;before:</source>
        <translation>提前多久(&amp;B)：</translation>
    </message>
    <message>
        <source>Time &amp;zone:</source>
        <translation>时区(&amp;Z)：</translation>
    </message>
    <message>
        <source>&amp;Repeat:</source>
        <translation>重复(&amp;R)：</translation>
    </message>
    <message>
        <source>Repeat</source>
        <translation>重复</translation>
    </message>
    <message>
        <source>Time zone</source>
        <translation>时区</translation>
    </message>
    <message>
        <source>Once</source>
        <translation>一次</translation>
    </message>
    <message>
        <source>daily, weekdays, monday, 2h, or a rule of RFC 5545: FREQ=…</source>
        <translation>daily、weekdays、monday、2h，或 RFC 5545 规则：FREQ=…</translation>
    </message>
    <message>
        <source>&amp;Sender:</source>
        <translation>发件人(&amp;S)：</translation>
    </message>
    <message>
        <source>Your &amp;key:</source>
        <translation>您的键(&amp;K)：</translation>
    </message>
    <message>
        <source>Cancels all of them; made from the id</source>
        <translation>用于全部取消；由编号生成</translation>
    </message>
    <message>
        <source>&amp;Expires:</source>
        <translation>过期(&amp;E)：</translation>
    </message>
    <message>
        <source>Never; or so long after each, such as 1d</source>
        <translation>永不；或每次之后多久，例如 1d</translation>
    </message>
    <message>
        <source>Retr&amp;y after:</source>
        <translation>重试间隔(&amp;Y)：</translation>
    </message>
    <message>
        <source>As its channel does</source>
        <translation>按其通道</translation>
    </message>
    <message>
        <source>Next times:</source>
        <translation>后续时间：</translation>
    </message>
    <message>
        <source>Next times</source>
        <translation>后续时间</translation>
    </message>
    <message>
        <source>Store Reminder</source>
        <translation>存储提醒</translation>
    </message>
    <message>
        <source>Change Recurring Reminder</source>
        <translation>修改周期提醒</translation>
    </message>
    <message>
        <source>Save Changes</source>
        <translation>保存修改</translation>
    </message>
</context>
<context>
    <name>restante::gui::RemindersPage</name>
    <message>
        <source>The reminders could not be read: %1</source>
        <translation>无法读取提醒：%1</translation>
    </message>
    <message>
        <source>The reminder was not cancelled, because what it has sent could not be read: %1</source>
        <translation>提醒未取消，因为无法读取它已发出的任务：%1</translation>
    </message>
    <message>
        <source>There is no connection.</source>
        <translation>没有连接。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln recurring reminder(s)</source>
        <translation>
            <numerusform>%Ln 条周期提醒</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message numerus="yes">
        <source>%Ln paused</source>
        <translation>
            <numerusform>其中 %Ln 条已暂停</numerusform>
        </translation>
    </message>
    <message>
        <source>at least %1</source>
        <translation>至少 %1</translation>
    </message>
    <message>
        <source>%1 when the store was last read</source>
        <translation>上次读取存储时有 %1</translation>
    </message>
    <message>
        <source>Not connected</source>
        <translation>未连接</translation>
    </message>
    <message>
        <source>Open a connection to see its reminders.</source>
        <translation>打开一个连接即可查看其中的提醒。</translation>
    </message>
    <message>
        <source>Loading reminders…</source>
        <translation>正在加载提醒…</translation>
    </message>
    <message>
        <source>No reminder is found</source>
        <translation>没有找到提醒</translation>
    </message>
    <message>
        <source>None has “%1” in its recipient, its rule or its text.</source>
        <translation>没有任何提醒的收件人、规则或内容中含有“%1”。</translation>
    </message>
    <message>
        <source>Show All Reminders</source>
        <translation>显示全部提醒</translation>
    </message>
    <message>
        <source>Nothing is sent again and again</source>
        <translation>没有周期提醒</translation>
    </message>
    <message>
        <source>Here stands every recurring reminder: to whom, how often, what it says, its next times and what became of the last one. The first row comes with:

%1</source>
        <translation>这里列出每一条周期提醒：发给谁、多久一次、内容、接下来的时间以及上一次的结果。用下面的命令即可添加第一条：

%1</translation>
    </message>
    <message>
        <source>New Recurring Reminder…</source>
        <translation>新建周期提醒…</translation>
    </message>
    <message>
        <source>Find a reminder</source>
        <translation>查找提醒</translation>
    </message>
    <message>
        <source>Send somebody a text again and again</source>
        <translation>定期给某人发送一段文字</translation>
    </message>
    <message>
        <source>Recurring reminders</source>
        <translation>周期提醒</translation>
    </message>
</context>
<context>
    <name>restante::gui::RescheduleDialog</name>
    <message>
        <source>There is no time zone “%1”; choose one like Europe/Berlin or UTC.</source>
        <translation>没有时区“%1”；请选择如 Europe/Berlin 或 UTC。</translation>
    </message>
    <message>
        <source>That time has passed: they will run at once.</source>
        <translation>该时间已过：它们将立即运行。</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>Reschedule</source>
        <translation>改期</translation>
    </message>
    <message>
        <source>&amp;At</source>
        <translation>于(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;In</source>
        <translation>在(&amp;I)</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Time zone</source>
        <translation>时区</translation>
    </message>
    <message>
        <source>From now, such as 2h30m</source>
        <translation>从现在起，例如 2h30m</translation>
    </message>
    <message>
        <source>So long from now: 90s, 15m, 2h30m, 7d</source>
        <translation>从现在起多久：90s、15m、2h30m、7d</translation>
    </message>
    <message>
        <source>S&amp;pread over</source>
        <translation>分散在(&amp;P)</translation>
    </message>
    <message>
        <source>Spread over, such as 30m</source>
        <translation>分散时长，例如 30m</translation>
    </message>
    <message>
        <source>Evenly over so long, so that they do not all run at once</source>
        <translation>在此时段内均匀分布，避免同时运行</translation>
    </message>
    <message>
        <source>&amp;Reason:</source>
        <translation>原因(&amp;R)：</translation>
    </message>
    <message>
        <source>What that means:</source>
        <translation>其含义：</translation>
    </message>
    <message>
        <source>What that means for the first of them:</source>
        <translation>对前几个任务的含义：</translation>
    </message>
    <message>
        <source>Job</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Due so far</source>
        <translation>原到期时间</translation>
    </message>
    <message>
        <source>Due then</source>
        <translation>新到期时间</translation>
    </message>
    <message>
        <source>What that means for the first of them</source>
        <translation>对前几个任务的含义</translation>
    </message>
    <message>
        <source>Attempts:</source>
        <translation>尝试次数：</translation>
    </message>
    <message>
        <source>&amp;Keep attempts</source>
        <translation>保留尝试次数(&amp;K)</translation>
    </message>
    <message>
        <source>What the retry schedule has used up stays used up</source>
        <translation>重试计划已用掉的次数仍算已用</translation>
    </message>
    <message>
        <source>R&amp;eset attempts</source>
        <translation>重置尝试次数(&amp;E)</translation>
    </message>
    <message>
        <source>The retry schedule begins anew, as if they had never been tried. The numbers of their attempts go on.</source>
        <translation>重试计划重新开始，如同从未尝试过。尝试的编号继续递增。</translation>
    </message>
    <message>
        <source>Tries so far</source>
        <translation>至今尝试</translation>
    </message>
    <message>
        <source>Tries then</source>
        <translation>之后尝试</translation>
    </message>
</context>
<context>
    <name>restante::gui::RetryingCounter</name>
    <message>
        <source>Jobs of which an attempt has failed, and the next one comes by itself</source>
        <translation>已有一次尝试失败、将自动重试的任务</translation>
    </message>
    <message>
        <source>%1 are being retried (counted %2)</source>
        <translation>%1 个任务重试中（统计于%2）</translation>
    </message>
    <message>
        <source>At least %1 are being retried (counted %2)</source>
        <translation>至少 %1 个任务重试中（统计于%2）</translation>
    </message>
</context>
<context>
    <name>restante::gui::ScanStrip</name>
    <message>
        <source>Scanned %1 · %2 found</source>
        <translation>已扫描 %1 · 找到 %2</translation>
    </message>
    <message>
        <source>Scanned %1 of ~%2 · %3 found</source>
        <translation>已扫描 %1 / 约 %2 · 找到 %3</translation>
    </message>
    <message>
        <source> · stopped</source>
        <translation> · 已停止</translation>
    </message>
    <message>
        <source> · goes on when you scroll</source>
        <translation> · 滚动时继续</translation>
    </message>
    <message>
        <source> · all looked at</source>
        <translation> · 已全部查看</translation>
    </message>
    <message>
        <source> · counting…</source>
        <translation> · 正在计数…</translation>
    </message>
    <message>
        <source> · the store has changed since</source>
        <translation> · 此后存储已有变化</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Search Again</source>
        <translation>重新搜索</translation>
    </message>
    <message>
        <source>Progress of the search</source>
        <translation>搜索进度</translation>
    </message>
</context>
<context>
    <name>restante::gui::SelectionBar</name>
    <message>
        <source>All %1 matching selected, minus %2</source>
        <translation>已选全部匹配的 %1 个，除去 %2 个</translation>
    </message>
    <message>
        <source>All %1 matching selected</source>
        <translation>已选全部匹配的 %1 个</translation>
    </message>
    <message>
        <source>Nothing selected</source>
        <translation>未选择</translation>
    </message>
    <message>
        <source>%1 selected</source>
        <translation>已选 %1</translation>
    </message>
    <message>
        <source>Select All %1 Matching</source>
        <translation>选择全部匹配的 %1 个</translation>
    </message>
    <message>
        <source>Select All Matching</source>
        <translation>选择全部匹配项</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Select nothing</source>
        <translation>取消选择</translation>
    </message>
    <message>
        <source>%1 new</source>
        <translation>新增 %1</translation>
    </message>
    <message>
        <source>Jobs that have come since you looked: go there</source>
        <translation>您查看之后新来的任务：转到那里</translation>
    </message>
    <message>
        <source>All that match selected, at least %1, minus %2</source>
        <translation>已选择全部匹配项，至少 %1 个，除去 %2 个</translation>
    </message>
    <message>
        <source>All that match selected, at least %1</source>
        <translation>已选择全部匹配项，至少 %1 个</translation>
    </message>
</context>
<context>
    <name>restante::gui::SentinelFields</name>
    <message>
        <source>Log-in at the sentinels:</source>
        <translation>登录哨兵：</translation>
    </message>
    <message>
        <source>User of the sentinels:</source>
        <translation>哨兵的用户：</translation>
    </message>
    <message>
        <source>Password of the sentinels:</source>
        <translation>哨兵的密码：</translation>
    </message>
    <message>
        <source>As in Redis, should they want it</source>
        <translation>与 Redis 相同（如果哨兵需要）</translation>
    </message>
    <message>
        <source>Their own, in the keychain</source>
        <translation>使用自己的密码，存入钥匙串</translation>
    </message>
    <message>
        <source>the default user</source>
        <translation>默认用户</translation>
    </message>
    <message>
        <source>unchanged</source>
        <translation>不变</translation>
    </message>
</context>
<context>
    <name>restante::gui::SequenceDiagram</name>
    <message>
        <source>others</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>Restante</source>
        <translation>Restante</translation>
    </message>
    <message>
        <source>+ %1</source>
        <translation>+ %1</translation>
    </message>
    <message>
        <source>%1, attempt %2</source>
        <translation>%1，第 %2 次尝试</translation>
    </message>
</context>
<context>
    <name>restante::gui::SeriesModel</name>
    <message>
        <source>To</source>
        <translation>收件人</translation>
    </message>
    <message>
        <source>Repeats</source>
        <translation>重复</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下次</translation>
    </message>
    <message>
        <source>Last result</source>
        <translation>上次结果</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>none yet</source>
        <translation>尚无</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <comment>what became of it, when</comment>
        <translation>%1 · %2</translation>
    </message>
</context>
<context>
    <name>restante::gui::SeriesPane</name>
    <message>
        <source>none yet</source>
        <translation>尚无</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <comment>what became of it, when</comment>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>The last result: %1</source>
        <translation>上次结果：%1</translation>
    </message>
    <message>
        <source>Show this job</source>
        <translation>显示这个任务</translation>
    </message>
    <message>
        <source>Last result</source>
        <translation>上次结果</translation>
    </message>
    <message>
        <source>Ends</source>
        <translation>结束</translation>
    </message>
    <message>
        <source>Sent by</source>
        <translation>发送通道</translation>
    </message>
    <message>
        <source>From</source>
        <translation>发件人</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>%1 · here %2</source>
        <comment>how far away, the time on our clocks</comment>
        <translation>%1 · 本地 %2</translation>
    </message>
    <message>
        <source>It has come to its end: nothing is sent any more.</source>
        <translation>已经结束，不再发送。</translation>
    </message>
    <message>
        <source>Its times are not known.</source>
        <translation>无法得知它的时间。</translation>
    </message>
    <message>
        <source>If it is resumed now</source>
        <translation>若现在恢复</translation>
    </message>
    <message>
        <source>Next times</source>
        <translation>接下来的时间</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Leave the next time out, and go on with the one after it</source>
        <translation>跳过下一次，从再下一次继续</translation>
    </message>
    <message>
        <source>Go on with the next time that is to come; what was missed is not sent</source>
        <translation>从接下来的一次继续；错过的不再补发</translation>
    </message>
    <message>
        <source>Send nothing until it is resumed</source>
        <translation>恢复之前不再发送</translation>
    </message>
    <message>
        <source>Change whom, when and what</source>
        <translation>修改收件人、时间和内容</translation>
    </message>
    <message>
        <source>Move it to the trash, with what of it has not been delivered</source>
        <translation>连同尚未送达的部分一起移入回收站</translation>
    </message>
    <message>
        <source>Skip Next</source>
        <translation>跳过下次</translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation>编辑…</translation>
    </message>
    <message>
        <source>Cancel It</source>
        <translation>取消提醒</translation>
    </message>
    <message>
        <source>Show Jobs</source>
        <translation>显示任务</translation>
    </message>
    <message>
        <source>Show the job that stands for it and those it has sent</source>
        <translation>显示代表它的任务以及它发出的任务</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Text of the reminder</source>
        <translation>提醒的内容</translation>
    </message>
</context>
<context>
    <name>restante::gui::ShortcutsDialog</name>
    <message>
        <source>Shortcuts</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>Find a command or a key</source>
        <translation>查找命令或按键</translation>
    </message>
    <message>
        <source>Commands and their keys</source>
        <translation>命令及其按键</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>业务键</translation>
    </message>
    <message>
        <source>What it does</source>
        <translation>作用</translation>
    </message>
    <message>
        <source>New &amp;key:</source>
        <translation>新按键(&amp;K)：</translation>
    </message>
    <message>
        <source>&amp;Assign</source>
        <translation>指定(&amp;A)</translation>
    </message>
    <message>
        <source>As It &amp;Came</source>
        <translation>恢复默认(&amp;C)</translation>
    </message>
    <message>
        <source>All as They Came</source>
        <translation>全部恢复默认</translation>
    </message>
    <message>
        <source>Another command has that key now. Change it there first.</source>
        <translation>该键现属另一命令。请先在那里更改。</translation>
    </message>
</context>
<context>
    <name>restante::gui::SkewLabel</name>
    <message>
        <source>The store&apos;s clock is %1 ahead</source>
        <translation>存储的时钟快 %1</translation>
    </message>
    <message>
        <source>The store&apos;s clock is %1 behind</source>
        <translation>存储的时钟慢 %1</translation>
    </message>
    <message>
        <source>The clock of the store and that of this machine differ. Due times, ages and lateness are reckoned by the store&apos;s; check which of the two is wrong.</source>
        <translation>存储与本机的时钟不同。到期时间、任务年龄和延迟均按存储的时钟计算；请检查哪一个不对。</translation>
    </message>
</context>
<context>
    <name>restante::gui::StateTabs</name>
    <message>
        <source>counting…</source>
        <translation>正在计数…</translation>
    </message>
    <message>
        <source>States</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Retrying</source>
        <translation>重试中</translation>
    </message>
</context>
<context>
    <name>restante::gui::StepComparisonModel</name>
    <message>
        <source>Attempt</source>
        <translation>尝试</translation>
    </message>
    <message>
        <source>Sent</source>
        <translation>已发送</translation>
    </message>
    <message>
        <source>To</source>
        <translation>收件人</translation>
    </message>
    <message>
        <source>Via</source>
        <translation>经由</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>应答</translation>
    </message>
    <message>
        <source>Took</source>
        <translation>耗时</translation>
    </message>
    <message>
        <source>Worker</source>
        <translation>执行进程</translation>
    </message>
    <message>
        <source>Then</source>
        <translation>随后</translation>
    </message>
    <message>
        <source>Field</source>
        <translation>字段</translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation>较早</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>较晚</translation>
    </message>
</context>
<context>
    <name>restante::gui::StepsModel</name>
    <message>
        <source>%1 via %2</source>
        <translation>%1 经由 %2</translation>
    </message>
    <message>
        <source>Attempt</source>
        <translation>尝试</translation>
    </message>
    <message>
        <source>Sent</source>
        <translation>已发送</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>应答</translation>
    </message>
    <message>
        <source>After</source>
        <translation>间隔</translation>
    </message>
    <message>
        <source>To</source>
        <translation>收件人</translation>
    </message>
</context>
<context>
    <name>restante::gui::StoreWindow</name>
    <message>
        <source>connection</source>
        <translation>连接</translation>
    </message>
</context>
<context>
    <name>restante::gui::TaskBoard</name>
    <message>
        <source>Those that failed in: %1</source>
        <translation>失败项：%1</translation>
    </message>
    <message>
        <source>connection lost after %1</source>
        <translation>完成 %1 个后连接断开</translation>
    </message>
    <message>
        <source>What was left of: %1</source>
        <translation>剩余部分：%1</translation>
    </message>
    <message>
        <source>the connection was closed; at least this much was done</source>
        <translation>连接被关闭；至少完成了这么多</translation>
    </message>
</context>
<context>
    <name>restante::gui::TaskStrip</name>
    <message>
        <source>%1 (and %2 more)</source>
        <translation>%1（另有 %2 个）</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Retry Failed</source>
        <translation>重试失败项</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>忽略</translation>
    </message>
    <message>
        <source>Progress of the task</source>
        <translation>操作的进度</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>Do the Rest</source>
        <translation>执行剩余部分</translation>
    </message>
</context>
<context>
    <name>restante::gui::TasksModel</name>
    <message>
        <source>Ended</source>
        <translation>已结束</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>进行中</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>速率</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>剩余</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>开始于</translation>
    </message>
    <message>
        <source>By</source>
        <translation>执行者</translation>
    </message>
</context>
<context>
    <name>restante::gui::TasksPanel</name>
    <message>
        <source>Export Failures</source>
        <translation>导出失败项</translation>
    </message>
    <message>
        <source>CSV (*.csv)</source>
        <translation>CSV (*.csv)</translation>
    </message>
    <message>
        <source>No tasks yet: what you do to many jobs shows its progress here.</source>
        <translation>尚无操作：对大量任务所做的操作会在此显示进度。</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>停止(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Retry Failed</source>
        <translation>重试失败项(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Export Failures…</source>
        <translation>导出失败项(&amp;E)…</translation>
    </message>
    <message>
        <source>&amp;Clear Ended</source>
        <translation>清除已结束(&amp;C)</translation>
    </message>
    <message>
        <source>Tasks</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>Failures of the selected task</source>
        <translation>所选操作的失败项</translation>
    </message>
    <message>
        <source>Job</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>What went wrong</source>
        <translation>出了什么问题</translation>
    </message>
    <message>
        <source>Do the &amp;Rest</source>
        <translation>执行剩余部分(&amp;R)</translation>
    </message>
</context>
<context>
    <name>restante::gui::TestMessageDialog</name>
    <message>
        <source>This is a test message.</source>
        <translation>这是一条测试消息。</translation>
    </message>
    <message>
        <source>&amp;Send Again</source>
        <translation>再次发送(&amp;S)</translation>
    </message>
    <message>
        <source>%1  stored</source>
        <translation>%1  已存储</translation>
    </message>
    <message>
        <source>%1  sent to %2: no answer</source>
        <translation>%1  已发往 %2：无应答</translation>
    </message>
    <message>
        <source>%1  sent to %2: %3</source>
        <translation>%1  已发往 %2：%3</translation>
    </message>
    <message>
        <source>%1  nothing could be sent</source>
        <translation>%1  无法发送</translation>
    </message>
    <message>
        <source>%1  nothing was sent: %2</source>
        <translation>%1  未发送：%2</translation>
    </message>
    <message>
        <source>It was delivered: %1 answered after %2.</source>
        <translation>已送达：%1 在 %2 后应答。</translation>
    </message>
    <message>
        <source>It was delivered: %1 answered.</source>
        <translation>已送达：%1 已应答。</translation>
    </message>
    <message>
        <source>It is no longer in the store: delivered, or taken away. The journal, which could tell, does not answer.</source>
        <translation>它已不在存储中：已送达，或已被取走。本可说明情况的日志库没有应答。</translation>
    </message>
    <message>
        <source>Test Message</source>
        <translation>测试消息</translation>
    </message>
    <message>
        <source>&amp;To:</source>
        <translation>收件人(&amp;T)：</translation>
    </message>
    <message>
        <source>Te&amp;xt:</source>
        <translation>正文(&amp;X)：</translation>
    </message>
    <message>
        <source>It waits its turn behind what that person has not got yet, and is given up after ten minutes.</source>
        <translation>它排在此人尚未收到的消息之后，十分钟后放弃。</translation>
    </message>
    <message>
        <source>What has happened</source>
        <translation>经过</translation>
    </message>
    <message>
        <source>&amp;Send</source>
        <translation>发送(&amp;S)</translation>
    </message>
    <message>
        <source>Show &amp;Job</source>
        <translation>显示任务(&amp;J)</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>restante::gui::TlsFields</name>
    <message>
        <source>&amp;TLS</source>
        <translation>&amp;TLS</translation>
    </message>
    <message>
        <source>&amp;Verify whom the certificate names, and who issued it</source>
        <translation>验证证书的名称和签发者(&amp;V)</translation>
    </message>
    <message>
        <source>Issued &amp;by:</source>
        <translation>签发者(&amp;B)：</translation>
    </message>
    <message>
        <source>Name in the certi&amp;ficate:</source>
        <translation>证书中的名称(&amp;C)：</translation>
    </message>
    <message>
        <source>&amp;Your certificate:</source>
        <translation>您的证书(&amp;Y)：</translation>
    </message>
    <message>
        <source>Your &amp;key:</source>
        <translation>您的密钥(&amp;K)：</translation>
    </message>
    <message>
        <source>those that this machine knows</source>
        <translation>本机认识的机构</translation>
    </message>
    <message>
        <source>the host</source>
        <translation>主机名</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>浏览…</translation>
    </message>
    <message>
        <source>Choose the certificate of the authority</source>
        <translation>选择签发机构的证书</translation>
    </message>
    <message>
        <source>Choose your certificate</source>
        <translation>选择您的证书</translation>
    </message>
    <message>
        <source>Choose the key of your certificate</source>
        <translation>选择您的证书密钥</translation>
    </message>
    <message>
        <source>Certificate or key</source>
        <translation>证书或密钥</translation>
    </message>
    <message>
        <source>Certificates and keys (*.pem *.crt *.key);;All files (*)</source>
        <translation>证书和密钥 (*.pem *.crt *.key);;所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>restante::gui::ToolActions</name>
    <message>
        <source>Go to job %1</source>
        <translation>转到任务 %1</translation>
    </message>
    <message>
        <source>by its id</source>
        <translation>按编号</translation>
    </message>
    <message>
        <source>Show jobs: %1</source>
        <translation>显示任务：%1</translation>
    </message>
    <message>
        <source>as a filter</source>
        <translation>作为筛选</translation>
    </message>
</context>
<context>
    <name>restante::gui::TopicList</name>
    <message>
        <source>Busiest topics</source>
        <translation>最繁忙的主题</translation>
    </message>
    <message>
        <source>All %1</source>
        <translation>全部 %1</translation>
    </message>
    <message>
        <source>No topic has jobs.</source>
        <translation>没有任何主题有任务。</translation>
    </message>
    <message>
        <source>Topic</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>In</source>
        <translation>进</translation>
    </message>
    <message>
        <source>Out</source>
        <translation>出</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Held</source>
        <translation>暂留</translation>
    </message>
    <message>
        <source>Oldest</source>
        <translation>最早</translation>
    </message>
    <message>
        <source>Dead</source>
        <translation>死信</translation>
    </message>
    <message>
        <source>Jobs pushed, over the last five minutes, from the journal</source>
        <translation>最近五分钟内推送的任务，来自日志库</translation>
    </message>
    <message>
        <source>Jobs finished, dead or expired, over the last five minutes, from the journal</source>
        <translation>最近五分钟内完成、成为死信或过期的任务，来自日志库</translation>
    </message>
    <message>
        <source>Scheduled or ready</source>
        <translation>已计划或就绪</translation>
    </message>
    <message>
        <source>In mailboxes, or held by somebody</source>
        <translation>在信箱中，或被人暂留</translation>
    </message>
    <message>
        <source>How late the oldest ready job is</source>
        <translation>最早的就绪任务迟了多久</translation>
    </message>
    <message>
        <source>%1 (paused)</source>
        <translation>%1（已暂停）</translation>
    </message>
    <message>
        <source>Topic %1</source>
        <translation>主题 %1</translation>
    </message>
    <message>
        <source>%1: %2, %3</source>
        <comment>topic: jobs, state</comment>
        <translation>%1：%2，%3</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>held</source>
        <translation>暂留</translation>
    </message>
    <message>
        <source>dead</source>
        <translation>死信</translation>
    </message>
    <message>
        <source>on time</source>
        <translation>准时</translation>
    </message>
</context>
<context>
    <name>restante::gui::TopicsModel</name>
    <message>
        <source>%1, %2</source>
        <comment>who, when</comment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>who and when: why</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>开放</translation>
    </message>
    <message>
        <source>Limited</source>
        <translation>受限</translation>
    </message>
    <message>
        <source>Topic</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Whether jobs of the topic are given out</source>
        <translation>该主题的任务是否发放</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状况</translation>
    </message>
    <message>
        <source>Jobs that are due and wait to be given out</source>
        <translation>已到期并等待发放的任务</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>How long the oldest ready job has been due</source>
        <translation>最早就绪任务已到期多久</translation>
    </message>
    <message>
        <source>Late</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>Jobs that are due later</source>
        <translation>稍后到期的任务</translation>
    </message>
    <message>
        <source>Scheduled</source>
        <translation>已计划</translation>
    </message>
    <message>
        <source>How the backlog grows or shrinks, over the last minute</source>
        <translation>最近一分钟积压的增减</translation>
    </message>
    <message>
        <source>Change/min</source>
        <translation>变化/分钟</translation>
    </message>
    <message>
        <source>Leased</source>
        <translation>处理中</translation>
    </message>
    <message>
        <source>How many jobs may be leased at a time</source>
        <translation>同时可处理多少任务</translation>
    </message>
    <message>
        <source>How many jobs are given out in a period</source>
        <translation>一个周期内发放多少任务</translation>
    </message>
    <message>
        <source>Rate limit</source>
        <translation>速率限制</translation>
    </message>
    <message>
        <source>How its jobs are delivered</source>
        <translation>其任务如何投递</translation>
    </message>
    <message>
        <source>Channels</source>
        <translation>通道</translation>
    </message>
    <message>
        <source>Who paused the topic, when and why</source>
        <translation>谁在何时因何暂停了该主题</translation>
    </message>
    <message>
        <source>Paused by</source>
        <translation>暂停者</translation>
    </message>
    <message>
        <source>Rates are known from the journal only: %1</source>
        <translation>速率只能从日志库得知：%1</translation>
    </message>
    <message>
        <source>From %1 to %2</source>
        <translation>从 %1 到 %2</translation>
    </message>
    <message>
        <source>So many jobs are being delivered that their topics are not looked at; a topic with a concurrency limit is always counted</source>
        <translation>正在投递的任务太多，因此不再查看其主题；设有并发上限的主题始终计数</translation>
    </message>
    <message>
        <source>Jobs that are being delivered</source>
        <translation>正在投递的任务</translation>
    </message>
    <message>
        <source>Jobs pushed, over the last five minutes, from the journal</source>
        <translation>最近五分钟内推送的任务，来自日志库</translation>
    </message>
    <message>
        <source>In</source>
        <translation>进</translation>
    </message>
    <message>
        <source>Jobs finished, dead or expired, over the last five minutes, from the journal</source>
        <translation>最近五分钟内完成、成为死信或过期的任务，来自日志库</translation>
    </message>
    <message>
        <source>Out</source>
        <translation>出</translation>
    </message>
    <message>
        <source>Held</source>
        <translation>暂留</translation>
    </message>
    <message>
        <source>Jobs in mailboxes, or held by somebody; ≥ when there are more than were looked at</source>
        <translation>在信箱中或被人暂留的任务；≥ 表示还有更多未统计</translation>
    </message>
    <message>
        <source>Dead</source>
        <translation>死信</translation>
    </message>
    <message>
        <source>Jobs that were given up; ≥ when there are more than were looked at</source>
        <translation>已放弃的任务；≥ 表示还有更多未统计</translation>
    </message>
    <message numerus="yes">
        <source>%Ln ready</source>
        <translation>
            <numerusform>%Ln 个就绪</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln scheduled</source>
        <translation>
            <numerusform>%Ln 个已计划</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln retrying</source>
        <translation>
            <numerusform>%Ln 个重试中</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln leased</source>
        <translation>
            <numerusform>%Ln 个处理中</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln held</source>
        <translation>
            <numerusform>%Ln 个暂留</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln dead</source>
        <translation>
            <numerusform>%Ln 个死信</numerusform>
        </translation>
    </message>
    <message>
        <source>Retrying</source>
        <translation>重试中</translation>
    </message>
    <message>
        <source>A number from 1 to 100,000: how many jobs are leased at a time. Nothing, or 0, is no limit.</source>
        <translation>1 到 100,000 之间的整数：同时投递的任务数。留空或 0 表示不限制。</translation>
    </message>
    <message>
        <source>Jobs in a time, such as 10/s, 100/m or 3/10s. Nothing, or 0, is no limit.</source>
        <translation>单位时间内的任务数，例如 10/s、100/m 或 3/10s。留空或 0 表示不限制。</translation>
    </message>
    <message>
        <source>All dead</source>
        <translation>全部为死信</translation>
    </message>
    <message>
        <source>Held or dead</source>
        <translation>暂留或死信</translation>
    </message>
    <message>
        <source>All held</source>
        <translation>全部暂留</translation>
    </message>
    <message>
        <source>Nothing of it will be given out: its jobs were given up. Show Jobs says why, and they can be run again there.</source>
        <translation>不会再分发任何任务：其任务均已放弃。“显示任务”会说明原因，也可在那里重新运行。</translation>
    </message>
    <message>
        <source>Nothing of it is due: its jobs were given up, or are held.</source>
        <translation>没有到期的任务：其任务均已放弃或被暂留。</translation>
    </message>
    <message>
        <source>Its messages wait until their recipients register, or until somebody releases them.</source>
        <translation>其消息等待收件人注册，或等待有人放行。</translation>
    </message>
    <message>
        <source>Its jobs are given out, within its limits</source>
        <translation>其任务在限制范围内分发</translation>
    </message>
    <message>
        <source>Its jobs are given out without limits</source>
        <translation>其任务正常分发，没有限制</translation>
    </message>
    <message>
        <source>no jobs</source>
        <translation>没有任务</translation>
    </message>
    <message>
        <source>on time</source>
        <translation>准时</translation>
    </message>
    <message>
        <source>Held and dead as counted at %1</source>
        <translation>暂留和死信的数量统计于 %1</translation>
    </message>
    <message>
        <source>Nothing of it is due</source>
        <translation>没有到期的任务</translation>
    </message>
    <message>
        <source>F2 or a double click changes it. %1</source>
        <translation>按 F2 或双击即可修改。%1</translation>
    </message>
    <message>
        <source>No attempt has ended in the last five minutes, or the journal does not tell</source>
        <translation>最近五分钟内没有尝试结束，或日志库没有记录</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>All jobs of the topic, and of which states they are; ≥ when there are more than were looked at</source>
        <translation>该主题的全部任务及其状态；“≥”表示实际数量多于已查看的数量</translation>
    </message>
    <message>
        <source>Those of the ready and scheduled jobs of which an attempt has failed</source>
        <translation>就绪和已计划的任务中，已有尝试失败的任务</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>错误率</translation>
    </message>
    <message>
        <source>How many of the attempts that ended in the last five minutes have failed, from the journal</source>
        <translation>最近五分钟内结束的尝试中失败的比例，来自日志库</translation>
    </message>
    <message>
        <source>Concurrency</source>
        <translation>并发数</translation>
    </message>
    <message>
        <source>The journal knows nothing of the last 24 hours</source>
        <translation>日志中没有最近 24 小时的记录</translation>
    </message>
    <message>
        <source>In the last 24 hours: %1 in, %2 finished</source>
        <translation>最近 24 小时：进入 %1 个，完成 %2 个</translation>
    </message>
    <message>
        <source>Where the line has a gap nobody counted</source>
        <translation>线条中断处表示当时无人统计</translation>
    </message>
    <message>
        <source>24 hours</source>
        <translation>24 小时</translation>
    </message>
    <message>
        <source>What was finished (the line) and what came (the grey one) in each half hour of the last day, from the journal; a gap is where nobody counted</source>
        <translation>最近一天每半小时完成的任务（彩色线）和进入的任务（灰色线），来自日志；中断处表示当时无人统计</translation>
    </message>
</context>
<context>
    <name>restante::gui::TopicsPage</name>
    <message>
        <source>“%1” is not a limit. %2</source>
        <translation>“%1”不是有效的限制。%2</translation>
    </message>
    <message>
        <source>The limits of “%1” are as they were: %2</source>
        <translation>“%1”的限制未更改：%2</translation>
    </message>
    <message>
        <source>The topics could not be read: %1</source>
        <translation>无法读取主题：%1</translation>
    </message>
    <message>
        <source>Show in Monitor</source>
        <translation>在监控中显示</translation>
    </message>
    <message>
        <source>Change Concurrency</source>
        <translation>修改并发数</translation>
    </message>
    <message>
        <source>Change Rate Limit</source>
        <translation>修改速率限制</translation>
    </message>
    <message numerus="yes">
        <source>%n topic(s)</source>
        <translation>
            <numerusform>%n 个主题</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n paused</source>
        <translation>
            <numerusform>%n 个已暂停</numerusform>
        </translation>
    </message>
    <message>
        <source>Not connected</source>
        <translation>未连接</translation>
    </message>
    <message>
        <source>Open a connection to see its topics.</source>
        <translation>打开一个连接以查看其主题。</translation>
    </message>
    <message>
        <source>Loading topics…</source>
        <translation>正在加载主题…</translation>
    </message>
    <message>
        <source>No topics</source>
        <translation>没有主题</translation>
    </message>
    <message>
        <source>A topic is listed while it has jobs that are not done, is paused, or has a limit. The first one comes with the first job: Job, New Job…</source>
        <translation>有未完成的任务、已暂停或设有限制的主题会列在这里。第一个主题随第一个任务出现：“任务”菜单中的“新建任务…”。</translation>
    </message>
    <message>
        <source>No topic is called so</source>
        <translation>没有这个名称的主题</translation>
    </message>
    <message>
        <source>None of the topics contains “%1”.</source>
        <translation>没有主题包含“%1”。</translation>
    </message>
    <message>
        <source>Show All Topics</source>
        <translation>显示全部主题</translation>
    </message>
    <message>
        <source>Find a topic</source>
        <translation>查找主题</translation>
    </message>
    <message>
        <source>Show Jobs</source>
        <translation>显示任务</translation>
    </message>
    <message>
        <source>Show the jobs of this topic</source>
        <translation>显示该主题的任务</translation>
    </message>
    <message>
        <source>Topics</source>
        <translation>主题</translation>
    </message>
</context>
<context>
    <name>restante::gui::TunnelFields</name>
    <message>
        <source>Throu&amp;gh ssh of:</source>
        <translation>通过 ssh(&amp;G)：</translation>
    </message>
    <message>
        <source>Key f&amp;or ssh:</source>
        <translation>ssh 密钥(&amp;O)：</translation>
    </message>
    <message>
        <source>nobody; or user@jump.example.org:22</source>
        <translation>无；或 user@jump.example.org:22</translation>
    </message>
    <message>
        <source>as ssh is configured</source>
        <translation>按 ssh 的配置</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>浏览…</translation>
    </message>
    <message>
        <source>Choose the key for ssh</source>
        <translation>选择 ssh 的密钥</translation>
    </message>
    <message>
        <source>Host, port or socket are as seen from there. The journal is not reached through ssh: its address is used as it is.</source>
        <translation>主机、端口或套接字均以那里所见为准。日志库不经过 ssh：其地址按原样使用。</translation>
    </message>
    <message>
        <source>Key for ssh</source>
        <translation>ssh 密钥</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
</context>
</TS>
