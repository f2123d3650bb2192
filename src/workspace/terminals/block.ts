import {leaderOf, type BlockEnd, type BlockSource} from './block-source.ts';
import {setTimeout as delay} from 'node:timers/promises';
import type {
  AttachedTerminal,
  Attachment,
  BlockInfo,
  BlockSnapshot,
  BlockState,
  ScreenSize,
} from '../../actions/ports.ts';
import type {BlockInputMode} from '../../domain/access.ts';
import {raceAbort} from '../../base/race.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {BlockId} from '../../domain/ids.ts';
import {filteredOutput, makeBoundedText} from '../exec/command-output.ts';
import {looksLikePrompt, terminalUse} from '../exec/input-wait.ts';
import {endProcessTree, treeOf} from '../exec/process-tree.ts';
import type {RunningCommand} from '../exec/shell.ts';
import {type AttachedView, makeAttachedView} from './attached-terminal.ts';
import type {TerminalScreen} from './screen.ts';

/** A running command and its terminal session. */
export interface Block extends Pick<BlockParts, 'id' | 'command' | 'runTag' | 'source'> {
  readonly ended: Promise<BlockEnd>;
  /** The state found by the last `look`. */
  info(): Omit<BlockInfo, 'ports' | 'life'>;
  /** Checks whether the command waits for input. `sure`: it can't continue without input. `likely`: its output looks like a prompt. */
  look(): Promise<'ended' | 'sure' | 'likely' | 'no'>;
  /**
   * Waits until the command ends or waits for input, or `ms` are over. With `sure`, waiting counts only if the command
   * surely needs input. With `likely`, it counts even if the command only probably needs input.
   */
  wait(request: {readonly ms: number; readonly stopsOn: 'sure' | 'likely'}, signal: AbortSignal): Promise<void>;
  /** Returns the output since the last snapshot, and the state of the block. */
  snapshot(notes: readonly string[]): Promise<BlockSnapshot>;
  write(input: string, mode: BlockInputMode): 'written' | 'closed';
  attach(terminal: AttachedTerminal): Attachment;
  /** Milliseconds since the block's last output. */
  silentMs(): number;
  /** Ends the whole tree. Resolves when it is gone. */
  end(grace: 'short' | 'long'): Promise<void>;
  /** Writes all output to a file from now on. Returns the file's path; empty if weft could not create it. */
  file(): string;
  /** Frees memory and open files. The block must have ended, or continue without weft. */
  release(): void;
}

interface BlockParts extends Pick<RunningCommand, 'command' | 'directory' | 'runTag' | 'isHeld' | 'raw' | 'filter'> {
  readonly id: BlockId;
  readonly source: BlockSource;
  readonly screen: TerminalScreen;
  readonly size: ScreenSize;
  /** Receives all output after the filter. */
  readonly observe: (bytes: Uint8Array) => void;
}

/** The maximum amount of text of a snapshot, in UTF-16 units. */
const maxSnapshotLength = 30_000;

/** Bytes that wait to become text. Above the first bound the command is paused; at or below the second it continues. */
const maxPending = 256 * 1024;
const resumePending = 64 * 1024;

/**
 * Milliseconds of silence after which a block counts as waiting. `sure`: a program is blocked in a read. `likely`: a
 * program polls and shows a prompt. `unknown`: only the output is known.
 */
const silenceMs = {sure: 200, likely: 600, unknown: 1000} as const;

