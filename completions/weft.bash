# bash completion for weft

_weft_enter() { # the command that a word names in a command
  case $1 in
    'weft demo') next='weft demo' ;;
    'weft init') next='weft init' ;;
    'weft auth') next='weft auth' ;;
    'weft status') next='weft status' ;;
    'weft login') next='weft login' ;;
    'weft logout') next='weft logout' ;;
    'weft sessions') next='weft sessions' ;;
    'weft sandbox') next='weft sandbox' ;;
    'weft ps') next='weft ps' ;;
    'weft worktree') next='weft worktree' ;;
    'weft doctor') next='weft doctor' ;;
    'weft completion') next='weft completion' ;;
    'weft tasks') next='weft tasks' ;;
    'weft permissions') next='weft permissions' ;;
    'weft hooks') next='weft hooks' ;;
    'weft config') next='weft config' ;;
    'weft models') next='weft models' ;;
    'weft mcp') next='weft mcp' ;;
    'weft skills') next='weft skills' ;;
    'weft agents') next='weft agents' ;;
    'weft plan') next='weft plan' ;;
    'weft serve') next='weft serve' ;;
    'weft worker') next='weft worker' ;;
    'weft attach') next='weft attach' ;;
    'weft stack') next='weft stack' ;;
    'weft schedule') next='weft schedule' ;;
    'weft acp') next='weft acp' ;;
    'weft version') next='weft version' ;;
    'weft update' | 'weft upgrade') next='weft update' ;;
    'weft uninstall') next='weft uninstall' ;;
    'weft help') next='weft help' ;;
    'weft auth status') next='weft auth status' ;;
    'weft auth login') next='weft auth login' ;;
    'weft auth logout') next='weft auth logout' ;;
    'weft auth help') next='weft auth help' ;;
    'weft sessions list') next='weft sessions list' ;;
    'weft sessions show') next='weft sessions show' ;;
    'weft sessions export') next='weft sessions export' ;;
    'weft sessions rewind') next='weft sessions rewind' ;;
    'weft sessions delete') next='weft sessions delete' ;;
    'weft sessions help') next='weft sessions help' ;;
    'weft sandbox providers') next='weft sandbox providers' ;;
    'weft sandbox test') next='weft sandbox test' ;;
    'weft sandbox run') next='weft sandbox run' ;;
    'weft sandbox apply') next='weft sandbox apply' ;;
    'weft sandbox help') next='weft sandbox help' ;;
    'weft worktree list') next='weft worktree list' ;;
    'weft worktree merge') next='weft worktree merge' ;;
    'weft worktree remove') next='weft worktree remove' ;;
    'weft worktree help') next='weft worktree help' ;;
    'weft tasks decode') next='weft tasks decode' ;;
    'weft tasks watch') next='weft tasks watch' ;;
    'weft tasks encode') next='weft tasks encode' ;;
    'weft tasks transform') next='weft tasks transform' ;;
    'weft tasks help') next='weft tasks help' ;;
    'weft permissions check') next='weft permissions check' ;;
    'weft permissions list') next='weft permissions list' ;;
    'weft permissions add') next='weft permissions add' ;;
    'weft permissions remove') next='weft permissions remove' ;;
    'weft permissions trust') next='weft permissions trust' ;;
    'weft permissions untrust') next='weft permissions untrust' ;;
    'weft hooks list') next='weft hooks list' ;;
    'weft hooks test') next='weft hooks test' ;;
    'weft hooks help') next='weft hooks help' ;;
    'weft config get') next='weft config get' ;;
    'weft config set') next='weft config set' ;;
    'weft config unset') next='weft config unset' ;;
    'weft config list') next='weft config list' ;;
    'weft config path') next='weft config path' ;;
    'weft config import') next='weft config import' ;;
    'weft config explain') next='weft config explain' ;;
    'weft config help') next='weft config help' ;;
    'weft models list') next='weft models list' ;;
    'weft models help') next='weft models help' ;;
    'weft mcp list') next='weft mcp list' ;;
    'weft mcp get') next='weft mcp get' ;;
    'weft mcp add') next='weft mcp add' ;;
    'weft mcp remove') next='weft mcp remove' ;;
    'weft mcp login') next='weft mcp login' ;;
    'weft mcp logout') next='weft mcp logout' ;;
    'weft mcp import') next='weft mcp import' ;;
    'weft mcp help') next='weft mcp help' ;;
    'weft skills list') next='weft skills list' ;;
    'weft skills show') next='weft skills show' ;;
    'weft skills help') next='weft skills help' ;;
    'weft agents list') next='weft agents list' ;;
    'weft agents show') next='weft agents show' ;;
    'weft agents stop') next='weft agents stop' ;;
    'weft agents help') next='weft agents help' ;;
    'weft plan run') next='weft plan run' ;;
    'weft plan list') next='weft plan list' ;;
    'weft plan show') next='weft plan show' ;;
    'weft stack run') next='weft stack run' ;;
    'weft stack list') next='weft stack list' ;;
    'weft stack next') next='weft stack next' ;;
    'weft stack create') next='weft stack create' ;;
    'weft stack add') next='weft stack add' ;;
    'weft stack status') next='weft stack status' ;;
    'weft stack advance') next='weft stack advance' ;;
    'weft stack message') next='weft stack message' ;;
    'weft stack messages') next='weft stack messages' ;;
    'weft stack help') next='weft stack help' ;;
    'weft schedule add') next='weft schedule add' ;;
    'weft schedule list') next='weft schedule list' ;;
    'weft schedule remove') next='weft schedule remove' ;;
    'weft schedule run') next='weft schedule run' ;;
    'weft schedule help') next='weft schedule help' ;;
    *) ;;
  esac
}

