# fish completion for weft

function __weft_enter # the command that a word names in a command
    switch "$argv[1]"
        case 'weft demo'
            echo 'weft demo'
        case 'weft sessions'
            echo 'weft sessions'
        case 'weft ps'
            echo 'weft ps'
        case 'weft doctor'
            echo 'weft doctor'
        case 'weft completion'
            echo 'weft completion'
        case 'weft tasks'
            echo 'weft tasks'
        case 'weft permissions'
            echo 'weft permissions'
        case 'weft sessions list'
            echo 'weft sessions list'
        case 'weft sessions show'
            echo 'weft sessions show'
        case 'weft sessions export'
            echo 'weft sessions export'
        case 'weft sessions rewind'
            echo 'weft sessions rewind'
        case 'weft sessions delete'
            echo 'weft sessions delete'
        case 'weft sessions help'
            echo 'weft sessions help'
        case 'weft tasks decode'
            echo 'weft tasks decode'
        case 'weft tasks watch'
            echo 'weft tasks watch'
        case 'weft tasks encode'
            echo 'weft tasks encode'
        case 'weft tasks transform'
            echo 'weft tasks transform'
        case 'weft tasks help'
            echo 'weft tasks help'
        case 'weft permissions check'
            echo 'weft permissions check'
        case 'weft permissions list'
            echo 'weft permissions list'
        case 'weft permissions add'
            echo 'weft permissions add'
        case 'weft permissions remove'
            echo 'weft permissions remove'
        case 'weft permissions trust'
            echo 'weft permissions trust'
        case 'weft permissions untrust'
            echo 'weft permissions untrust'
    end
end

function __weft_takes # how many words an option of a command takes
    switch "$argv[1]"
        case 'weft -p' 'weft --prompt'
            echo 'one'
        case 'weft --output-format'
            echo 'one'
        case 'weft --model'
            echo 'one'
        case 'weft --provider'
            echo 'one'
        case 'weft --base-url'
            echo 'one'
        case 'weft --replay'
            echo 'one'
        case 'weft --record'
            echo 'one'
        case 'weft --permission-mode'
            echo 'one'
        case 'weft --allowed-tools'
            echo 'many'
        case 'weft --disallowed-tools'
            echo 'many'
        case 'weft --max-turns'
            echo 'one'
        case 'weft --max-cost'
            echo 'one'
        case 'weft --timeout'
            echo 'one'
        case 'weft -r' 'weft --resume'
            echo 'maybe'
        case 'weft --session-id'
            echo 'one'
        case 'weft -C' 'weft --cwd'
            echo 'one'
        case 'weft --add-dir'
            echo 'many'
        case 'weft --system-prompt'
            echo 'one'
        case 'weft --append-system-prompt'
            echo 'one'
        case 'weft --settings'
            echo 'one'
        case 'weft demo --dir'
            echo 'one'
        case 'weft sessions export --format'
            echo 'one'
        case 'weft sessions rewind --to'
            echo 'one'
        case 'weft ps --stop'
            echo 'one'
        case 'weft tasks decode --input'
            echo 'one'
        case 'weft tasks encode --output'
            echo 'one'
        case 'weft tasks transform --to'
            echo 'one'
        case 'weft permissions check --cwd'
            echo 'one'
        case 'weft permissions check --permission-mode'
            echo 'one'
        case 'weft permissions list --cwd'
            echo 'one'
        case 'weft permissions add --cwd'
            echo 'one'
        case 'weft permissions remove --cwd'
            echo 'one'
        case 'weft permissions trust --cwd'
            echo 'one'
        case 'weft permissions untrust --cwd'
            echo 'one'
    end
end

function __weft_walk # the command, the number of its arguments, and the option that goes on, before the cursor
    set -l state 'weft'
    set -l args 0
    set -l reading none
    set -l flag ''
    set -l ended no
    set -l words (commandline -opc)
    for word in $words[2..-1]
        if test $reading = one
            set reading none
        else if test $ended = no -a "x$word" = x--
            set ended yes
            set reading none
        else if test $ended = no; and string match -qr -- '^-.*=' "$word"
            set reading none
        else if test $ended = no; and string match -qr -- '^-.' "$word"
            set flag "$state $word"
            set reading (__weft_takes "$flag")
            test -n "$reading"; or set reading none
        else if test $reading = maybe
            set reading none
        else if test $reading = none
            set -l next
            test $args -eq 0; and set next (__weft_enter "$state $word")
            if test -n "$next"
                set state "$next"
            else
                set args (math $args + 1)
            end
        end
    end
    test $reading = none; and set flag ''
    printf '%s\n' "$state" $args "$flag" $ended
