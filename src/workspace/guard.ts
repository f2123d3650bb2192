import {spawn} from 'node:child_process';

/**
 * Ends what weft leaves behind when weft itself is ended without warning (`kill -9`, a crash): a small shell in a session of its
 * own that holds the other end of a pipe. When the pipe closes it asks every process of this weft to end, and after a second
 * ends it: by its group, and where the system shows the environment of processes (Linux) by its mark.
 */
export interface Guard {
  /** A group that may have members from now on; `left` when it has none any more. */
  watch(group: number): void;
  left(group: number): void;
  /** What carries this mark is to live on. */
  spare(mark: string): void;
  /** Nothing is left to be ended: the guard leaves at once. */
  dismiss(): void;
}

/** Starts it. It keeps nothing alive and holds nothing open. On Windows there is none: what weft leaves behind stays there. */
export function startGuard(prefix: string): Guard {
  if (process.platform === 'win32') return noGuard;
  const child = spawn('/bin/sh', ['-c', script, 'weft-guard', prefix], {
    cwd: '/',
    detached: true,
    env: {PATH: process.env['PATH'] ?? '/usr/bin:/bin'},
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // A system that has no room for one more process runs commands without a guard.
  child.on('error', () => {});
  child.unref();
  const {stdin} = child;
  stdin.on('error', () => {});
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  const say = (line: string): void => {
    if (!stdin.destroyed && stdin.writable) stdin.write(`${line}\n`);
  };
  return {
    watch: group => say(`watch ${group}`),
    left: group => say(`left ${group}`),
    spare: mark => say(`spare ${mark}`),
    dismiss() {
      say('dismiss');
      stdin.end();
    },
  };
}

const noGuard: Guard = {watch: () => {}, left: () => {}, spare: () => {}, dismiss: () => {}};

const script = `
trap '' HUP INT TERM
groups=' '; spared=' '
while read -r word value; do
  case $word in
    watch) case $groups in *" $value "*) ;; *) groups="$groups$value " ;; esac ;;
    left) case $groups in *" $value "*) groups="\${groups%% $value *} \${groups#* $value }" ;; esac ;;
    spare) spared="$spared$value " ;;
    dismiss) exit 0 ;;
  esac
done
members() {
  for group in $groups; do kill -s 0 -- "-$group" && echo "-$group"; done
  for file in $(grep -lF "WEFT_RUN=$1" /proc/[0-9]*/environ); do
    for mark in $spared; do grep -qF "WEFT_RUN=$mark" "$file" && continue 2; done
    pid=\${file#/proc/}; echo "\${pid%/environ}"
  done
}
end() {
  for member in $(members "$1"); do kill -s "$2" -- "$member"; kill -s CONT -- "$member"; done
}
exec 2>/dev/null
end "$1" TERM
turns=0
while [ "$turns" -lt 10 ] && [ -n "$(members "$1")" ]; do sleep 0.1 || sleep 1; turns=$((turns + 1)); done
end "$1" KILL
sleep 0.2 || sleep 1
end "$1" KILL
`;
