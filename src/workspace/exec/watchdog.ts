import {spawn} from 'node:child_process';
import {withoutTerminals} from './hidden-terminals.ts';

/*
 * Watchdogs: small POSIX shells that outlive weft and put right what weft cannot when it is ended without warning (`kill -9`, a
 * crash, out of memory). Each runs in a session of its own, so that no signal for weft's group reaches it, and holds the reading
 * end of a pipe of which weft alone has the other end: when the pipe closes, weft is gone. Until then weft tells it in orders, a
 * line each, what there is to do by then. A watchdog keeps nothing alive and holds nothing else open. A system that has no room
 * for one more process runs weft without it; on Windows there is none.
 */

interface WatchdogScript {
  /** For lists of processes. */
  readonly name: string;
  /** Runs first. The arguments are `$1`, `$2`, … */
  readonly begin: string;
  /** By the word an order begins with, what it does; what follows the word is in `$value`. */
  readonly orders: Readonly<Record<string, string>>;
  /** Runs when weft is gone. */
  readonly end: string;
}

interface Watchdog {
  order(word: string, value: string): void;
  /** Closes the pipe as the end of weft would. */
  close(): void;
}

/** `descriptors` are open files of weft's that the script has as 3, 4, … */
function startWatchdog(
  script: WatchdogScript,
  {args, descriptors}: {readonly args: readonly string[]; readonly descriptors: readonly number[]},
): Watchdog {
  if (process.platform === 'win32') return {order: () => {}, close: () => {}};
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
   * Adds a process group that may have members from now on; `forget` when it has none any more. `started` is when its leader did, which
   * tells the group from a later one of the same number; empty where that is not known.
   */
  watch(group: number, started: string): void;
  forget(group: number): void;
  /** Removes the folder of a sandbox when weft is gone, with all that is in it. */
  cleanUp(path: string): void;
  /** Lets the processes of this run tag live on. */
  letLive(tag: string): void;
  /** Nothing is left to be ended: the watchdog ends at once. */
  dismiss(): void;
}

/**
 * When weft is gone every process it started is asked to end, and a second later ended: the members of the watched groups, and
 * where the system shows the environment of processes (Linux) whatever has a run tag that begins with `prefix`.
 */
export function startProcessWatchdog(prefix: string): ProcessWatchdog {
  const watchdog = startWatchdog(processScript, {args: [prefix], descriptors: []});
  return {
    watch: (group, started) => watchdog.order('watch', `${group}:${/^\d*$/u.test(started) ? started : ''}`),
    forget: group => watchdog.order('forget', String(group)),
    cleanUp: path => (path.includes('\n') ? undefined : watchdog.order('litter', path)),
    letLive: tag => watchdog.order('spare', tag),
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

/** Gives the terminal back to the shell that weft was started from. */
export interface TerminalWatchdog {
  /** `undo` is what to write, without line breaks; the terminal's settings at the first call are those that weft itself made. */
  keep(undo: string): void;
  /** The terminal has been given back in good order. */
  release(): void;
}

/**
 * When weft is gone `undo` is written to the terminal (an open file of this number), and its settings (termios) become again what
 * they are now, unless somebody else, as the user's shell, has changed them already.
 */
export function startTerminalWatchdog(terminal: number): TerminalWatchdog {
  const watchdog = startWatchdog(terminalScript, {args: [], descriptors: [terminal]});
  return {keep: undo => watchdog.order('keep', undo), release: () => watchdog.order('release', '')};
}

/**
 * A terminal that takes nothing refuses what is written, where weft's open file is one that does not wait: it is offered again for half
 * a minute. Where weft was faster than the watchdog, the settings from before are not known, and become the usual ones. They come last: whoever
 * waits for them finds the modes undone, too.
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
 * Lets a command live on when weft has ended: somebody has to hold its terminal or pipe open and take what it writes, or it would
 * be hung up or broken off. The watchdog holds the open file `descriptor` now and reads it into `file` (nowhere, if that is empty)
 * once weft is gone, until the group of `leader` has no members. Close the result when the command has ended.
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
 * The open file is one that does not wait (weft reads it too), so `head` ends whenever there is nothing to read: soon after, there
 * may be more. At most 4 MB are taken at a time, and what would make the file longer than 512 MB is dropped: an endless printer
 * must neither fill the disk nor cost a core.
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
