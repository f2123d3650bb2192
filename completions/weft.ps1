# PowerShell completion for weft

Register-ArgumentCompleter -Native -CommandName 'weft' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $enter = [System.Collections.Generic.Dictionary[string, string]]::new([StringComparer]::Ordinal)
    $enter['weft demo'] = 'weft demo'
    $enter['weft sessions'] = 'weft sessions'
    $enter['weft completion'] = 'weft completion'
    $enter['weft sessions list'] = 'weft sessions list'
    $enter['weft sessions show'] = 'weft sessions show'
    $enter['weft sessions export'] = 'weft sessions export'
    $enter['weft sessions delete'] = 'weft sessions delete'
    $enter['weft sessions help'] = 'weft sessions help'
    $takes = [System.Collections.Generic.Dictionary[string, string]]::new([StringComparer]::Ordinal)
    $values = [System.Collections.Generic.Dictionary[string, object]]::new([StringComparer]::Ordinal)
    $takes['weft -p'] = 'one'
    $takes['weft --prompt'] = 'one'
    $takes['weft --output-format'] = 'one'
    $values['weft --output-format'] = @(, @('text', 'text'); , @('json', 'json'); , @('stream-json', 'stream-json'))
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
    $takes['weft --settings'] = 'one'
    $takes['weft demo --dir'] = 'one'
    $takes['weft sessions export --format'] = 'one'
    $values['weft sessions export --format'] = @(, @('jsonl', 'jsonl'); , @('markdown', 'markdown'))
    $positions = [System.Collections.Generic.Dictionary[string, object]]::new([StringComparer]::Ordinal)
    $positions['weft|+'] = @()
    $positions['weft sessions show|0'] = @()
    $positions['weft sessions export|0'] = @()
    $positions['weft sessions delete|0'] = @()
    $positions['weft sessions help|0'] = @(, @('list', 'list'); , @('show', 'show'); , @('export', 'export'); , @('delete', 'delete'))
    $positions['weft completion|0'] = @(, @('bash', 'bash'); , @('zsh', 'zsh'); , @('fish', 'fish'); , @('powershell', 'powershell'))
    $names = [System.Collections.Generic.Dictionary[string, object]]::new([StringComparer]::Ordinal)
    $names['weft'] = @(, @('demo', 'the main job, offline: an agent repairs a small project in a temporary folder'); , @('sessions', 'the conversations that are kept'); , @('completion', 'print the completion script of a shell'))
    $names['weft demo'] = @()
    $names['weft sessions'] = @(, @('list', 'newest first'); , @('show', 'print a conversation'); , @('export', 'write a conversation to stdout'); , @('delete', 'delete a conversation'); , @('help', 'display help for command'))
    $names['weft sessions list'] = @()
    $names['weft sessions show'] = @()
    $names['weft sessions export'] = @()
    $names['weft sessions delete'] = @()
    $names['weft sessions help'] = @()
    $names['weft completion'] = @()
    $options = [System.Collections.Generic.Dictionary[string, object]]::new([StringComparer]::Ordinal)
    $options['weft'] = @(, @('-V', 'print the version'); , @('--version', 'print the version'); , @('-p', 'answer on stdout and exit; "-" reads the prompt from stdin'); , @('--prompt', 'answer on stdout and exit; "-" reads the prompt from stdin'); , @('--print', 'answer on stdout and exit; the prompt is the arguments or stdin'); , @('--output-format', 'what stdout carries'); , @('--include-partial-messages', 'with stream-json: also the pieces of messages as they come'); , @('--model', 'the model'); , @('--provider', 'who serves the model'); , @('--base-url', 'the provider''s address'); , @('--replay', 'play a recorded model conversation'); , @('--record', 'record the model conversation'); , @('--permission-mode', 'what may happen without asking'); , @('--allowed-tools', 'allow without asking, e.g. "Bash(git status:*)" "Edit(src/**)"'); , @('--disallowed-tools', 'forbid'); , @('--max-turns', 'most model requests for one prompt'); , @('--max-cost', 'stop before the session costs more'); , @('--timeout', 'without the terminal UI: stop after this time (exit code 124)'); , @('-c', 'go on with the newest session of this folder'); , @('--continue', 'go on with the newest session of this folder'); , @('-r', 'go on with a session; without an id, choose one'); , @('--resume', 'go on with a session; without an id, choose one'); , @('--session-id', 'the id of the new session'); , @('--fork-session', 'with --continue or --resume: go on in a copy'); , @('--no-session-persistence', 'keep nothing of this session'); , @('-C', 'work in this folder'); , @('--cwd', 'work in this folder'); , @('--add-dir', 'more folders that belong to the workspace'); , @('--system-prompt', 'instead of weft''s own system prompt'); , @('--append-system-prompt', 'after the system prompt'); , @('--settings', 'settings on top of the settings files'); , @('--verbose', 'say on stderr which model answers'); , @('--debug', 'without the terminal UI: what happens, as JSON lines on stderr'); , @('--no-color', 'no colours'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft demo'] = @(, @('--dir', 'lay the project out here instead (a new or empty folder)'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft sessions'] = @(, @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft sessions list'] = @(, @('--json', 'as JSON'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft sessions show'] = @(, @('--json', 'as JSON'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft sessions export'] = @(, @('--format', 'the form'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft sessions delete'] = @(, @('--json', 'as JSON'); , @('-h', 'show this help'); , @('--help', 'show this help'))
    $options['weft sessions help'] = @()
    $options['weft completion'] = @(, @('-h', 'show this help'); , @('--help', 'show this help'))

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
