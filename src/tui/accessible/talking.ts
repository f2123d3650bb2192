import type {BlockDesk} from '../../actions/ports.ts';
import {faultText} from '../../domain/fault.ts';
import type {BlockId} from '../../domain/ids.ts';
import type {AttachEnd} from '../visits/attached-terminal.ts';
import {talkTo, type BlockTalk} from './block-talk.ts';

export interface TalkingHost {
  readonly desk: BlockDesk;
  readonly columns: () => number;
  readonly say: (...lines: readonly string[]) => void;
  /** The user has left the block, or never had it. */
  readonly left: (block: BlockId, end: AttachEnd) => void;
}

/** The user's lines going to a block, while they do. */
export class Talking {
  readonly #host: TalkingHost;
  #talk: BlockTalk | undefined;

  constructor(host: TalkingHost) {
    this.#host = host;
  }

  get block(): BlockId | undefined {
    return this.#talk?.block;
  }

  /** Whether what is typed now should not be seen. */
  get hides(): boolean {
    return this.#talk?.asksSecret === true;
  }

  start(block: BlockId): void {
    const {desk, columns, say, left} = this.#host;
    const talk = talkTo(
      {desk, block, columns: columns()},
      {lines: lines => say(...lines), ended: () => this.#end({kind: 'ended'})},
    );
    if (talk.tag === 'failed') {
      left(block, {kind: 'refused', message: faultText(talk.error)});
      return;
    }
    this.#talk = talk.value;
    say(`Your lines go to ${block} now. /back comes back to weft, /stop ends the command.`);
  }

  /** One entered line. */
  enter(line: string): void {
    if (line.trim() === '/back') this.#end({kind: 'detached'});
    else if (line.trim() === '/stop' && this.#talk !== undefined) void this.#host.desk.stop(this.#talk.block);
    else this.#talk?.send(`${line.replaceAll('\n', '\r')}\r`);
  }

  /** A control character, as it is. */
  press(key: string): void {
    this.#talk?.send(key);
  }

  close(): void {
    this.#talk?.end();
    this.#talk = undefined;
  }

  #end(end: AttachEnd): void {
    const talk = this.#talk;
    if (talk === undefined) return;
    this.#talk = undefined;
    if (end.kind === 'detached') talk.end();
    this.#host.left(talk.block, end);
  }
}
