import {spawn} from '@lydell/node-pty';
import headless from '@xterm/headless';
import {lookUntil} from './look-until.ts';
import {weftBin, type TempPlace} from './run-weft.ts';
import {pointedAt, type Scene} from './scene.ts';

/** A program in a pty whose other end is a terminal in memory: it answers what it is asked, and keeps every byte. */
export interface PtyTerminal extends Disposable {
  readonly pid: number;
  /** Every byte written so far. */
  log(): string;
  /** The same in the pieces in which it came. */
  pieces(): readonly string[];
  type(keys: string): void;
  /** Takes no more of what is written, as a terminal behind a line that hangs. */
  pause(): void;
  resume(): void;
  resize(columns: number, rows: number): void;
  /** Every row, scrollback first, trailing empty ones left out; a row that wraps is one. */
  everything(): Promise<readonly string[]>;
  rows(): Promise<readonly string[]>;
  /** What a program could leave switched on. */
  modes(): Promise<Readonly<Record<string, unknown>>>;
  cursor(): Promise<{readonly x: number; readonly y: number}>;
  /** Resolves when the visible rows match; rejects after twenty seconds with the screen. */
  until(pattern: RegExp): Promise<void>;
  readonly exited: Promise<number>;
}

export interface PtyOptions {
  readonly place: TempPlace;
  readonly environment: Readonly<Record<string, string>>;
  readonly size: readonly [columns: number, rows: number];
  /** What runs in it; the built program with these arguments. */
  readonly args: readonly string[];
  /** Whether the terminal answers questions about itself. */
  readonly answers: 'all' | 'none';
}

export function openPty({place, environment, size, args, answers}: PtyOptions): PtyTerminal {
  const [cols, rows] = size;
  return openPtyOf(process.execPath, [weftBin, ...args], {
    cols,
    rows,
    cwd: place.work,
    env: place.environment({TERM: 'xterm-256color', ...environment}),
    answers,
  });
}

/** Opens the built program in a scene, pointed at the model server of the scene. */
export const openScenePty = (
  {place, server}: Scene,
  {environment = {}, size = [100, 30], args = [], answers = 'all'}: Partial<Omit<PtyOptions, 'place'>> = {},
): PtyTerminal => openPty({place, environment: {...pointedAt(server), ...environment}, size, args, answers});

interface PtySetting {
  readonly cols: number;
  readonly rows: number;
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly answers: 'all' | 'none';
}

export function openPtyOf(program: string, args: readonly string[], setting: PtySetting): PtyTerminal {
  const {cols, rows, answers} = setting;
  const terminal = new headless.Terminal({cols, rows, scrollback: 50_000, allowProposedApi: true});
  const child = spawn(program, [...args], setting);
  const log: string[] = [];
  let written = Promise.resolve();
  child.onData(data => {
    log.push(data);
    // The kitty keyboard protocol, which the terminal in memory has not.
    if (answers === 'all' && data.includes('\u001B[?u')) child.write('\u001B[?0u');
    written = new Promise(resolve => terminal.write(data, resolve));
  });
  if (answers === 'all') terminal.onData(reply => child.write(reply));
  const exited = new Promise<number>(resolve => child.onExit(({exitCode}) => resolve(exitCode)));
  const lines = (from: number): string[] => {
    const buffer = terminal.buffer.active;
    const found: string[] = [];
    for (let at = from; at < buffer.length; at++) {
      const line = buffer.getLine(at);
      const text = line?.translateToString(true) ?? '';
      if (line?.isWrapped === true && found.length > 0) found[found.length - 1] += text;
      else found.push(text);
    }
    return found;
  };
  const visible = async (): Promise<readonly string[]> => {
    await written;
    return lines(terminal.buffer.active.baseY);
  };
  return {
    pid: child.pid,
    log: () => log.join(''),
    pieces: () => log,
    type: keys => child.write(keys),
    pause: () => child.pause(),
    resume: () => child.resume(),
    resize(columns, height) {
      child.resize(columns, height);
      terminal.resize(columns, height);
    },
    async everything() {
      await written;
      const found = lines(0);
      while (found.at(-1) === '') found.pop();
      return found;
    },
    rows: visible,
    async modes() {
      await written;
      const {modes} = terminal;
      const all = log.join('');
      return {
        ...modes,
        screen: terminal.buffer.active.type,
        cursorShown: all.lastIndexOf('\u001B[?25h') >= all.lastIndexOf('\u001B[?25l'),
        keyboards: keyboardsPushed(all),
        titles: all.split('\u001B[22;2t').length - all.split('\u001B[23;2t').length,
      };
    },
    async cursor() {
      await written;
      return {x: terminal.buffer.active.cursorX, y: terminal.buffer.active.cursorY};
    },
    until: pattern =>
      lookUntil(
        async () => pattern.test((await visible()).join('\n')),
        async () => `never saw ${String(pattern)} on:\n${(await visible()).join('\n')}`,
      ),
    exited,
    [Symbol.dispose]() {
      try {
        child.kill('SIGKILL');
      } catch {
        // it has ended
      }
      terminal.dispose();
    },
  };
}

/** How many settings of the kitty keyboard protocol lie on its stack; to take one off an empty stack does nothing. */
function keyboardsPushed(log: string): number {
  let pushed = 0;
  // oxlint-disable-next-line no-control-regex -- sequences of the terminal
  for (const [, way, count = '1'] of log.matchAll(/\u001B\[(>|<)(\d+)?u/gu)) {
    pushed = way === '>' ? pushed + 1 : Math.max(0, pushed - Number(count));
  }
  return pushed;
}