_weft_option() { # what an option of a command takes
  takes=none kind=any choices=()
  case $1 in
    'weft -p' | 'weft --prompt') takes=one kind=any ;;
    'weft --output-format') takes=one kind=choices choices=('text' 'json' 'stream-json') ;;
    'weft --input-format') takes=one kind=choices choices=('text' 'stream-json') ;;
    'weft --model') takes=one kind=model ;;
    'weft --fallback-model') takes=one kind=any ;;
    'weft --provider') takes=one kind=choices choices=('anthropic' 'openai' 'gemini' 'replay') ;;
    'weft --base-url') takes=one kind=any ;;
    'weft --replay') takes=one kind=file ;;
    'weft --record') takes=one kind=file ;;
    'weft --permission-mode') takes=one kind=choices choices=('default' 'acceptEdits' 'plan' 'dontAsk' 'bypassPermissions') ;;
    'weft --sandbox') takes=one kind=choices choices=('auto' 'native' 'bwrap' 'claude' 'codex') ;;
    'weft --allowed-tools') takes=many kind=any ;;
    'weft --disallowed-tools') takes=many kind=any ;;
    'weft --max-turns') takes=one kind=any ;;
    'weft --max-cost') takes=one kind=any ;;
    'weft --timeout') takes=one kind=any ;;
    'weft -r' | 'weft --resume') takes=maybe kind=session ;;
    'weft --session-id') takes=one kind=any ;;
    'weft -C' | 'weft --cwd') takes=one kind=directory ;;
    'weft --add-dir') takes=many kind=directory ;;
    'weft --system-prompt') takes=one kind=any ;;
    'weft --append-system-prompt') takes=one kind=any ;;
    'weft --agent') takes=one kind=any ;;
    'weft --agents') takes=one kind=file ;;
    'weft --worktree') takes=maybe kind=any ;;
    'weft --json-schema') takes=one kind=file ;;
    'weft --settings') takes=one kind=file ;;
    'weft --mcp-config') takes=many kind=file ;;
    'weft --plugin-dir') takes=one kind=directory ;;
    'weft demo --dir') takes=one kind=directory ;;
    'weft auth login --provider') takes=one kind=choices choices=('anthropic' 'openai' 'gemini') ;;
    'weft login --provider') takes=one kind=choices choices=('anthropic' 'openai' 'gemini') ;;
    'weft sessions export --format') takes=one kind=choices choices=('jsonl' 'markdown') ;;
    'weft sessions rewind --to') takes=one kind=any ;;
    'weft sandbox test --provider') takes=one kind=choices choices=('native' 'bwrap' 'claude' 'codex') ;;
    'weft sandbox run --provider') takes=one kind=choices choices=('native' 'bwrap' 'claude' 'codex') ;;
    'weft sandbox run --cwd') takes=one kind=directory ;;
    'weft ps --stop') takes=one kind=any ;;
    'weft worktree list --cwd') takes=one kind=directory ;;
    'weft worktree merge --cwd') takes=one kind=directory ;;
    'weft worktree remove --cwd') takes=one kind=directory ;;
    'weft tasks decode --input') takes=one kind=choices choices=('auto' 'base64' 'json' 'sse') ;;
    'weft tasks encode --output') takes=one kind=choices choices=('base64' 'json' 'sse') ;;
    'weft tasks transform --to') takes=one kind=choices choices=('openai' 'anthropic') ;;
    'weft permissions check --cwd') takes=one kind=directory ;;
    'weft permissions check --permission-mode') takes=one kind=choices choices=('default' 'acceptEdits' 'plan' 'dontAsk' 'bypassPermissions') ;;
    'weft permissions check --sandbox') takes=one kind=choices choices=('auto' 'native' 'bwrap' 'claude' 'codex') ;;
    'weft permissions list --cwd') takes=one kind=directory ;;
    'weft permissions add --cwd') takes=one kind=directory ;;
    'weft permissions remove --cwd') takes=one kind=directory ;;
    'weft permissions trust --cwd') takes=one kind=directory ;;
    'weft permissions untrust --cwd') takes=one kind=directory ;;
    'weft hooks list --cwd') takes=one kind=directory ;;
    'weft hooks list --plugin-dir') takes=one kind=directory ;;
    'weft hooks test --cwd') takes=one kind=directory ;;
    'weft hooks test --plugin-dir') takes=one kind=directory ;;
    'weft config get --cwd') takes=one kind=directory ;;
    'weft config set --cwd') takes=one kind=directory ;;
    'weft config unset --cwd') takes=one kind=directory ;;
    'weft config list --cwd') takes=one kind=directory ;;
    'weft config path --cwd') takes=one kind=directory ;;
    'weft config import --cwd') takes=one kind=directory ;;
    'weft config explain --cwd') takes=one kind=directory ;;
    'weft models list --cwd') takes=one kind=directory ;;
    'weft mcp list --cwd') takes=one kind=directory ;;
    'weft mcp get --cwd') takes=one kind=directory ;;
    'weft mcp add --scope') takes=one kind=choices choices=('user' 'project' 'local') ;;
    'weft mcp add --transport') takes=one kind=choices choices=('stdio' 'http' 'sse') ;;
    'weft mcp add --env') takes=one kind=any ;;
    'weft mcp add --header') takes=one kind=any ;;
    'weft mcp add --client-id') takes=one kind=any ;;
    'weft mcp add --client-secret-env') takes=one kind=any ;;
    'weft mcp add --callback-port') takes=one kind=any ;;
    'weft mcp add --cwd') takes=one kind=directory ;;
    'weft mcp remove --scope') takes=one kind=choices choices=('user' 'project' 'local') ;;
    'weft mcp remove --cwd') takes=one kind=directory ;;
    'weft mcp login --oauth-scope') takes=one kind=any ;;
    'weft mcp login --cwd') takes=one kind=directory ;;
    'weft mcp logout --cwd') takes=one kind=directory ;;
    'weft mcp import --scope') takes=one kind=choices choices=('user' 'project' 'local') ;;
    'weft mcp import --cwd') takes=one kind=directory ;;
    'weft skills list -C' | 'weft skills list --cwd') takes=one kind=directory ;;
    'weft skills list --plugin-dir') takes=one kind=directory ;;
    'weft skills show -C' | 'weft skills show --cwd') takes=one kind=directory ;;
    'weft skills show --plugin-dir') takes=one kind=directory ;;
    'weft agents list -C' | 'weft agents list --cwd') takes=one kind=directory ;;
    'weft agents list --plugin-dir') takes=one kind=directory ;;
    'weft agents list --agents') takes=one kind=file ;;
    'weft agents show -C' | 'weft agents show --cwd') takes=one kind=directory ;;
    'weft agents show --plugin-dir') takes=one kind=directory ;;
    'weft agents show --agents') takes=one kind=file ;;
    'weft plan --output-format') takes=one kind=choices choices=('text' 'json') ;;
    'weft plan --model') takes=one kind=model ;;
    'weft plan --fallback-model') takes=one kind=any ;;
    'weft plan --provider') takes=one kind=choices choices=('anthropic' 'openai' 'gemini' 'replay') ;;
    'weft plan --base-url') takes=one kind=any ;;
    'weft plan --replay') takes=one kind=file ;;
    'weft plan --record') takes=one kind=file ;;
    'weft plan --sandbox') takes=one kind=choices choices=('auto' 'native' 'bwrap' 'claude' 'codex') ;;
    'weft plan --allowed-tools') takes=many kind=any ;;
    'weft plan --disallowed-tools') takes=many kind=any ;;
    'weft plan --max-turns') takes=one kind=any ;;
    'weft plan --max-cost') takes=one kind=any ;;
    'weft plan -C' | 'weft plan --cwd') takes=one kind=directory ;;
    'weft plan --add-dir') takes=many kind=directory ;;
    'weft plan --system-prompt') takes=one kind=any ;;
    'weft plan --append-system-prompt') takes=one kind=any ;;
    'weft plan --agent') takes=one kind=any ;;
    'weft plan --agents') takes=one kind=file ;;
    'weft plan --settings') takes=one kind=file ;;
    'weft plan --mcp-config') takes=many kind=file ;;
    'weft plan --plugin-dir') takes=one kind=directory ;;
    'weft plan run --output-format') takes=one kind=choices choices=('text' 'json' 'stream-json') ;;
    'weft plan run --model') takes=one kind=model ;;
    'weft plan run --fallback-model') takes=one kind=any ;;
    'weft plan run --provider') takes=one kind=choices choices=('anthropic' 'openai' 'gemini' 'replay') ;;
    'weft plan run --base-url') takes=one kind=any ;;
    'weft plan run --replay') takes=one kind=file ;;
    'weft plan run --record') takes=one kind=file ;;
    'weft plan run --permission-mode') takes=one kind=choices choices=('default' 'acceptEdits' 'plan' 'dontAsk' 'bypassPermissions') ;;
    'weft plan run --sandbox') takes=one kind=choices choices=('auto' 'native' 'bwrap' 'claude' 'codex') ;;
    'weft plan run --allowed-tools') takes=many kind=any ;;
    'weft plan run --disallowed-tools') takes=many kind=any ;;
    'weft plan run --max-turns') takes=one kind=any ;;
    'weft plan run --max-cost') takes=one kind=any ;;
    'weft plan run --timeout') takes=one kind=any ;;
    'weft plan run -C' | 'weft plan run --cwd') takes=one kind=directory ;;
    'weft plan run --add-dir') takes=many kind=directory ;;
    'weft plan run --system-prompt') takes=one kind=any ;;
    'weft plan run --append-system-prompt') takes=one kind=any ;;
    'weft plan run --agent') takes=one kind=any ;;
    'weft plan run --agents') takes=one kind=file ;;
    'weft plan run --settings') takes=one kind=file ;;
    'weft plan run --mcp-config') takes=many kind=file ;;
    'weft plan run --plugin-dir') takes=one kind=directory ;;
    'weft serve --port') takes=one kind=any ;;
    'weft serve --host') takes=one kind=any ;;
    'weft serve --store') takes=one kind=any ;;
    'weft serve --allow-host') takes=many kind=any ;;
    'weft serve --allow-origin') takes=many kind=any ;;
    'weft serve --output-format') takes=one kind=choices choices=('text' 'json') ;;
    'weft worker --store') takes=one kind=any ;;
    'weft worker --concurrency') takes=one kind=any ;;
    'weft attach --token-file') takes=one kind=file ;;
    'weft attach -C' | 'weft attach --cwd') takes=one kind=directory ;;
    'weft stack run --harness') takes=one kind=any ;;
    'weft stack run --model') takes=one kind=model ;;
    'weft stack run --fallback-model') takes=one kind=any ;;
    'weft stack run --provider') takes=one kind=choices choices=('anthropic' 'openai' 'gemini' 'replay') ;;
    'weft stack run --base-url') takes=one kind=any ;;
    'weft stack run --permission-mode') takes=one kind=choices choices=('default' 'acceptEdits' 'plan' 'dontAsk' 'bypassPermissions') ;;
    'weft stack run --sandbox') takes=one kind=choices choices=('auto' 'native' 'bwrap' 'claude' 'codex') ;;
    'weft stack run --allowed-tools') takes=many kind=any ;;
    'weft stack run --disallowed-tools') takes=many kind=any ;;
    'weft stack run --max-turns') takes=one kind=any ;;
    'weft stack run --max-cost') takes=one kind=any ;;
    'weft stack run --timeout') takes=one kind=any ;;
    'weft stack run -C' | 'weft stack run --cwd') takes=one kind=directory ;;
    'weft stack run --add-dir') takes=many kind=directory ;;
    'weft stack run --settings') takes=one kind=file ;;
    'weft stack run --mcp-config') takes=many kind=file ;;
    'weft stack create --layer') takes=one kind=any ;;
    'weft stack message --task') takes=one kind=any ;;
    'weft schedule add --cwd') takes=one kind=directory ;;
    'weft schedule add --permission-mode') takes=one kind=choices choices=('default' 'acceptEdits' 'plan' 'dontAsk' 'bypassPermissions') ;;
    'weft acp --server') takes=one kind=any ;;
    'weft acp --token-file') takes=one kind=file ;;
    'weft acp -C' | 'weft acp --cwd') takes=one kind=directory ;;
    'weft acp --model') takes=one kind=model ;;
    'weft acp --skill') takes=many kind=any ;;
    *) ;;
  esac
}

