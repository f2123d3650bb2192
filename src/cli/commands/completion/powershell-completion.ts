import {allCommands, type CommandNode, type OptionNode, type ValueNode} from './command-tree.ts';

/**
 * A script for PowerShell 5 and newer. Where it offers nothing, PowerShell completes file names by itself, which is what file
 * and directory values need.
 */
export function powershellCompletion(tree: CommandNode): string {
  const commands = allCommands(tree);
  return `# PowerShell completion for ${tree.path}

Register-ArgumentCompleter -Native -CommandName ${quote(tree.path)} -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $enter = [System.Collections.Generic.Dictionary[string, string]]::new([StringComparer]::Ordinal)
${commands.flatMap(command => command.commands.flatMap(child => child.names.map(name => `    $enter[${quote(`${command.path} ${name}`)}] = ${quote(child.path)}`))).join('\n')}
    $takes = [System.Collections.Generic.Dictionary[string, string]]::new([StringComparer]::Ordinal)
    $values = [System.Collections.Generic.Dictionary[string, object]]::new([StringComparer]::Ordinal)
${commands.flatMap(command => command.options.filter(option => option.takes !== 'none').flatMap(option => optionLines(command, option))).join('\n')}
    $positions = [System.Collections.Generic.Dictionary[string, object]]::new([StringComparer]::Ordinal)
${commands.flatMap(positionLines).join('\n')}
    $names = [System.Collections.Generic.Dictionary[string, object]]::new([StringComparer]::Ordinal)
${commands.map(command => `    $names[${quote(command.path)}] = ${pairs(command.commands.flatMap(child => child.names.map(name => [name, child.description])))}`).join('\n')}
    $options = [System.Collections.Generic.Dictionary[string, object]]::new([StringComparer]::Ordinal)
${commands.map(command => `    $options[${quote(command.path)}] = ${pairs(command.options.flatMap(option => option.flags.map(flag => [flag, option.description])))}`).join('\n')}

    $current = [string]$wordToComplete
    $state = ${quote(tree.path)}
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
        if ($text -notmatch '^[\\w./+-]+$') { $text = "'" + $text.Replace("'", "''") + "'" }
        [System.Management.Automation.CompletionResult]::new($prefix + $text, $pair[0], 'ParameterValue', $pair[1])
    }
}
`;
}

function optionLines(command: CommandNode, option: OptionNode): readonly string[] {
  return option.flags.flatMap(flag => {
    const key = quote(`${command.path} ${flag}`);
    const takes = `    $takes[${key}] = ${quote(option.takes)}`;
    return option.value.kind === 'choices' ? [takes, `    $values[${key}] = ${choices(option.value)}`] : [takes];
  });
}

const positionLines = (command: CommandNode): readonly string[] =>
  command.positions.map(({index, reach, value}) => {
    const place = reach === 'onwards' ? '+' : String(index);
    return `    $positions[${quote(`${command.path}|${place}`)}] = ${choices(value)}`;
  });

const choices = (value: ValueNode): string => pairs(value.choices.map(choice => [choice, choice]));

/** Words and what is said of them; PowerShell takes no empty tool tip. */
const pairs = (words: readonly (readonly [word: string, about: string])[]): string =>
  `@(${words.map(([word, about]) => `, @(${quote(word)}, ${quote(about === '' ? word : about)})`).join('; ')})`;

/** PowerShell takes typographic quotation marks for plain ones. */
const quote = (text: string): string => `'${text.replaceAll(/['\u2018\u2019\u201a\u201b]/gu, '$&$&')}'`;
