# PowerShell completion for weft (PowerShell 5 and newer)

Register-ArgumentCompleter -Native -CommandName 'weft' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $current = [string]$wordToComplete
    $elements = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or ($current -eq '' -and $_.Extent.EndOffset -le $cursorPosition) })
    $words = @(foreach ($element in $elements) {
        if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $element.Value } else { $element.Extent.Text }
    })
    # PowerShell gives programs no empty word.
    if ($current -eq '') { $lines = @(weft __complete --next -- @words 2>$null) }
    else { $lines = @(weft __complete -- @words $current 2>$null) }
    # Where nothing is offered, PowerShell completes names of files by itself.
    foreach ($line in @($lines | Select-Object -Skip 1)) {
        $word, $about = $line -split "`t", 2
        if (-not $word.StartsWith($current, [StringComparison]::Ordinal)) { continue }
        # A value in quotation marks, behind its flag if there is one.
        $null = $word -match '^(-[^=]*=)?(.*)$'
        $flag, $text = [string]$Matches[1], $Matches[2]
        if ($text -notmatch '^[\w./+-]+$') { $text = "'" + $text.Replace("'", "''") + "'" }
        if ([string]::IsNullOrEmpty($about)) { $about = $word }
        [System.Management.Automation.CompletionResult]::new($flag + $text, $word, 'ParameterValue', $about)
    }
}
