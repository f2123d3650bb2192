import type {AssistantBlock} from '../domain/conversation.ts';
import {actionId} from '../domain/ids.ts';
import type {ModelEvent, ModelRequest, ToolSpec} from '../domain/model-stream.ts';
import {readInput} from './block-builder.ts';
import {ToolNames} from './sendable-request.ts';
import {
  callOpenings,
  emptyOpenings,
  type Openings,
  type ShownPiece,
  TextScanner,
  thinkingOpenings,
} from './text-scanner.ts';

type Started = Extract<ModelEvent, {event: 'block-started'}>;
type Finished = Extract<ModelEvent, {event: 'block-finished'}>;

/** A text or thinking block of the stream, and the block that shows its visible part. */
interface OpenText {
  readonly kind: 'text' | 'thinking';
  /** `undefined` as long as no character of the text can begin markup. */
  scanner: TextScanner | undefined;
  index: number | undefined;
  shownKind: 'text' | 'thinking';
  shown: string;
  /** Text that is not shown yet. White space at the beginning waits for other text. */
  unshown: string;
}

/** Tool calls as the model wrote them, at the end of a block. */
interface HeldCalls {
  readonly text: string;
  readonly open: OpenText;
  readonly whole: AssistantBlock;
}

/**
 * Turns tool calls that a model writes as text, in the markup that it was trained on, into structured ones, and
 * thinking in tags into thinking. The markup is never shown. It stays text if the answer also has a structured call. If
 * it calls none of the tools, it becomes `unread`. Also translates tool names to weft's own.
 */
export class TextCalls {
  readonly #names: ToolNames;
  readonly #tools: readonly ToolSpec[];
  readonly #newId: () => string;
  readonly #texts = new Map<number, OpenText>();
  /** The output indexes of all other blocks, by their index in the answer. */
  readonly #indexes = new Map<number, number>();
  #next = 0;
  #hasCalls = false;
  #held: HeldCalls | undefined;
  /** Structured calls whose names contain arguments. */
  readonly #misnamed: (Finished & {readonly block: {readonly kind: 'tool-call'}})[] = [];
  #end: Extract<ModelEvent, {event: 'message-finished'}> | undefined;

  constructor({tools}: Pick<ModelRequest, 'tools'>, newId: () => string) {
    this.#names = new ToolNames(tools);
    this.#newId = newId;
    this.#tools = tools.flatMap(tool => ('provided' in tool ? [] : [{...tool, name: this.#names.toWire(tool.name)}]));
  }

  /** Translates a batch. If the last event waits for a decision, `decide` returns the rest. */
  take(events: readonly ModelEvent[]): ModelEvent[] {
    const out: ModelEvent[] = [];
    for (const event of events) this.#takeOne(event, out);
    return out;
  }

  get isUndecided(): boolean {
    return this.#end !== undefined;
  }

