import {render, useInput, usePaste} from 'ink';
import type {RawKey} from '../input/keymap.ts';
import {openPasteReader} from './paste-reader.ts';
import {withMembers} from './with-members.ts';

export interface KeyListener {
  onInput(input: string, key: RawKey): void;
  /** `more` goes on with the paste before it. */
  onPaste(text: string, part: 'first' | 'more'): void;
}

export interface KeyTerminal {
  readonly stdin: NodeJS.ReadStream;
  /** Whether the terminal has said that it knows the kitty keyboard protocol. */
  kittyKeyboard(): 'yes' | 'no';
}

/** The keyboard while a surface has it. */
export interface KeyReader {
  /** Has the keyboard tell keys apart that are the same bytes otherwise, once the terminal has said that it can. */
  take(): void;
  /** Within the last frame. */
  giveBack(): void;
  /** Nothing is read any more. */
  close(): Promise<void>;
}

/** Ink reads the keys, and draws nothing: what it writes are the marks around a paste. */
export function openKeyReader(terminal: KeyTerminal, listener: KeyListener, stdout: NodeJS.WriteStream): KeyReader {
  const pastes = openPasteReader(terminal.stdin, (text, part) => listener.onPaste(text, part));
  const ink = render(<Keys listener={listener} />, {
    exitOnCtrlC: false,
    patchConsole: false,
    interactive: true,
    incrementalRendering: true,
    // The session paces the frames; Ink must not hold back the echo of a key.
    maxFps: 1000,
    stdin: pastes.stdin,
    stdout: modesOnly(stdout),
  });
  let kitty: 'off' | 'on' | 'given-back' = 'off';
  return {
    /**
     * The kitty keyboard protocol ("disambiguate escape codes"). Ink asks for it too, but takes a terminal that answers after
     * 200 ms for one that knows nothing of it.
     */
    take() {
      if (kitty !== 'off' || terminal.kittyKeyboard() === 'no') return;
      kitty = 'on';
      stdout.write('\u001B[>1u');
    },
    giveBack() {
      if (kitty === 'on') stdout.write('\u001B[<u');
      kitty = 'given-back';
    },
    async close() {
      await ink.waitUntilRenderFlush();
      pastes.close();
      ink.unmount();
      await ink.waitUntilExit();
    },
  };
}

const ignore = (): void => {};

function Keys({listener}: {readonly listener: KeyListener}): React.ReactNode {
  useInput((input, key) => listener.onInput(input, key));
  // Only switches the marks on: what is between them does not get here.
  usePaste(ignore);
  return undefined;
}

function modesOnly(stdout: NodeJS.WriteStream): NodeJS.WriteStream {
  const write = (chunk: string | Uint8Array, after?: (error?: Error | null) => void): boolean =>
    stdout.write((String(chunk).match(keyboardModes) ?? []).join(''), after);
  return withMembers(stdout, {write});
}

// oxlint-disable-next-line no-control-regex -- sequences of the terminal
const keyboardModes = /\u001B\[\?2004[hl]/gu;