_weft_position() { # what an argument of a command is
  kind=any choices=()
  case $1 in
    'weft|'*) kind=any ;;
    'weft init|'*) kind=any ;;
    'weft auth logout|0') kind=choices choices=('anthropic' 'openai' 'gemini') ;;
    'weft auth help|0') kind=choices choices=('status' 'login' 'logout') ;;
    'weft logout|0') kind=choices choices=('anthropic' 'openai' 'gemini') ;;
    'weft sessions show|0') kind=session ;;
    'weft sessions export|0') kind=session ;;
    'weft sessions rewind|0') kind=session ;;
    'weft sessions delete|0') kind=session ;;
    'weft sessions help|0') kind=choices choices=('list' 'show' 'export' 'rewind' 'delete') ;;
    'weft sandbox run|'*) kind=any ;;
    'weft sandbox apply|0') kind=any ;;
    'weft sandbox help|0') kind=choices choices=('providers' 'test' 'run' 'apply') ;;
    'weft worktree merge|0') kind=any ;;
    'weft worktree remove|0') kind=any ;;
    'weft worktree help|0') kind=choices choices=('list' 'merge' 'remove') ;;
    'weft completion|0') kind=choices choices=('bash' 'zsh' 'fish' 'powershell') ;;
    'weft tasks decode|0') kind=file ;;
    'weft tasks watch|0') kind=file ;;
    'weft tasks encode|0') kind=file ;;
    'weft tasks transform|0') kind=file ;;
    'weft tasks help|0') kind=choices choices=('decode' 'watch' 'encode' 'transform') ;;
    'weft permissions check|'*) kind=any ;;
    'weft permissions add|0') kind=choices choices=('allow' 'ask' 'deny') ;;
    'weft permissions add|1') kind=any ;;
    'weft permissions remove|0') kind=choices choices=('allow' 'ask' 'deny') ;;
    'weft permissions remove|1') kind=any ;;
    'weft hooks test|0') kind=any ;;
    'weft hooks help|0') kind=choices choices=('list' 'test') ;;
    'weft config get|0') kind=setting ;;
    'weft config set|0') kind=setting ;;
    'weft config set|1') kind=value ;;
    'weft config unset|0') kind=setting ;;
    'weft config explain|0') kind=setting ;;
    'weft config help|0') kind=choices choices=('get' 'set' 'unset' 'list' 'path' 'import' 'explain') ;;
    'weft models help|0') kind=choices choices=('list') ;;
    'weft mcp get|0') kind=server ;;
    'weft mcp add|0') kind=any ;;
    'weft mcp add|'*) kind=any ;;
    'weft mcp remove|0') kind=server ;;
    'weft mcp login|0') kind=server ;;
    'weft mcp logout|0') kind=server ;;
    'weft mcp import|0') kind=choices choices=('claude' 'codex' 'gemini' 'vscode' 'opencode') ;;
    'weft mcp help|0') kind=choices choices=('list' 'get' 'add' 'remove' 'login' 'logout' 'import') ;;
    'weft skills show|0') kind=any ;;
    'weft skills help|0') kind=choices choices=('list' 'show') ;;
    'weft agents show|0') kind=any ;;
    'weft agents stop|0') kind=any ;;
    'weft agents help|0') kind=choices choices=('list' 'show' 'stop') ;;
    'weft plan|'*) kind=any ;;
    'weft plan run|0') kind=any ;;
    'weft plan show|0') kind=any ;;
    'weft attach|0') kind=any ;;
    'weft attach|1') kind=session ;;
    'weft stack create|'*) kind=any ;;
    'weft stack add|0') kind=any ;;
    'weft stack add|1') kind=any ;;
    'weft stack status|0') kind=any ;;
    'weft stack status|1') kind=any ;;
    'weft stack message|'*) kind=any ;;
    'weft stack help|0') kind=choices choices=('run' 'list' 'next' 'create' 'add' 'status' 'advance' 'message' 'messages') ;;
    'weft schedule add|0') kind=any ;;
    'weft schedule add|'*) kind=any ;;
    'weft schedule remove|0') kind=any ;;
    'weft schedule run|0') kind=any ;;
    'weft schedule help|0') kind=choices choices=('add' 'list' 'remove' 'run') ;;
    'weft help|'*) kind=choices choices=('demo' 'init' 'auth' 'status' 'login' 'logout' 'sessions' 'sandbox' 'ps' 'worktree' 'doctor' 'completion' 'tasks' 'permissions' 'hooks' 'config' 'models' 'mcp' 'skills' 'agents' 'plan' 'serve' 'worker' 'attach' 'stack' 'schedule' 'acp' 'version' 'update' 'uninstall' 'commands' 'keys') ;;
    *) ;;
  esac
}

