import type {BlockDesk} from '../../actions/ports.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {visibleOutput} from '../../base/visible.ts';
import type {Fault} from '../../domain/fault.ts';
import type {BlockId} from '../../domain/ids.ts';

/** A block whose terminal has the user's lines, and whose text comes as lines. */
export interface BlockTalk {
  readonly block: BlockId;
  send(keys: string): void;
  /** Whether what it asks for now should not be seen while it is typed. */
  readonly asksSecret: boolean;
  end(): void;
}

export function talkTo(
  {desk, block, columns}: {readonly desk: BlockDesk; readonly block: BlockId; readonly columns: number},
  hear: {lines(lines: readonly string[]): void; ended(): void},
): Outcome<BlockTalk, Fault> {
  let sent = '';
  let last = '';
  const attached = desk.attach(block, {
    size: {columns: Math.max(20, columns), rows: screenRows},
    show(text) {
      const lines = linesOf(text).filter(line => line !== sent);
      last = lines.at(-1) ?? last;
      if (lines.length > 0) hear.lines(lines);
    },
    ended: () => hear.ended(),
  });
  if (attached.tag === 'failed') return failed(attached.error);
  return ok({
    block,
    send(keys) {
      sent = keys.trim();
      attached.value.write(keys);
    },
    get asksSecret() {
      return /(?:password|passphrase|passcode|\bpin\b|secret)[^:]*:\s*$/iu.test(last);
    },
    end: () => attached.value.detach(),
  });
}

/** Rows of the terminal that the program sees. */
const screenRows = 24;

// oxlint-disable-next-line no-control-regex -- sequences of the terminal
const moves = /\u001B\[[\d;]*[Hfd]/gu;

/** A screen that is drawn comes as moves between rows: each is a line of its own here, and empty ones are none. */
const linesOf = (text: string): readonly string[] =>
  visibleOutput(text.replaceAll(moves, '\n'))
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '');