end

function __weft_at # whether the cursor is in this command, at this argument ("2+": from there on)
    set -l found (__weft_walk)
    test "$found[1]" = "$argv[1]"; or return 1
    switch $argv[2]
        case option
            test $found[4] = no
        case '*+'
            test -z "$found[3]" -a $found[2] -ge (string sub -e -1 -- $argv[2])
        case '*'
            test -z "$found[3]" -a $found[2] -eq $argv[2]
    end
end

function __weft_reading # whether the cursor is in the values of this option
    set -l found (__weft_walk)
    contains -- "$found[3]" $argv
end

complete -c 'weft' -f
complete -c 'weft' -n '__weft_at \'weft\' 0' -a '\'demo\'' -d 'the main job, offline: an agent repairs a small project in a temporary folder'
complete -c 'weft' -n '__weft_at \'weft\' 0' -a '\'sessions\'' -d 'the conversations that are kept'
complete -c 'weft' -n '__weft_at \'weft\' 0' -a '\'ps\'' -d 'commands of weft that run beside a conversation, or outlived it'
complete -c 'weft' -n '__weft_at \'weft\' 0' -a '\'doctor\'' -d 'what works on this machine'
complete -c 'weft' -n '__weft_at \'weft\' 0' -a '\'completion\'' -d 'print the completion script of a shell'
complete -c 'weft' -n '__weft_at \'weft\' 0' -a '\'tasks\'' -d 'the task protocol: streams of agents, and the todo lists in them'
complete -c 'weft' -n '__weft_at \'weft\' 0' -a '\'permissions\'' -d 'what may happen without asking: rules, and trust in a folder'
complete -c 'weft' -n '__weft_at \'weft\' option' -s 'V' -l 'version' -d 'print the version'
complete -c 'weft' -n '__weft_at \'weft\' option' -s 'p' -l 'prompt' -r -f -d 'answer on stdout and exit; "-" reads the prompt from stdin'
complete -c 'weft' -n '__weft_at \'weft\' option' -l 'print' -d 'answer on stdout and exit; the prompt is the arguments or stdin'
complete -c 'weft' -n '__weft_at \'weft\' option' -l 'output-format' -r -f -a '\'text\' \'json\' \'stream-json\'' -d 'what stdout carries'
complete -c 'weft' -n '__weft_at \'weft\' option' -l 'include-partial-messages' -d 'with stream-json: also the pieces of messages as they come'
complete -c 'weft' -n '__weft_at \'weft\' option' -l 'model' -r -f -d 'the model'
complete -c 'weft' -n '__weft_at \'weft\' option' -l 'provider' -r -f -a '\'anthropic\' \'openai\' \'replay\'' -d 'who serves the model'
complete -c 'weft' -n '__weft_at \'weft\' option' -l 'base-url' -r -f -d 'the provider\'s address'
complete -c 'weft' -n '__weft_at \'weft\' option' -l 'replay' -r -F -d 'play a recorded model conversation'
complete -c 'weft' -n '__weft_at \'weft\' option' -l 'record' -r -F -d 'record the model conversation'
complete -c 'weft' -n '__weft_at \'weft\' option' -l 'permission-mode' -r -f -a '\'default\' \'acceptEdits\' \'plan\' \'dontAsk\' \'bypassPermissions\'' -d 'what may happen without asking'
complete -c 'weft' -n '__weft_at \'weft\' option' -l 'allowed-tools' -r -f -d 'allow without asking, e.g. "Bash(git status:*)" "Edit(src/**)"'
complete -c 'weft' -n '__weft_at \'weft\' option' -l 'disallowed-tools' -r -f -d 'forbid'
complete -c 'weft' -n '__weft_at \'weft\' option' -l 'max-turns' -r -f -d 'most model requests for one prompt'
complete -c 'weft' -n '__weft_at \'weft\' option' -l 'max-cost' -r -f -d 'stop before the session costs more'
complete -c 'weft' -n '__weft_at \'weft\' option' -l 'timeout' -r -f -d 'without the terminal UI: stop after this time (exit code 124)'
complete -c 'weft' -n '__weft_at \'weft\' option' -s 'c' -l 'continue' -d 'go on with the newest session of this folder'
complete -c 'weft' -n '__weft_at \'weft\' option' -s 'r' -l 'resume' -d 'go on with a session; without an id, choose one'
complete -c 'weft' -n '__weft_at \'weft\' option' -l 'session-id' -r -f -d 'the id of the new session'
complete -c 'weft' -n '__weft_at \'weft\' option' -l 'fork-session' -d 'with --continue or --resume: go on in a copy'
complete -c 'weft' -n '__weft_at \'weft\' option' -l 'no-session-persistence' -d 'keep nothing of this session'
complete -c 'weft' -n '__weft_at \'weft\' option' -s 'C' -l 'cwd' -r -f -a '(__fish_complete_directories)' -d 'work in this folder'
complete -c 'weft' -n '__weft_at \'weft\' option' -l 'add-dir' -r -f -a '(__fish_complete_directories)' -d 'more folders that belong to the workspace'
complete -c 'weft' -n '__weft_at \'weft\' option' -l 'system-prompt' -r -f -d 'instead of weft\'s own system prompt'
complete -c 'weft' -n '__weft_at \'weft\' option' -l 'append-system-prompt' -r -f -d 'after the system prompt'
complete -c 'weft' -n '__weft_at \'weft\' option' -l 'settings' -r -F -d 'settings on top of the settings files'
complete -c 'weft' -n '__weft_at \'weft\' option' -l 'verbose' -d 'say on stderr which model answers'
complete -c 'weft' -n '__weft_at \'weft\' option' -l 'debug' -d 'without the terminal UI: what happens, as JSON lines on stderr'
complete -c 'weft' -n '__weft_at \'weft\' option' -l 'no-color' -d 'no colours'
complete -c 'weft' -n '__weft_at \'weft\' option' -s 'h' -l 'help' -d 'show this help'
complete -c 'weft' -n '__weft_reading \'weft --add-dir\'' -f -a '(__fish_complete_directories)'
complete -c 'weft' -n '__weft_at \'weft demo\' option' -l 'dir' -r -f -a '(__fish_complete_directories)' -d 'lay the project out here instead (a new or empty folder)'
complete -c 'weft' -n '__weft_at \'weft demo\' option' -s 'h' -l 'help' -d 'show this help'
complete -c 'weft' -n '__weft_at \'weft sessions\' 0' -a '\'list\'' -d 'newest first'
complete -c 'weft' -n '__weft_at \'weft sessions\' 0' -a '\'show\'' -d 'print a conversation'
complete -c 'weft' -n '__weft_at \'weft sessions\' 0' -a '\'export\'' -d 'write a conversation to stdout'
complete -c 'weft' -n '__weft_at \'weft sessions\' 0' -a '\'rewind\'' -d 'go back to before a prompt: its files, what was said, or both'
complete -c 'weft' -n '__weft_at \'weft sessions\' 0' -a '\'delete\'' -d 'delete a conversation'
complete -c 'weft' -n '__weft_at \'weft sessions\' 0' -a '\'help\'' -d 'display help for command'
complete -c 'weft' -n '__weft_at \'weft sessions\' option' -s 'h' -l 'help' -d 'show this help'
complete -c 'weft' -n '__weft_at \'weft sessions list\' option' -l 'json' -d 'as JSON'
complete -c 'weft' -n '__weft_at \'weft sessions list\' option' -s 'h' -l 'help' -d 'show this help'
complete -c 'weft' -n '__weft_at \'weft sessions show\' option' -l 'json' -d 'as JSON'
complete -c 'weft' -n '__weft_at \'weft sessions show\' option' -s 'h' -l 'help' -d 'show this help'
complete -c 'weft' -n '__weft_at \'weft sessions export\' option' -l 'format' -r -f -a '\'jsonl\' \'markdown\'' -d 'the form'
complete -c 'weft' -n '__weft_at \'weft sessions export\' option' -s 'h' -l 'help' -d 'show this help'
complete -c 'weft' -n '__weft_at \'weft sessions rewind\' option' -l 'to' -r -f -d 'before the n-th prompt; else the last'
complete -c 'weft' -n '__weft_at \'weft sessions rewind\' option' -l 'files' -d 'the files only'
complete -c 'weft' -n '__weft_at \'weft sessions rewind\' option' -l 'talk' -d 'the conversation only'
complete -c 'weft' -n '__weft_at \'weft sessions rewind\' option' -l 'both' -d 'files and conversation (default)'
complete -c 'weft' -n '__weft_at \'weft sessions rewind\' option' -l 'redo' -d 'take the last rewind back'
complete -c 'weft' -n '__weft_at \'weft sessions rewind\' option' -l 'yes' -d 'without asking'
complete -c 'weft' -n '__weft_at \'weft sessions rewind\' option' -l 'json' -d 'as JSON'
complete -c 'weft' -n '__weft_at \'weft sessions rewind\' option' -s 'h' -l 'help' -d 'show this help'
complete -c 'weft' -n '__weft_at \'weft sessions delete\' option' -l 'json' -d 'as JSON'
complete -c 'weft' -n '__weft_at \'weft sessions delete\' option' -s 'h' -l 'help' -d 'show this help'
complete -c 'weft' -n '__weft_at \'weft sessions help\' 0' -f -a '\'list\' \'show\' \'export\' \'rewind\' \'delete\''
complete -c 'weft' -n '__weft_at \'weft ps\' option' -l 'json' -d 'as JSON'
complete -c 'weft' -n '__weft_at \'weft ps\' option' -l 'stop' -r -f -d 'end one, with all it started'
complete -c 'weft' -n '__weft_at \'weft ps\' option' -s 'h' -l 'help' -d 'show this help'
complete -c 'weft' -n '__weft_at \'weft doctor\' option' -l 'json' -d 'as JSON'
complete -c 'weft' -n '__weft_at \'weft doctor\' option' -s 'h' -l 'help' -d 'show this help'
complete -c 'weft' -n '__weft_at \'weft completion\' 0' -f -a '\'bash\' \'zsh\' \'fish\' \'powershell\''
complete -c 'weft' -n '__weft_at \'weft completion\' option' -s 'h' -l 'help' -d 'show this help'
complete -c 'weft' -n '__weft_at \'weft tasks\' 0' -a '\'decode\'' -d 'each payload or event as JSON, one a line'
complete -c 'weft' -n '__weft_at \'weft tasks\' 0' -a '\'watch\'' -d 'the todo list, live'
complete -c 'weft' -n '__weft_at \'weft tasks\' 0' -a '\'encode\'' -d 'todo lists, one {"todos":[...]} a line, as events of the task protocol'
complete -c 'weft' -n '__weft_at \'weft tasks\' 0' -a '\'transform\'' -d 'an event stream as the stream of another API (SSE)'
complete -c 'weft' -n '__weft_at \'weft tasks\' 0' -a '\'help\'' -d 'display help for command'
complete -c 'weft' -n '__weft_at \'weft tasks\' option' -s 'h' -l 'help' -d 'show this help'
complete -c 'weft' -n '__weft_at \'weft tasks decode\' 0' -F
complete -c 'weft' -n '__weft_at \'weft tasks decode\' option' -l 'input' -r -f -a '\'auto\' \'base64\' \'json\' \'sse\'' -d 'what is read'
complete -c 'weft' -n '__weft_at \'weft tasks decode\' option' -s 'h' -l 'help' -d 'show this help'
complete -c 'weft' -n '__weft_at \'weft tasks watch\' 0' -F
complete -c 'weft' -n '__weft_at \'weft tasks watch\' option' -l 'json' -d 'the list as one line of JSON after each change, as without a terminal'
complete -c 'weft' -n '__weft_at \'weft tasks watch\' option' -s 'h' -l 'help' -d 'show this help'
complete -c 'weft' -n '__weft_at \'weft tasks encode\' 0' -F
complete -c 'weft' -n '__weft_at \'weft tasks encode\' option' -l 'output' -r -f -a '\'base64\' \'json\' \'sse\'' -d 'what is written'
complete -c 'weft' -n '__weft_at \'weft tasks encode\' option' -s 'h' -l 'help' -d 'show this help'
complete -c 'weft' -n '__weft_at \'weft tasks transform\' 0' -F
complete -c 'weft' -n '__weft_at \'weft tasks transform\' option' -l 'to' -r -f -a '\'openai\' \'anthropic\'' -d 'whose'
complete -c 'weft' -n '__weft_at \'weft tasks transform\' option' -s 'h' -l 'help' -d 'show this help'
complete -c 'weft' -n '__weft_at \'weft tasks help\' 0' -f -a '\'decode\' \'watch\' \'encode\' \'transform\''
complete -c 'weft' -n '__weft_at \'weft permissions\' 0' -a '\'check\'' -d 'the verdict on a shell command, or on each of many: JSON lines on stdin'
complete -c 'weft' -n '__weft_at \'weft permissions\' 0' -a '\'list\'' -d 'the rules of the settings files'
complete -c 'weft' -n '__weft_at \'weft permissions\' 0' -a '\'add\'' -d 'write a rule into a settings file'
complete -c 'weft' -n '__weft_at \'weft permissions\' 0' -a '\'remove\'' -d 'take a rule out of a settings file'
complete -c 'weft' -n '__weft_at \'weft permissions\' 0' -a '\'trust\'' -d 'show what the settings of the folder want, and accept it'
complete -c 'weft' -n '__weft_at \'weft permissions\' 0' -a '\'untrust\'' -d 'take the trust back'
complete -c 'weft' -n '__weft_at \'weft permissions\' option' -l 'list' -d 'every class of actions that may be asked about'
complete -c 'weft' -n '__weft_at \'weft permissions\' option' -l 'json' -d 'as JSON'
complete -c 'weft' -n '__weft_at \'weft permissions\' option' -s 'h' -l 'help' -d 'show this help'
complete -c 'weft' -n '__weft_at \'weft permissions check\' option' -l 'json' -d 'one JSON object a line'
complete -c 'weft' -n '__weft_at \'weft permissions check\' option' -l 'cwd' -r -f -a '(__fish_complete_directories)' -d 'the folder it is about'
complete -c 'weft' -n '__weft_at \'weft permissions check\' option' -l 'permission-mode' -r -f -a '\'default\' \'acceptEdits\' \'plan\' \'dontAsk\' \'bypassPermissions\'' -d 'what may happen without asking'
complete -c 'weft' -n '__weft_at \'weft permissions check\' option' -l 'help' -d 'show this help'
complete -c 'weft' -n '__weft_at \'weft permissions list\' option' -l 'classes' -d 'instead: every class of actions that may be asked about'
complete -c 'weft' -n '__weft_at \'weft permissions list\' option' -l 'json' -d 'as JSON'
complete -c 'weft' -n '__weft_at \'weft permissions list\' option' -l 'cwd' -r -f -a '(__fish_complete_directories)' -d 'the folder it is about'
complete -c 'weft' -n '__weft_at \'weft permissions list\' option' -s 'h' -l 'help' -d 'show this help'
complete -c 'weft' -n '__weft_at \'weft permissions add\' 0' -f -a '\'allow\' \'ask\' \'deny\''
complete -c 'weft' -n '__weft_at \'weft permissions add\' option' -l 'user' -d 'your own settings (without a flag: these)'
complete -c 'weft' -n '__weft_at \'weft permissions add\' option' -l 'project' -d 'the settings of the folder, for everybody: .weft/settings.json'
complete -c 'weft' -n '__weft_at \'weft permissions add\' option' -l 'local' -d 'the settings of the folder, for you: .weft/settings.local.json'
complete -c 'weft' -n '__weft_at \'weft permissions add\' option' -l 'cwd' -r -f -a '(__fish_complete_directories)' -d 'the folder it is about'
complete -c 'weft' -n '__weft_at \'weft permissions add\' option' -s 'h' -l 'help' -d 'show this help'
complete -c 'weft' -n '__weft_at \'weft permissions remove\' 0' -f -a '\'allow\' \'ask\' \'deny\''
complete -c 'weft' -n '__weft_at \'weft permissions remove\' option' -l 'user' -d 'your own settings (without a flag: these)'
complete -c 'weft' -n '__weft_at \'weft permissions remove\' option' -l 'project' -d 'the settings of the folder, for everybody: .weft/settings.json'
complete -c 'weft' -n '__weft_at \'weft permissions remove\' option' -l 'local' -d 'the settings of the folder, for you: .weft/settings.local.json'
complete -c 'weft' -n '__weft_at \'weft permissions remove\' option' -l 'cwd' -r -f -a '(__fish_complete_directories)' -d 'the folder it is about'
complete -c 'weft' -n '__weft_at \'weft permissions remove\' option' -s 'h' -l 'help' -d 'show this help'
complete -c 'weft' -n '__weft_at \'weft permissions trust\' option' -l 'yes' -d 'without asking'
complete -c 'weft' -n '__weft_at \'weft permissions trust\' option' -l 'cwd' -r -f -a '(__fish_complete_directories)' -d 'the folder it is about'
complete -c 'weft' -n '__weft_at \'weft permissions trust\' option' -s 'h' -l 'help' -d 'show this help'
complete -c 'weft' -n '__weft_at \'weft permissions untrust\' option' -l 'cwd' -r -f -a '(__fish_complete_directories)' -d 'the folder it is about'
complete -c 'weft' -n '__weft_at \'weft permissions untrust\' option' -s 'h' -l 'help' -d 'show this help'