  /** Reads the calls at the end of a message. Loads the formats of all families. */
  async decide(): Promise<ModelEvent[]> {
    const out: ModelEvent[] = [];
    const held = this.#held;
    const end = this.#end;
    if (end === undefined) return out;
    const {isCallMarkup, readTextCalls, withoutArguments} = await import('./text-call-formats.ts');
    for (const {index, block} of this.#misnamed) {
      const text = typeof block.input === 'string' ? block.input : JSON.stringify(block.input);
      const {name, input} = withoutArguments({name: block.name, input: text}, this.#tools);
      const named = {...block, name: this.#names.toOwn(name), input: readInput(input)};
      out.push({event: 'block-finished', index, block: named});
    }
    if (held === undefined) return [...out, end];
    const isNatural = end.stop === 'end-turn' || end.stop === 'tool-use';
    // Only an answer that was cut has incomplete arguments. Others are broken.
    const calls = readTextCalls(held.text, this.#tools).filter(
      ({input}) => !isNatural || typeof readInput(input) !== 'string',
    );
    const isUnread = calls.length === 0 && held.open.kind === 'text' && isCallMarkup(held.text);
    if (calls.length === 0 && !isUnread) this.#release(out);
    else {
      this.#held = undefined;
      if (held.open.index !== undefined) this.#finishShown(held.open, held.whole, out);
    }
    for (const {name, input} of calls) {
      const index = this.#next++;
      const id = actionId(`call_${this.#newId()}`);
      const own = this.#names.toOwn(name);
      out.push({event: 'block-started', index, block: {kind: 'tool-call', id, name: own}});
      out.push({event: 'block-delta', index, delta: {kind: 'tool-input', json: input}});
      out.push({event: 'block-finished', index, block: {kind: 'tool-call', id, name: own, input: readInput(input)}});
    }
    const unread = isUnread ? {unread: held.text} : {};
    out.push(calls.length > 0 && isNatural ? {...end, stop: 'tool-use'} : {...end, ...unread});
    return out;
  }

  #takeOne(event: ModelEvent, out: ModelEvent[]): void {
    switch (event.event) {
      case 'block-started':
        this.#release(out);
        this.#start(event, out);
        return;
      case 'block-delta': {
        const open = this.#texts.get(event.index);
        if (open === undefined || (event.delta.kind !== 'text' && event.delta.kind !== 'thinking')) {
          const index = open === undefined ? this.#indexes.get(event.index) : this.#open(open, out);
          if (index !== undefined) out.push({...event, index});
          return;
        }
        this.#show(open, this.#scan(open, event.delta.text), out);
        return;
      }
      case 'block-finished':
        this.#finish(event, out);
        return;
      case 'message-finished':
        if (this.#held === undefined && this.#misnamed.length === 0) out.push(event);
        else this.#end = event;
        return;
      default:
        out.push(event);
    }
  }

  #start({index, block}: Started, out: ModelEvent[]): void {
    if (block.kind === 'text' || block.kind === 'thinking') {
      const open: OpenText = {
        kind: block.kind,
        scanner: undefined,
        index: undefined,
        shownKind: block.kind,
        shown: '',
        unshown: '',
      };
      this.#texts.set(index, open);
      if (block.kind === 'thinking') this.#open(open, out);
      return;
    }
    if (block.kind === 'tool-call') this.#hasCalls = true;
    this.#indexes.set(index, this.#next);
    out.push({event: 'block-started', index: this.#next++, block: this.#named(block)});
  }

  #scan(open: OpenText, text: string): readonly ShownPiece[] {
    if (open.scanner === undefined) {
      if (!/[<[{`]/u.test(text)) return [{kind: open.kind, text}];
      open.scanner = new TextScanner(this.#openingsIn(open.kind));
      // The scanner holds back white space at the beginning, too.
      open.scanner.take(open.shown + open.unshown);
      open.unshown = '';
    }
    return open.scanner.take(text);
  }

  #openingsIn(kind: OpenText['kind']): Openings {
    if (this.#hasCalls || (kind === 'thinking' && this.#tools.length === 0)) return emptyOpenings;
    return kind === 'text' ? callOpenings(this.#tools.map(({name}) => name)) : thinkingOpenings;
  }

  #finish({index, block}: Finished, out: ModelEvent[]): void {
    const open = this.#texts.get(index);
    if (open === undefined) {
      const at = this.#indexes.get(index);
      if (at === undefined) return;
      if (block.kind === 'tool-call' && block.name.includes('<arg_'))
        this.#misnamed.push({event: 'block-finished', index: at, block});
      else out.push({event: 'block-finished', index: at, block: this.#named(block)});
      return;
    }
    this.#texts.delete(index);
    const {shown, calls} = open.scanner?.end() ?? {shown: [], calls: ''};
    this.#show(open, shown, out);
    if (calls !== '') {
      this.#held = {text: calls, open, whole: block};
      return;
    }
    this.#open(open, out);
    this.#finishShown(open, block, out);
  }

  /** Shows the held text as ordinary text. */
  #release(out: ModelEvent[]): void {
    if (this.#held === undefined) return;
    const {text, open, whole} = this.#held;
    this.#held = undefined;
    this.#show(open, [{kind: open.kind, text}], out);
    this.#open(open, out);
    this.#finishShown(open, whole, out);
  }

  #show(open: OpenText, pieces: readonly ShownPiece[], out: ModelEvent[]): void {
    for (const piece of pieces) {
      const kind = open.kind === 'thinking' ? 'thinking' : piece.kind;
      if (kind !== open.shownKind) {
        if (open.index !== undefined) this.#finishShown(open, {kind: 'text', text: ''}, out);
        open.index = undefined;
        open.shown = '';
        open.shownKind = kind;
      }
      open.unshown += piece.text;
      if (open.index === undefined && open.unshown.trim() === '') continue;
      this.#open(open, out);
    }
  }

  /** Begins the shown block, unless it has begun, and shows the text that waited for it. */
  #open(open: OpenText, out: ModelEvent[]): number {
    const {shownKind: kind, unshown: text} = open;
    const index = open.index ?? this.#next++;
    if (open.index === undefined) out.push({event: 'block-started', index, block: {kind}});
    if (text !== '') out.push({event: 'block-delta', index, delta: {kind, text}});
    open.index = index;
    open.shown += text;
    open.unshown = '';
    return index;
  }

  #finishShown({index, shown, shownKind}: OpenText, whole: AssistantBlock, out: ModelEvent[]): void {
    if (index === undefined) return;
    const isWhole = whole.kind === shownKind && whole.text === shown;
    const block: AssistantBlock =
      shownKind === 'text'
        ? {kind: 'text', text: shown}
        : whole.kind === 'thinking'
          ? {...whole, text: shown}
          : {kind: 'thinking', text: shown, signature: ''};
    out.push({event: 'block-finished', index, block: isWhole ? whole : block});
  }

  #named<B extends Started['block'] | AssistantBlock>(block: B): B {
    return block.kind === 'tool-call' ? {...block, name: this.#names.toOwn(block.name)} : block;
  }
}
