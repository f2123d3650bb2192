import {spawn} from 'node:child_process';
import {withoutTerminals} from './hidden-terminals.ts';

/*
 * Watchdogs are small POSIX shells that outlive weft and clean up if weft ends without warning (`kill -9`, a crash, out of memory). Each
 * runs in its own session, so it receives no signals for weft's group. It reads from a pipe that only weft can write to: when the pipe
 * closes, weft is gone. Until then weft sends orders, one per line, about what to do at that point.
 * A watchdog keeps nothing alive and holds nothing else open. If the system can't start another process, weft runs without a watchdog.
 */

interface WatchdogScript {
  /** The name in process lists. */
  readonly name: string;
  /** Runs first. The arguments are `$1`, `$2`, … */
  readonly begin: string;
  /** The shell code for each order, by the order's first word. The rest of the line is in `$value`. */
  readonly orders: Readonly<Record<string, string>>;
  /** Runs when weft is gone. */
  readonly end: string;
}

interface Watchdog {
  order(word: string, value: string): void;
  /** Closes the pipe, as the end of weft would. */
  close(): void;
}

/** The script gets weft's open files `descriptors` as 3, 4, … */
function startWatchdog(
  script: WatchdogScript,
  {args, descriptors}: {readonly args: readonly string[]; readonly descriptors: readonly number[]},
): Watchdog {
  const child = spawn('/bin/sh', ['-c', scriptText(script), script.name, ...args], {
    cwd: '/',
    detached: true,
    env: {PATH: process.env['PATH'] ?? '/usr/bin:/bin'},
    stdio: withoutTerminals(['pipe', 'ignore', 'ignore', ...descriptors]),
  });
  child.on('error', () => {});
  child.unref();
  const {stdin} = child;
  stdin?.on('error', () => {});
  if (stdin !== null && 'unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  return {
    order(word, value) {
      if (stdin?.writable === true) stdin.write(`${word} ${value}\n`);
    },
    close: () => void stdin?.end(),
  };
}

const scriptText = ({begin, orders, end}: WatchdogScript): string => `
trap '' HUP INT TERM QUIT TTIN TTOU
exec 2>/dev/null
${begin}
while IFS= read -r line; do
  value=\${line#* }
  case $line in
${Object.entries(orders)
  .map(([word, work]) => `    '${word} '*) ${work} ;;\n`)
  .join('')}  esac
done
${end}
`;

/** Ends the processes that weft leaves behind. */
export interface ProcessWatchdog {
  /**
   * Adds a process group that may have members from now on; call `forget` when it has none. `started` is the leader's
   * start time, which distinguishes the group from a later one with the same number; empty if unknown.
   */
  watch(group: number, started: string): void;
  forget(group: number): void;
  /** Removes a sandbox folder and its content when weft is gone. */
  cleanUp(path: string): void;
  /** Lets the processes with this run tag live on. */
  spare(tag: string): void;
  /** Ends the watchdog at once, because nothing is left to end. */
  dismiss(): void;
}

/**
 * Starts a watchdog that ends every process weft started once weft is gone: SIGTERM first, SIGKILL a second later. This
 * covers the members of the watched groups. On Linux, which shows environments, it also covers processes with a run tag
 * that begins with `prefix`. Once weft is gone, it first touches `lifeFile` if there is such a file.
 */
export function startProcessWatchdog(prefix: string, lifeFile = ''): ProcessWatchdog {
  const watchdog = startWatchdog(processScript, {args: [prefix, lifeFile], descriptors: []});
  return {
    watch: (group, started) => watchdog.order('watch', `${group}:${/^\d*$/u.test(started) ? started : ''}`),
    forget: group => watchdog.order('forget', String(group)),
    cleanUp: path => (path.includes('\n') ? undefined : watchdog.order('litter', path)),
    spare: tag => watchdog.order('spare', tag),
    dismiss() {
      watchdog.order('dismiss', '');
      watchdog.close();
    },
  };
}