_weft_names() { # what can follow in a command
  options=() commands=()
  case $1 in
    'weft') options=('-V' '--version' '-p' '--prompt' '--print' '--output-format' '--input-format' '--include-partial-messages' '--model' '--fallback-model' '--provider' '--base-url' '--replay' '--record' '--permission-mode' '--sandbox' '--allowed-tools' '--disallowed-tools' '--max-turns' '--max-cost' '--timeout' '-c' '--continue' '-r' '--resume' '--session-id' '--fork-session' '--no-session-persistence' '-C' '--cwd' '--add-dir' '--system-prompt' '--append-system-prompt' '--agent' '--agents' '--worktree' '--json-schema' '--settings' '--mcp-config' '--strict-mcp-config' '--plugin-dir' '--verbose' '--debug' '--accessible' '--fullscreen' '--no-color' '-h' '--help') commands=('demo' 'init' 'auth' 'status' 'login' 'logout' 'sessions' 'sandbox' 'ps' 'worktree' 'doctor' 'completion' 'tasks' 'permissions' 'hooks' 'config' 'models' 'mcp' 'skills' 'agents' 'plan' 'serve' 'worker' 'attach' 'stack' 'schedule' 'acp' 'version' 'update' 'upgrade' 'uninstall' 'help') ;;
    'weft demo') options=('--dir' '-h' '--help') commands=() ;;
    'weft init') options=('-h' '--help') commands=() ;;
    'weft auth') options=('-h' '--help') commands=('status' 'login' 'logout' 'help') ;;
    'weft auth status') options=('-h' '--help') commands=() ;;
    'weft auth login') options=('--provider' '-h' '--help') commands=() ;;
    'weft auth logout') options=('-h' '--help') commands=() ;;
    'weft auth help') options=() commands=() ;;
    'weft status') options=('-h' '--help') commands=() ;;
    'weft login') options=('--provider' '-h' '--help') commands=() ;;
    'weft logout') options=('-h' '--help') commands=() ;;
    'weft sessions') options=('-h' '--help') commands=('list' 'show' 'export' 'rewind' 'delete' 'help') ;;
    'weft sessions list') options=('--json' '-h' '--help') commands=() ;;
    'weft sessions show') options=('--json' '-h' '--help') commands=() ;;
    'weft sessions export') options=('--format' '-h' '--help') commands=() ;;
    'weft sessions rewind') options=('--to' '--files' '--talk' '--both' '--redo' '--yes' '--json' '-h' '--help') commands=() ;;
    'weft sessions delete') options=('--json' '-h' '--help') commands=() ;;
    'weft sessions help') options=() commands=() ;;
    'weft sandbox') options=('-h' '--help') commands=('providers' 'test' 'run' 'apply' 'help') ;;
    'weft sandbox providers') options=('--json' '-h' '--help') commands=() ;;
    'weft sandbox test') options=('--provider' '--json' '-h' '--help') commands=() ;;
    'weft sandbox run') options=('--provider' '--dry' '--json' '--cwd' '-h' '--help') commands=() ;;
    'weft sandbox apply') options=('--json' '-h' '--help') commands=() ;;
    'weft sandbox help') options=() commands=() ;;
    'weft ps') options=('--json' '--stop' '-h' '--help') commands=() ;;
    'weft worktree') options=('-h' '--help') commands=('list' 'merge' 'remove' 'help') ;;
    'weft worktree list') options=('--cwd' '--json' '-h' '--help') commands=() ;;
    'weft worktree merge') options=('--force' '--cwd' '-h' '--help') commands=() ;;
    'weft worktree remove') options=('--force' '--cwd' '-h' '--help') commands=() ;;
    'weft worktree help') options=() commands=() ;;
    'weft doctor') options=('--json' '-h' '--help') commands=() ;;
    'weft completion') options=('-h' '--help') commands=() ;;
    'weft tasks') options=('-h' '--help') commands=('decode' 'watch' 'encode' 'transform' 'help') ;;
    'weft tasks decode') options=('--input' '-h' '--help') commands=() ;;
    'weft tasks watch') options=('--json' '-h' '--help') commands=() ;;
    'weft tasks encode') options=('--output' '-h' '--help') commands=() ;;
    'weft tasks transform') options=('--to' '-h' '--help') commands=() ;;
    'weft tasks help') options=() commands=() ;;
    'weft permissions') options=('--list' '--json' '-h' '--help') commands=('check' 'list' 'add' 'remove' 'trust' 'untrust') ;;
    'weft permissions check') options=('--json' '--cwd' '--permission-mode' '--sandbox' '--help') commands=() ;;
    'weft permissions list') options=('--classes' '--json' '--cwd' '-h' '--help') commands=() ;;
    'weft permissions add') options=('--user' '--project' '--local' '--cwd' '-h' '--help') commands=() ;;
    'weft permissions remove') options=('--user' '--project' '--local' '--cwd' '-h' '--help') commands=() ;;
    'weft permissions trust') options=('--yes' '--cwd' '-h' '--help') commands=() ;;
    'weft permissions untrust') options=('--cwd' '-h' '--help') commands=() ;;
    'weft hooks') options=('-h' '--help') commands=('list' 'test' 'help') ;;
    'weft hooks list') options=('--json' '--cwd' '--plugin-dir' '-h' '--help') commands=() ;;
    'weft hooks test') options=('--json' '--cwd' '--plugin-dir' '-h' '--help') commands=() ;;
    'weft hooks help') options=() commands=() ;;
    'weft config') options=('-h' '--help') commands=('get' 'set' 'unset' 'list' 'path' 'import' 'explain' 'help') ;;
    'weft config get') options=('--json' '--cwd' '-h' '--help') commands=() ;;
    'weft config set') options=('--user' '--project' '--local' '--cwd' '-h' '--help') commands=() ;;
    'weft config unset') options=('--user' '--project' '--local' '--cwd' '-h' '--help') commands=() ;;
    'weft config list') options=('--json' '--cwd' '-h' '--help') commands=() ;;
    'weft config path') options=('--user' '--project' '--local' '--cwd' '-h' '--help') commands=() ;;
    'weft config import') options=('--user' '--project' '--local' '--cwd' '--json' '--dry-run' '-h' '--help') commands=() ;;
    'weft config explain') options=('--json' '--cwd' '-h' '--help') commands=() ;;
    'weft config help') options=() commands=() ;;
    'weft models') options=('-h' '--help') commands=('list' 'help') ;;
    'weft models list') options=('--json' '--cwd' '-h' '--help') commands=() ;;
    'weft models help') options=() commands=() ;;
    'weft mcp') options=('-h' '--help') commands=('list' 'get' 'add' 'remove' 'login' 'logout' 'import' 'help') ;;
    'weft mcp list') options=('--no-check' '--json' '--cwd' '-h' '--help') commands=() ;;
    'weft mcp get') options=('--no-check' '--json' '--cwd' '-h' '--help') commands=() ;;
    'weft mcp add') options=('--scope' '--transport' '--env' '--header' '--client-id' '--client-secret-env' '--callback-port' '--cwd' '-h' '--help') commands=() ;;
    'weft mcp remove') options=('--scope' '--cwd' '-h' '--help') commands=() ;;
    'weft mcp login') options=('--oauth-scope' '--cwd' '-h' '--help') commands=() ;;
    'weft mcp logout') options=('--cwd' '-h' '--help') commands=() ;;
    'weft mcp import') options=('--all' '--scope' '--dry-run' '--json' '--cwd' '-h' '--help') commands=() ;;
    'weft mcp help') options=() commands=() ;;
    'weft skills') options=('-h' '--help') commands=('list' 'show' 'help') ;;
    'weft skills list') options=('--json' '-C' '--cwd' '--plugin-dir' '-h' '--help') commands=() ;;
    'weft skills show') options=('--json' '-C' '--cwd' '--plugin-dir' '-h' '--help') commands=() ;;
    'weft skills help') options=() commands=() ;;
    'weft agents') options=('-h' '--help') commands=('list' 'show' 'stop' 'help') ;;
    'weft agents list') options=('--json' '-C' '--cwd' '--plugin-dir' '--agents' '-h' '--help') commands=() ;;
    'weft agents show') options=('--json' '-C' '--cwd' '--plugin-dir' '--agents' '-h' '--help') commands=() ;;
    'weft agents stop') options=('-h' '--help') commands=() ;;
    'weft agents help') options=() commands=() ;;
    'weft plan') options=('--output-format' '--model' '--fallback-model' '--provider' '--base-url' '--replay' '--record' '--sandbox' '--allowed-tools' '--disallowed-tools' '--max-turns' '--max-cost' '-C' '--cwd' '--add-dir' '--system-prompt' '--append-system-prompt' '--agent' '--agents' '--settings' '--mcp-config' '--strict-mcp-config' '--plugin-dir' '--verbose' '--debug' '-h' '--help') commands=('run' 'list' 'show') ;;
    'weft plan run') options=('--output-format' '--include-partial-messages' '--model' '--fallback-model' '--provider' '--base-url' '--replay' '--record' '--permission-mode' '--sandbox' '--allowed-tools' '--disallowed-tools' '--max-turns' '--max-cost' '--timeout' '-C' '--cwd' '--add-dir' '--system-prompt' '--append-system-prompt' '--agent' '--agents' '--settings' '--mcp-config' '--strict-mcp-config' '--plugin-dir' '--verbose' '--debug' '-h' '--help') commands=() ;;
    'weft plan list') options=('--json' '-h' '--help') commands=() ;;
    'weft plan show') options=('--json' '-h' '--help') commands=() ;;
    'weft serve') options=('--port' '--host' '--store' '--allow-host' '--allow-origin' '--output-format' '-h' '--help') commands=() ;;
    'weft worker') options=('--store' '--concurrency' '-h' '--help') commands=() ;;
    'weft attach') options=('--token-file' '-C' '--cwd' '-h' '--help') commands=() ;;
    'weft stack') options=('-h' '--help') commands=('run' 'list' 'next' 'create' 'add' 'status' 'advance' 'message' 'messages' 'help') ;;
    'weft stack run') options=('--harness' '--keep-going' '--once' '--json' '--model' '--fallback-model' '--provider' '--base-url' '--permission-mode' '--sandbox' '--allowed-tools' '--disallowed-tools' '--max-turns' '--max-cost' '--timeout' '-C' '--cwd' '--add-dir' '--settings' '--mcp-config' '-h' '--help') commands=() ;;
    'weft stack list') options=('--json' '-h' '--help') commands=() ;;
    'weft stack next') options=('--json' '-h' '--help') commands=() ;;
    'weft stack create') options=('--layer' '--new-layer' '--json' '-h' '--help') commands=() ;;
    'weft stack add') options=('-h' '--help') commands=() ;;
    'weft stack status') options=('-h' '--help') commands=() ;;
    'weft stack advance') options=('--json' '-h' '--help') commands=() ;;
    'weft stack message') options=('--task' '--json' '-h' '--help') commands=() ;;
    'weft stack messages') options=('--json' '-h' '--help') commands=() ;;
    'weft stack help') options=() commands=() ;;
    'weft schedule') options=('-h' '--help') commands=('add' 'list' 'remove' 'run' 'help') ;;
    'weft schedule add') options=('--cwd' '--permission-mode' '--json' '-h' '--help') commands=() ;;
    'weft schedule list') options=('--json' '-h' '--help') commands=() ;;
    'weft schedule remove') options=('-h' '--help') commands=() ;;
    'weft schedule run') options=('-h' '--help') commands=() ;;
    'weft schedule help') options=() commands=() ;;
    'weft acp') options=('--server' '--token-file' '-C' '--cwd' '--model' '--skill' '--ask-about-everything' '-h' '--help') commands=() ;;
    'weft version') options=('-h' '--help') commands=() ;;
    'weft update') options=('-h' '--help') commands=() ;;
    'weft uninstall') options=('-h' '--help') commands=() ;;
    'weft help') options=('-h' '--help') commands=() ;;
    *) ;;
  esac
}

