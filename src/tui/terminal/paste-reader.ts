import {pasteSplitter, type InputPiece} from './paste-splitter.ts';
import {withMembers} from './with-members.ts';

export interface PasteReader {
  /** The same stream without what was pasted; to be read by `readable` and `read()`. */
  readonly stdin: NodeJS.ReadStream;
  close(): void;
}

export type OnPaste = (text: string, part: 'first' | 'more') => void;

/**
 * Takes what was pasted out of stdin, in its place among the keys. Ink would read the whole of a paste again with every piece
 * that comes of it, wait for ever for a mark that never comes, and take a paste without marks for keys.
 */
export function openPasteReader(stdin: NodeJS.ReadStream, onPaste: OnPaste): PasteReader {
  const splitter = pasteSplitter();
  const pieces: InputPiece[] = [];
  let timer: NodeJS.Timeout | undefined;
  const watch = (): void => {
    clearTimeout(timer);
    const {wait} = splitter;
    timer = wait === 'never' ? undefined : setTimeout(quiet, wait);
  };
  // What is there but unread was delivered in the meantime: it is read first.
  const quiet = (): void => {
    const asked = timer;
    setImmediate(() => {
      if (timer !== asked || asked === undefined) return;
      pieces.push(...splitter.quiet());
      watch();
      // Whoever reads by `readable` reads again.
      if (pieces.length > 0) stdin.emit('readable');
    });
  };
  const read = (): string | null => {
    for (;;) {
      const piece = pieces.shift();
      if (piece === undefined) {
        const chunk: unknown = stdin.read();
        if (typeof chunk !== 'string') return null;
        pieces.push(...splitter.push(chunk));
        watch();
      } else if (piece.kind === 'paste') onPaste(piece.text, piece.part);
      else return piece.bytes.replaceAll(otherKeys, '\u001B[$2;$1u');
    }
  };
  return {
    stdin: withMembers(stdin, {read}),
    close() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

/** Keys as xterm's modifyOtherKeys tells them; the same are read in the form of the kitty protocol. */
// oxlint-disable-next-line no-control-regex -- a sequence of the terminal
const otherKeys = /\u001B\[27;(\d+);(\d+)~/gu;
