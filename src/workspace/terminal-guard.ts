import {spawn} from 'node:child_process';

/**
 * Gives the terminal back when weft is ended without warning (`kill -9`, out of memory): a small shell in a session of its own that
 * holds the other end of a pipe. When the pipe closes it writes what undoes the modes, and restores the settings (termios) unless
 * somebody else, as the user's shell, has changed them already.
 */
export interface TerminalGuard {
  /** `undo` is what to write, without line breaks; the terminal's settings at the first call are those that weft itself made. */
  keep(undo: string): void;
  /** The terminal has been given back in good order. */
  release(): void;
}

/**
 * Starts it; the settings to come back to are those of now. It keeps nothing alive. `terminal` is the descriptor of one. On Windows
 * there is none.
 */
export function startTerminalGuard(terminal: number): TerminalGuard {
  if (process.platform === 'win32') return noGuard;
  const child = spawn('/bin/sh', ['-c', script, 'weft-terminal-guard'], {
    cwd: '/',
    detached: true,
    env: {PATH: process.env['PATH'] ?? '/usr/bin:/bin'},
    stdio: ['pipe', 'ignore', 'ignore', terminal],
  });
  // A system that has no room for one more process runs weft without a guard.
  child.on('error', () => {});
  child.unref();
  const {stdin} = child;
  if (stdin === null) return noGuard;
  stdin.on('error', () => {});
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  const say = (line: string): void => {
    if (!stdin.destroyed && stdin.writable) stdin.write(`${line}\n`);
  };
  return {keep: undo => say(`keep${undo}`), release: () => say('release')};
}

const noGuard: TerminalGuard = {keep: () => {}, release: () => {}};

/** Where weft was faster than the guard, the settings from before are not known, and become the usual ones. */
const script = `
trap '' HUP INT TERM QUIT TTIN TTOU
exec 2>/dev/null
usual='icrnl ixon brkint icanon iexten isig echo opost'
before=$(stty -g <&3); own=; undo=
while IFS= read -r line; do
  case $line in
    keep*) [ -n "$own" ] || own=$(stty -g <&3); undo=\${line#keep} ;;
    release) own=; undo= ;;
  esac
done
[ -n "$own" ] || exit 0
[ "$before" != "$own" ] || before=$usual
[ "$(stty -g <&3)" != "$own" ] || stty $before <&3
printf '%s' "$undo" >&3
`;