const processScript: WatchdogScript = {
  name: 'weft-process-watchdog',
  begin: `groups=' '; spared=' '; litter=`,
  orders: {
    watch: `case $groups in *" $value "*) ;; *) groups="$groups$value " ;; esac`,
    forget: `left=' '; for each in $groups; do [ "\${each%%:*}" = "$value" ] || left="$left$each "; done; groups=$left`,
    litter: `case $litter in *"$value"/*) ;; *) litter="$litter$value/
" ;; esac`,
    spare: `spared="$spared$value "`,
    dismiss: 'exit 0',
  },
  end: `
[ -f "$2" ] && touch -- "$2"
another() {
  [ -n "$2" ] && read -r stat <"/proc/$1/stat" || return 1
  set -- "$2" \${stat##*) }
  [ -n "\${21}" ] && [ "\${21}" != "$1" ]
}
members() {
  for each in $groups; do
    group=\${each%%:*}
    another "$group" "\${each#*:}" && continue
    kill -s 0 -- "-$group" && echo "-$group"
  done
  for file in $(grep -lF "WEFT_RUN=$1" /proc/[0-9]*/environ); do
    for tag in $spared; do grep -qF "WEFT_RUN=$tag" "$file" && continue 2; done
    pid=\${file#/proc/}; echo "\${pid%/environ}"
  done
}
end() {
  for member in $(members "$1"); do kill -s "$2" -- "$member"; kill -s CONT -- "$member"; done
}
end "$1" TERM
turns=0
while [ "$turns" -lt 10 ] && [ -n "$(members "$1")" ]; do sleep 0.1 || sleep 1; turns=$((turns + 1)); done
end "$1" KILL
sleep 0.2 || sleep 1
end "$1" KILL
printf '%s' "$litter" | while IFS= read -r path; do
  path=\${path%/}
  case $path in
    */weft-sandbox-??????) chmod -R u+rwx -- "$path"; rm -rf -- "$path" ;;
  esac
done`,
};

/** Gives the terminal back to the shell that started weft. */
export interface TerminalWatchdog {
  /** Sets the text to write, without line breaks. The first call also records the terminal's current settings as weft's own. */
  setUndo(undo: string): void;
  /** Call this after weft has restored the terminal itself. */
  release(): void;
}

/**
 * When weft is gone, writes `undo` to the terminal (an open file with this number) and restores its current settings
 * (termios). Leaves the settings alone if another program, such as the user's shell, has changed them.
 */
export function startTerminalWatchdog(terminal: number): TerminalWatchdog {
  const watchdog = startWatchdog(terminalScript, {args: [], descriptors: [terminal]});
  return {setUndo: undo => watchdog.order('keep', undo), release: () => watchdog.order('release', '')};
}

/**
 * If weft's open file is non-blocking, a stalled terminal refuses the text, so the script retries for half a minute. If
 * weft was faster than the watchdog, the earlier settings are unknown and the usual ones apply. The settings come last,
 * so a program that waits for them finds the modes undone too.
 */
const terminalScript: WatchdogScript = {
  name: 'weft-terminal-watchdog',
  begin: `
usual='icrnl ixon brkint icanon iexten isig echo opost'
before=$(stty -g <&3); own=; undo=`,
  orders: {
    keep: `[ -n "$own" ] || own=$(stty -g <&3); undo=$value`,
    release: 'own=; undo=',
  },
  end: `
[ -n "$own" ] || exit 0
[ "$before" != "$own" ] || before=$usual
turns=0
until printf '%s' "$undo" >&3 || [ -z "$(stty -g <&3)" ] || [ "$turns" -ge 300 ]; do sleep 0.1 || sleep 1; turns=$((turns + 1)); done
[ "$(stty -g <&3)" != "$own" ] || stty $before <&3`,
};

/**
 * Lets a command live on after weft has ended. Another process must hold its terminal or pipe open and read its output, or the command
 * would be hung up or get SIGPIPE. The watchdog holds the open file `descriptor` from now on. After weft has ended,
 * the watchdog reads the output into `file` (or discards it if `file` is empty) until the process group of `leader` is empty. Close the
 * result when the command has ended.
 */
export function keepReadingAfterExit(source: {
  readonly descriptor: number;
  readonly leader: number;
  readonly file: string;
}): Pick<Watchdog, 'close'> {
  const args = [String(source.leader), source.file || '/dev/null'];
  return startWatchdog(outputScript, {args, descriptors: [source.descriptor]});
}

/**
 * The open file is non-blocking (weft reads it too), so `head` ends when there is nothing to read; more may come soon.
 * The script takes at most 4 MB at a time and drops output once the file reaches 512 MB. An endless printer must
 * neither fill the disk nor use a whole core.
 */
const outputScript: WatchdogScript = {
  name: 'weft-output-watchdog',
  begin: '',
  orders: {},
  end: `
while kill -s 0 -- "-$1"; do
  size=$(wc -c <"$2")
  if [ "$size" -ge 536870912 ]; then file=/dev/null; else file=$2; fi
  head -c 4194304 <&3 >>"$file"
  if [ "$(wc -c <"$2")" -gt "$size" ]; then sleep 0.02 || sleep 1; else sleep 0.5 || sleep 1; fi
done`,
};
