# fish completion for weft

function __weft_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (weft __complete -- $words[2..-1] "$current" 2>/dev/null)
    set -l value (string replace -r -- '^-[^=]*=' '' "$current")
    set -l flag (string match -r -- '^-[^=]*=' "$current")
    set -q flag[1]; or set flag ''
    for line in $lines[2..-1]
        echo $line
    end
    switch "$lines[1]"
        case file
            printf '%s\n' $flag(__fish_complete_path "$value")
        case directory
            printf '%s\n' $flag(__fish_complete_directories "$value")
    end
end

complete -c weft -f -a '(__weft_complete)'