/** Opens a block. Calls `changed` after every change of `info`. */
export function openBlock(parts: BlockParts, changed: () => void): Block {
  const {source, screen, raw} = parts;
  const startedAt = performance.now();
  const terminals = new Map<AttachedTerminal, AttachedView>();
  let lastAt = startedAt;
  let pending = 0;
  let diskWrites = 0;
  const rateLimit = makeRateLimit(() => performance.now());
  let pauseTimer: NodeJS.Timeout | undefined;
  let state: BlockState = {kind: 'running'};
  let waits: 'sure' | 'likely' | 'no' = 'no';
  let over: BlockEnd | undefined;
  let released = false;
  let shown: 'whole' | 'in part' = 'whole';

  function take(bytes: Uint8Array): void {
    if (bytes.length === 0 || released) return;
    pending += bytes.length;
    parts.observe(bytes);
    screen.write(bytes, () => {
      pending -= bytes.length;
      resumeIfReady();
    });
    const disk = raw.push(bytes);
    if (disk !== undefined) void waitForDisk(disk);
    if (terminals.size === 0) pauseFor(rateLimit.spend(bytes.length));
    if (pending > maxPending || diskWrites > 0 || pauseTimer !== undefined) source.pause();
  }

  function pauseFor(ms: number): void {
    if (ms === 0) return;
    clearTimeout(pauseTimer);
    pauseTimer = setTimeout(() => {
      pauseTimer = undefined;
      resumeIfReady();
    }, ms);
    pauseTimer.unref();
  }

  async function waitForDisk(disk: Promise<void>): Promise<void> {
    diskWrites += 1;
    await disk;
    diskWrites -= 1;
    resumeIfReady();
  }

  function resumeIfReady(): void {
    if (pending <= resumePending && diskWrites === 0 && pauseTimer === undefined && !released) source.resume();
  }

  const output = filteredOutput(parts.filter, take);
  // A filter that was used before may still hold output.
  output.push(new Uint8Array());

  source.onData(bytes => {
    lastAt = performance.now();
    output.push(bytes);
    for (const view of terminals.values()) view.push(bytes);
    if (state.kind === 'waiting') state = {kind: 'running'};
    changed();
  });

  screen.onReply(text => {
    // An attached terminal answers such queries itself.
    if (source.terminal === 'pty' && terminals.size === 0) source.write(text);
  });

  const ended = source.ended.then(async end => {
    output.end();
    await raw.close();
    // Attached terminals get all of the last output, which the screen may still be parsing.
    if (terminals.size > 0) await screen.settled();
    over = end;
    state = end;
    for (const [terminal, view] of terminals) {
      view.end();
      terminal.ended();
    }
    terminals.clear();
    changed();
    return end;
  });

  async function look(): ReturnType<Block['look']> {
    if (over !== undefined) return 'ended';
    const silentMs = performance.now() - lastAt;
    if (silentMs >= silenceMs.sure) output.pause();
    await screen.settled();
    const found = silentMs < silenceMs.sure ? 'no' : await findWait(silentMs);
    if (over !== undefined) return 'ended';
    if (found !== waits) changed();
    waits = found;
    state = found === 'no' ? {kind: 'running'} : {kind: 'waiting', lastLine: screen.view().lastLine};
    return found;
  }

  async function findWait(silentMs: number): Promise<'sure' | 'likely' | 'no'> {
    const use = source.terminal === 'pty' ? await terminalUse(source.leader) : 'unknown';
    const view = screen.view();
    const isPrompt = looksLikePrompt(view.beforeCursor);
    switch (use) {
      case 'reads':
        return 'sure';
      case 'polls':
        return silentMs >= silenceMs.likely && (isPrompt || view.screen === 'alternate') ? 'likely' : 'no';
      case 'unknown':
        return silentMs >= silenceMs.unknown && isPrompt && source.input === 'open' ? 'likely' : 'no';
      case 'works':
        return 'no';
      default:
        return unreachable(use);
    }
  }

  function plain(text: string): string {
    return text.replaceAll('\r\n', '\n').replaceAll('\n', source.terminal === 'pty' ? '\r' : '\n');
  }

  return {
    id: parts.id,
    command: parts.command,
    runTag: parts.runTag,
    source,
    ended,
    info: () => ({
      id: parts.id,
      command: parts.command,
      state,
      ageMs: Math.round(performance.now() - startedAt),
      lastLine: released ? '' : screen.view().lastLine,
    }),
    look,
    async wait({ms, stopsOn}, signal) {
      const until = performance.now() + ms;
      for (let pause = 50; !signal.aborted; pause = Math.min(pause * 1.5, 500)) {
        const found = await look();
        if (found === 'ended' || found === 'sure' || found === stopsOn) return;
        const left = until - performance.now();
        if (left <= 0) return;
        const timer = new AbortController();
        const tick = delay(Math.min(left, pause), undefined, {signal: timer.signal}).catch(() => {});
        await raceAbort(Promise.race([ended, tick]), signal);
        timer.abort();
      }
    },
    async snapshot(notes) {
      if (!released) await screen.settled();
      const view = screen.view();
      const fresh = screen.readNew();
      const bounded = makeBoundedText(maxSnapshotLength);
      bounded.add(fresh.text);
      if (fresh.complete === 'cut' || bounded.overflowed) shown = 'in part';
      const cut = fresh.complete === 'cut' ? '[… earlier lines left out …]\n' : '';
      return {
        id: parts.id,
        command: parts.command,
        directory: parts.directory,
        state,
        output: {
          text: cut + bounded.text(''),
          totalBytes: raw.totalBytes(),
          leftOutLines: bounded.leftOutLines(),
          file: shown === 'in part' ? raw.spill() || undefined : undefined,
        },
        cursor: view.cursor,
        screen: view.screen,
        ageMs: Math.round(performance.now() - startedAt),
        terminal: source.terminal,
        notes,
      };
    },
    write(input, mode) {
      if (over !== undefined) return 'closed';
      lastAt = performance.now();
      waits = 'no';
      state = {kind: 'running'};
      switch (mode) {
        case 'raw':
          return source.write(input);
        case 'line':
          return source.write(plain(`${input}\n`));
        case 'block':
          return source.write(
            screen.view().pastes === 'bracketed'
              ? `${pasteStart}${plain(input.replaceAll(pasteEnd, ''))}${pasteEnd}`
              : plain(input),
          );
        default:
          return unreachable(mode);
      }
    },
    attach(terminal) {
      const resize = (size: ScreenSize): void => {
        if (over !== undefined || released) return;
        source.resize(size);
        screen.resize(size);
        for (const view of terminals.values()) view.repaint();
      };
      if (over !== undefined) {
        terminal.ended();
        return {write: () => {}, resize: () => {}, detach: () => {}};
      }
      const view = makeAttachedView(terminal, screen);
      terminals.set(terminal, view);
      resize(terminal.size);
      return {
        write(keys) {
          if (terminals.has(terminal)) source.write(keys);
        },
        resize,
        detach() {
          view.end();
          if (terminals.delete(terminal) && terminals.size === 0) resize(parts.size);
        },
      };
    },
    silentMs: () => performance.now() - lastAt,
    async end(grace) {
      // The command has ended, so another process may have its numbers by now.
      if (over !== undefined) return;
      await endProcessTree(
        treeOf({...leaderOf(source), runTag: parts.runTag}, () => source.output),
        grace,
        parts.isHeld ? source.leader : 'none',
      );
      // Remaining processes are not children of weft, so only this call can tell that they are gone.
      if (source.input === 'none') source.close();
      await Promise.race([ended, delay(500, undefined, {ref: false})]);
    },
    file: () => raw.spill(),
    release() {
      if (released) return;
      released = true;
      clearTimeout(pauseTimer);
      source.close();
      screen.dispose();
      void raw.close();
    },
  };
}

const pasteStart = '\u001B[200~';
const pasteEnd = '\u001B[201~';

/** The bytes that a command may print at once, and per second after that. */
const burstBytes = 8 * 1024 * 1024;
const bytesPerSecond = 1024 * 1024;

/** The longest pause, in milliseconds. A terminal closes 200 ms after its program has ended, and unread output is lost then. */
const maxPauseMs = 100;

/**
 * Limits the rate at which a command's output is read while no terminal is attached. Parsing a few megabytes for the
 * screen keeps a core busy for a second, so a command that prints endlessly must wait. `now` returns milliseconds.
 */
export function makeRateLimit(now: () => number): {
  /** Counts bytes that were read. Returns the milliseconds for which to stop reading. */
  spend(bytes: number): number;
} {
  let left = burstBytes;
  let at = now();
  return {
    spend(bytes) {
      const time = now();
      left = Math.min(burstBytes, left + ((time - at) / 1000) * bytesPerSecond) - bytes;
      at = time;
      return left >= 0 ? 0 : Math.min(maxPauseMs, (-left / bytesPerSecond) * 1000);
    },
  };
}