_weft_offer() { # those words that begin with what is typed
  local word quoted
  for word in "$@"; do
    printf -v quoted %q "$word"
    if [[ $word == "$cur"* || $quoted == "$cur"* ]]; then COMPREPLY+=("$prefix$quoted"); fi
  done
}

_weft_values() { # a value of the kind found
  local word
  case $kind in
    choices) _weft_offer ${choices[@]+"${choices[@]}"} ;;
    file | directory)
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$prefix$word"); done < <(
        if [[ $kind == file ]]; then compgen -f -- "$cur"; else compgen -d -- "$cur"; fi
      )
      ;;
    session | model | setting | value | server)
      while IFS=$'\t' read -r word _; do _weft_offer "$word"; done < <(
        weft __complete "$kind" "${COMP_WORDS[COMP_CWORD-1]}" 2>/dev/null
      )
      ;;
  esac
}

_weft() {
  local state='weft' reading=none cur=${COMP_WORDS[COMP_CWORD]} prefix='' ended='' flag='' args=0 i
  local word next takes kind choices options commands
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $word == '=' && $reading != none ]]; then
      reading=one # bash splits --flag=value into three words
    elif [[ $reading == one ]]; then
      reading=none
    elif [[ -z $ended && $word == -- ]]; then
      ended=yes reading=none
    elif [[ -z $ended && $word == -*=* ]]; then
      reading=none
    elif [[ -z $ended && $word == -?* ]]; then
      _weft_option "$state $word"
      reading=$takes flag=$word
    elif [[ $reading == maybe ]]; then
      reading=none
    elif [[ $reading == none ]]; then
      next=''
      if [[ $args == 0 ]]; then _weft_enter "$state $word"; fi
      if [[ -n $next ]]; then state=$next; else args=$((args + 1)); fi
    fi
  done

  if [[ $cur == '=' && $reading != none ]]; then
    cur='' reading=one
  elif [[ -z $ended && $reading != one && $cur == -*=* ]]; then
    flag=${cur%%=*} prefix=${cur%%=*}= cur=${cur#*=} reading=one
  fi
  if [[ $reading != one && -z $ended && $cur == -* ]]; then
    _weft_names "$state"
    _weft_offer ${options[@]+"${options[@]}"}
  elif [[ $reading != none ]]; then
    _weft_option "$state $flag"
    _weft_values
  else
    if [[ $args == 0 ]]; then
      _weft_names "$state"
      _weft_offer ${commands[@]+"${commands[@]}"}
    fi
    _weft_position "$state|$args"
    _weft_values
  fi
}

complete -F _weft 'weft'
