# PowerShell completion for weft

Register-ArgumentCompleter -Native -CommandName 'weft' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $enter = [System.Collections.Generic.Dictionary[string, string]]::new([StringComparer]::Ordinal)
    $enter['weft demo'] = 'weft demo'
    $enter['weft sessions'] = 'weft sessions'
    $enter['weft ps'] = 'weft ps'
    $enter['weft doctor'] = 'weft doctor'
    $enter['weft completion'] = 'weft completion'
    $enter['weft tasks'] = 'weft tasks'
    $enter['weft permissions'] = 'weft permissions'
    $enter['weft config'] = 'weft config'
    $enter['weft sessions list'] = 'weft sessions list'
    $enter['weft sessions show'] = 'weft sessions show'
    $enter['weft sessions export'] = 'weft sessions export'
    $enter['weft sessions rewind'] = 'weft sessions rewind'
    $enter['weft sessions delete'] = 'weft sessions delete'
    $enter['weft sessions help'] = 'weft sessions help'
    $enter['weft tasks decode'] = 'weft tasks decode'
    $enter['weft tasks watch'] = 'weft tasks watch'
    $enter['weft tasks encode'] = 'weft tasks encode'
    $enter['weft tasks transform'] = 'weft tasks transform'
    $enter['weft tasks help'] = 'weft tasks help'
    $enter['weft permissions check'] = 'weft permissions check'
    $enter['weft permissions list'] = 'weft permissions list'
    $enter['weft permissions add'] = 'weft permissions add'
    $enter['weft permissions remove'] = 'weft permissions remove'
    $enter['weft permissions trust'] = 'weft permissions trust'
    $enter['weft permissions untrust'] = 'weft permissions untrust'
    $enter['weft config get'] = 'weft config get'
    $enter['weft config set'] = 'weft config set'
    $enter['weft config unset'] = 'weft config unset'
    $enter['weft config list'] = 'weft config list'
    $enter['weft config path'] = 'weft config path'
    $enter['weft config explain'] = 'weft config explain'
    $enter['weft config help'] = 'weft config help'
    $takes = [System.Collections.Generic.Dictionary[string, string]]::new([StringComparer]::Ordinal)
    $values = [System.Collections.Generic.Dictionary[string, object]]::new([StringComparer]::Ordinal)
    $takes['weft -p'] = 'one'
    $takes['weft --prompt'] = 'one'
    $takes['weft --output-format'] = 'one'
    $values['weft --output-format'] = @(, @('text', 'text'); , @('json', 'json'); , @('stream-json', 'stream-json'))
    $takes['weft --input-format'] = 'one'
    $values['weft --input-format'] = @(, @('text', 'text'); , @('stream-json', 'stream-json'))
    $takes['weft --model'] = 'one'
    $takes['weft --provider'] = 'one'
    $values['weft --provider'] = @(, @('anthropic', 'anthropic'); , @('openai', 'openai'); , @('replay', 'replay'))
    $takes['weft --base-url'] = 'one'
    $takes['weft --replay'] = 'one'
    $takes['weft --record'] = 'one'
    $takes['weft --permission-mode'] = 'one'
    $values['weft --permission-mode'] = @(, @('default', 'default'); , @('acceptEdits', 'acceptEdits'); , @('plan', 'plan'); , @('dontAsk', 'dontAsk'); , @('bypassPermissions', 'bypassPermissions'))
    $takes['weft --allowed-tools'] = 'many'
    $takes['weft --disallowed-tools'] = 'many'
    $takes['weft --max-turns'] = 'one'
    $takes['weft --max-cost'] = 'one'
    $takes['weft --timeout'] = 'one'
    $takes['weft -r'] = 'maybe'
    $takes['weft --resume'] = 'maybe'
    $takes['weft --session-id'] = 'one'
    $takes['weft -C'] = 'one'
    $takes['weft --cwd'] = 'one'
    $takes['weft --add-dir'] = 'many'
    $takes['weft --system-prompt'] = 'one'
    $takes['weft --append-system-prompt'] = 'one'
    $takes['weft --json-schema'] = 'one'
    $takes['weft --settings'] = 'one'
    $takes['weft demo --dir'] = 'one'
    $takes['weft sessions export --format'] = 'one'
    $values['weft sessions export --format'] = @(, @('jsonl', 'jsonl'); , @('markdown', 'markdown'))
    $takes['weft sessions rewind --to'] = 'one'
    $takes['weft ps --stop'] = 'one'
    $takes['weft tasks decode --input'] = 'one'
    $values['weft tasks decode --input'] = @(, @('auto', 'auto'); , @('base64', 'base64'); , @('json', 'json'); , @('sse', 'sse'))
    $takes['weft tasks encode --output'] = 'one'
    $values['weft tasks encode --output'] = @(, @('base64', 'base64'); , @('json', 'json'); , @('sse', 'sse'))
    $takes['weft tasks transform --to'] = 'one'
    $values['weft tasks transform --to'] = @(, @('openai', 'openai'); , @('anthropic', 'anthropic'))
    $takes['weft permissions check --cwd'] = 'one'
    $takes['weft permissions check --permission-mode'] = 'one'
    $values['weft permissions check --permission-mode'] = @(, @('default', 'default'); , @('acceptEdits', 'acceptEdits'); , @('plan', 'plan'); , @('dontAsk', 'dontAsk'); , @('bypassPermissions', 'bypassPermissions'))
    $takes['weft permissions list --cwd'] = 'one'
    $takes['weft permissions add --cwd'] = 'one'
    $takes['weft permissions remove --cwd'] = 'one'
    $takes['weft permissions trust --cwd'] = 'one'
    $takes['weft permissions untrust --cwd'] = 'one'
    $takes['weft config get --cwd'] = 'one'
    $takes['weft config set --cwd'] = 'one'
    $takes['weft config unset --cwd'] = 'one'
    $takes['weft config list --cwd'] = 'one'
    $takes['weft config path --cwd'] = 'one'
    $takes['weft config explain --cwd'] = 'one'
    $positions = [System.Collections.Generic.Dictionary[string, object]]::new([StringComparer]::Ordinal)
    $positions['weft|+'] = @()
    $positions['weft sessions show|0'] = @()
    $positions['weft sessions export|0'] = @()
    $positions['weft sessions rewind|0'] = @()
    $positions['weft sessions delete|0'] = @()
    $positions['weft sessions help|0'] = @(, @('list', 'list'); , @('show', 'show'); , @('export', 'export'); , @('rewind', 'rewind'); , @('delete', 'delete'))
    $positions['weft completion|0'] = @(, @('bash', 'bash'); , @('zsh', 'zsh'); , @('fish', 'fish'); , @('powershell', 'powershell'))
    $positions['weft tasks decode|0'] = @()
    $positions['weft tasks watch|0'] = @()
    $positions['weft tasks encode|0'] = @()
    $positions['weft tasks transform|0'] = @()
    $positions['weft tasks help|0'] = @(, @('decode', 'decode'); , @('watch', 'watch'); , @('encode', 'encode'); , @('transform', 'transform'))
    $positions['weft permissions check|+'] = @()
    $positions['weft permissions add|0'] = @(, @('allow', 'allow'); , @('ask', 'ask'); , @('deny', 'deny'))
    $positions['weft permissions add|1'] = @()
    $positions['weft permissions remove|0'] = @(, @('allow', 'allow'); , @('ask', 'ask'); , @('deny', 'deny'))
    $positions['weft permissions remove|1'] = @()
    $positions['weft config get|0'] = @()
    $positions['weft config set|0'] = @()
    $positions['weft config set|1'] = @()
    $positions['weft config unset|0'] = @()
    $positions['weft config explain|0'] = @()
    $positions['weft config help|0'] = @(, @('get', 'get'); , @('set', 'set'); , @('unset', 'unset'); , @('list', 'list'); , @('path', 'path'); , @('explain', 'explain'))
    $names = [System.Collections.Generic.Dictionary[string, object]]::new([StringComparer]::Ordinal)
    $names['weft'] = @(, @('demo', 'the main job, offline: an agent repairs a small project in a temporary folder'); , @('sessions', 'the conversations that are kept'); , @('ps', 'commands of weft that run beside a conversation, or outlived it'); , @('doctor', 'what works on this machine'); , @('completion', 'print the completion script of a shell'); , @('tasks', 'the task protocol: streams of agents, and the todo lists in them'); , @('permissions', 'what may happen without asking: rules, and trust in a folder'); , @('config', 'settings: what counts, and where it comes from'))
    $names['weft demo'] = @()
    $names['weft sessions'] = @(, @('list', 'newest first'); , @('show', 'print a conversation'); , @('export', 'write a conversation to stdout'); , @('rewind', 'go back to before a prompt: its files, what was said, or both'); , @('delete', 'delete a conversation'); , @('help', 'display help for command'))
    $names['weft sessions list'] = @()
    $names['weft sessions show'] = @()
    $names['weft sessions export'] = @()
    $names['weft sessions rewind'] = @()
    $names['weft sessions delete'] = @()
    $names['weft sessions help'] = @()
    $names['weft ps'] = @()
    $names['weft doctor'] = @()
    $names['weft completion'] = @()
    $names['weft tasks'] = @(, @('decode', 'each payload or event as JSON, one a line'); , @('watch', 'the todo list, live'); , @('encode', 'todo lists, one {"todos":[...]} a line, as events of the task protocol'); , @('transform', 'an event stream as the stream of another API (SSE)'); , @('help', 'display help for command'))
    $names['weft tasks decode'] = @()
    $names['weft tasks watch'] = @()
    $names['weft tasks encode'] = @()
    $names['weft tasks transform'] = @()
    $names['weft tasks help'] = @()
    $names['weft permissions'] = @(, @('check', 'the verdict on a shell command, or on each of many: JSON lines on stdin'); , @('list', 'the rules of the settings files'); , @('add', 'write a rule into a settings file'); , @('remove', 'take a rule out of a settings file'); , @('trust', 'show what the settings of the folder want, and accept it'); , @('untrust', 'take the trust back'))
    $names['weft permissions check'] = @()
    $names['weft permissions list'] = @()
    $names['weft permissions add'] = @()
    $names['weft permissions remove'] = @()
    $names['weft permissions trust'] = @()
    $names['weft permissions untrust'] = @()
    $names['weft config'] = @(, @('get', 'print the value that counts'); , @('set', 'write a value into a settings file'); , @('unset', 'take a value out of a settings file'); , @('list', 'all that is set'); , @('path', 'where a settings file lies'); , @('explain', 'what counts, who set it, and what it hides'); , @('help', 'display help for command'))
    $names['weft config get'] = @()
    $names['weft config set'] = @()
    $names['weft config unset'] = @()
    $names['weft config list'] = @()
    $names['weft config path'] = @()
    $names['weft config explain'] = @()
    $names['weft config help'] = @()
    $options = [System.Collections.Generic.Dictionary[string, object]]::new([StringComparer]::Ordinal)
    $options['weft'] = @(, @('-V', 'print the version'); , @('--version', 'print the version'); , @('-p', 'answer on stdout and exit; "-" reads the prompt from stdin'); , @('--prompt', 'answer on stdout and exit; "-" reads the prompt from stdin'); , @('--print', 'answer on stdout and exit; the prompt is the arguments or stdin'); , @('--output-format', 'what stdout carries'); , @('--input-format', 'what stdin carries'); , @('--include-partial-messages', 'with stream-json: also the pieces of messages as they come'); , @('--model', 'the model'); , @('--provider', 'who serves the model'); , @('--base-url', 'the provider''s address'); , @('--replay', 'play a recorded model conversation'); , @('--record', 'record the model conversation'); , @('--permission-mode', 'what may happen without asking'); , @('--allowed-tools', 'allow without asking, e.g. "Bash(git status:*)" "Edit(src/**)"'); , @('--disallowed-tools', 'forbid'); , @('--max-turns', 'most model requests for one prompt'); , @('--max-cost', 'stop before the session costs more'); , @('--timeout', 'without the terminal UI: stop after this time (exit code 124)'); , @('-c', 'go on with the newest session of this folder'); , @('--continue', 'go on with the newest session of this folder'); , @('-r', 'go on with a session; without an id, choose one'); , @('--resume', 'go on with a session; without an id, choose one'); , @('--session-id', 'the id of the new session'); , @('--fork-session', 'with --continue or --resume: go on in a copy'); , @('--no-session-persistence', 'keep nothing of this session'); , @('-C', 'work in this folder'); , @('--cwd', 'work in this folder'); , @('--add-dir', 'more folders that belong to the workspace'); , @('--system-prompt', 'instead of weft''s own system prompt'); , @('--append-system-prompt', 'after the system prompt'); , @('--json-schema', 'without the terminal UI: the answer is JSON that fits this schema'); , @('--settings', 'settings on top of the settings files'); , @('--verbose', 'say on stderr which model answers'); , @('--debug', 'without the terminal UI: what happens, as JSON lines on stderr'); , @('--accessible', 'the terminal UI as lines that are only ever added: for screen readers'); , @('--fullscreen', 'the terminal UI on a screen of its own, instead of in the scrollback'); , @('--no-color', 'no colours'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft demo'] = @(, @('--dir', 'lay the project out here instead (a new or empty folder)'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft sessions'] = @(, @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft sessions list'] = @(, @('--json', 'as JSON'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft sessions show'] = @(, @('--json', 'as JSON'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft sessions export'] = @(, @('--format', 'the form'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft sessions rewind'] = @(, @('--to', 'before the n-th prompt; else the last'); , @('--files', 'the files only'); , @('--talk', 'the conversation only'); , @('--both', 'files and conversation (default)'); , @('--redo', 'take the last rewind back'); , @('--yes', 'without asking'); , @('--json', 'as JSON'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft sessions delete'] = @(, @('--json', 'as JSON'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft sessions help'] = @()
    $options['weft ps'] = @(, @('--json', 'as JSON'); , @('--stop', 'end one, with all it started'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft doctor'] = @(, @('--json', 'as JSON'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft completion'] = @(, @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft tasks'] = @(, @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft tasks decode'] = @(, @('--input', 'what is read'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft tasks watch'] = @(, @('--json', 'the list as one line of JSON after each change, as without a terminal'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft tasks encode'] = @(, @('--output', 'what is written'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft tasks transform'] = @(, @('--to', 'whose'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft tasks help'] = @()
    $options['weft permissions'] = @(, @('--list', 'every class of actions that may be asked about'); , @('--json', 'as JSON'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft permissions check'] = @(, @('--json', 'one JSON object a line'); , @('--cwd', 'the folder it is about'); , @('--permission-mode', 'what may happen without asking'); , @('--help', 'show this help'))
    $options['weft permissions list'] = @(, @('--classes', 'instead: every class of actions that may be asked about'); , @('--json', 'as JSON'); , @('--cwd', 'the folder it is about'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft permissions add'] = @(, @('--user', 'your own settings (without a flag: these)'); , @('--project', 'the settings of the folder, for everybody: .weft/settings.json'); , @('--local', 'the settings of the folder, for you: .weft/settings.local.json'); , @('--cwd', 'the folder it is about'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft permissions remove'] = @(, @('--user', 'your own settings (without a flag: these)'); , @('--project', 'the settings of the folder, for everybody: .weft/settings.json'); , @('--local', 'the settings of the folder, for you: .weft/settings.local.json'); , @('--cwd', 'the folder it is about'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft permissions trust'] = @(, @('--yes', 'without asking'); , @('--cwd', 'the folder it is about'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft permissions untrust'] = @(, @('--cwd', 'the folder it is about'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft config'] = @(, @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft config get'] = @(, @('--json', 'as JSON'); , @('--cwd', 'the folder it is about'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft config set'] = @(, @('--user', 'your own settings (without a flag: these)'); , @('--project', 'the settings of the folder, for everybody: .weft/settings.json'); , @('--local', 'the settings of the folder, for you: .weft/settings.local.json'); , @('--cwd', 'the folder it is about'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft config unset'] = @(, @('--user', 'your own settings (without a flag: these)'); , @('--project', 'the settings of the folder, for everybody: .weft/settings.json'); , @('--local', 'the settings of the folder, for you: .weft/settings.local.json'); , @('--cwd', 'the folder it is about'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft config list'] = @(, @('--json', 'as JSON'); , @('--cwd', 'the folder it is about'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft config path'] = @(, @('--user', 'your own settings (without a flag: these)'); , @('--project', 'the settings of the folder, for everybody: .weft/settings.json'); , @('--local', 'the settings of the folder, for you: .weft/settings.local.json'); , @('--cwd', 'the folder it is about'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft config explain'] = @(, @('--json', 'as JSON'); , @('--cwd', 'the folder it is about'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft config help'] = @()

    $current = [string]$wordToComplete
    $state = 'weft'
    $reading = 'none'
    $flag = ''
    $count = 0
    $ended = $false
    $elements = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or ($current -eq '' -and $_.Extent.EndOffset -le $cursorPosition) })
    foreach ($element in $elements) {
        $word = if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $element.Value } else { $element.Extent.Text }
        if ($reading -eq 'one') { $reading = 'none' }
        elseif (-not $ended -and $word -ceq '--') { $ended = $true; $reading = 'none' }
        elseif (-not $ended -and $word -clike '-*=*') { $reading = 'none' }
        elseif (-not $ended -and $word -clike '-?*') {
            $flag = "$state $word"
            $reading = if ($takes.ContainsKey($flag)) { $takes[$flag] } else { 'none' }
        }
        elseif ($reading -eq 'maybe') { $reading = 'none' }
        elseif ($reading -eq 'none') {
            if ($count -eq 0 -and $enter.ContainsKey("$state $word")) { $state = $enter["$state $word"] } else { $count++ }
        }
    }

    $prefix = ''
    $found = @()
    if (-not $ended -and $reading -ne 'one' -and $current -clike '-*=*') {
        $at = $current.IndexOf('=')
        $flag = "$state " + $current.Substring(0, $at)
        $prefix = $current.Substring(0, $at + 1)
        $current = $current.Substring($at + 1)
        $reading = 'one'
    }
    if ($reading -ne 'one' -and -not $ended -and $current -clike '-*') { $found = $options[$state] }
    elseif ($reading -ne 'none') { if ($values.ContainsKey($flag)) { $found = $values[$flag] } }
    else {
        if ($count -eq 0) { $found += $names[$state] }
        if ($positions.ContainsKey("$state|$count")) { $found += $positions["$state|$count"] }
        elseif ($positions.ContainsKey("$state|+")) { $found += $positions["$state|+"] }
    }
    foreach ($pair in $found) {
        if (-not $pair[0].StartsWith($current, [StringComparison]::Ordinal)) { continue }
        $text = $pair[0]
        if ($text -notmatch '^[\w./+-]+$') { $text = "'" + $text.Replace("'", "''") + "'" }
        [System.Management.Automation.CompletionResult]::new($prefix + $text, $pair[0], 'ParameterValue', $pair[1])
    }
}
