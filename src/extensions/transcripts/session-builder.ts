import {isJsonObject, type JsonObject, parseJson} from '../../base/json.ts';
import {compactionMessage} from '../../domain/compaction.ts';
import {
  type AssistantBlock,
  type CallOutcome,
  type ImageBlock,
  type ResultContent,
  toolCalls,
  type ToolResultBlock,
  type UserBlock,
} from '../../domain/conversation.ts';
import {imageFrom} from '../../domain/image-facts.ts';
import {actionId, messageId} from '../../domain/ids.ts';
import type {JournalRecord} from '../../domain/journal.ts';
import {noUsage} from '../../domain/usage.ts';

/** A session of another agent, as records that weft can continue. */
export interface ForeignSession {
  readonly id: string;
  readonly directory: string;
  readonly model: string;
  /** The name of the session, or the first line of its first prompt. */
  readonly title: string;
  readonly records: readonly JournalRecord[];
  /** The number of records and blocks that a session of weft has no place for, by kind. */
  readonly leftOut: ReadonlyMap<string, number>;
}

/** A session of weft, to be written in another agent's format. */
export interface WrittenSession {
  readonly id: string;
  readonly directory: string;
  readonly model: string;
  readonly createdAt: number;
  readonly records: readonly JournalRecord[];
}

type Entry =
  | {readonly kind: 'user'; readonly record: 'prompt' | 'reminder'; readonly id: string; readonly blocks: UserBlock[]}
  | {
      readonly kind: 'answer';
      readonly id: string;
      readonly model: string;
      readonly blocks: AssistantBlock[];
      readonly results: Map<string, ToolResultBlock>;
    }
  | {readonly kind: 'compaction'; readonly summary: string};

/** The result of a call whose own result is not in the file. */
const missingResultText = 'The session ended before the result of this call was saved, so it is unknown what it did.';

/** Collects the conversation of a transcript, in which results may come late, twice or never. */
export class SessionBuilder {
  #entries: Entry[] = [];
  readonly #leftOut = new Map<string, number>();
  readonly #uuid: () => string;

  constructor(uuid: () => string) {
    this.#uuid = uuid;
  }

  leaveOut(kind: string): void {
    this.#leftOut.set(kind, (this.#leftOut.get(kind) ?? 0) + 1);
  }

  /** Parses JSON lines. The last line may be unfinished. */
  parseLines(text: string): readonly JsonObject[] {
    return text.split('\n').flatMap(line => {
      if (line.trim() === '') return [];
      const json = parseJson(line);
      if (json.tag === 'ok' && isJsonObject(json.value)) return [json.value];
      this.leaveOut('line that is not JSON');
      return [];
    });
  }

  user(
    blocks: readonly UserBlock[],
    {record, id}: {readonly record: 'prompt' | 'reminder'; readonly id: string},
  ): void {
    if (blocks.length > 0) this.#entries.push({kind: 'user', record, id, blocks: [...blocks]});
  }

  /** Adds blocks of an answer. Blocks with the same id are one answer, also after the result of one of its calls. */
  answer(blocks: readonly AssistantBlock[], {id, model}: {readonly id: string; readonly model: string}): void {
    if (blocks.length === 0) return;
    const last = this.#entries.at(-1);
    if (last === undefined) {
      this.leaveOut('answer before the first prompt');
    } else if (
      last.kind === 'answer' &&
      ((id !== '' && id === last.id) ||
        (last.results.size === 0 && (id === '' || last.blocks.every(({kind}) => kind !== 'tool-call'))))
    ) {
      last.blocks.push(...blocks);
    } else {
      this.#entries.push({kind: 'answer', id, model, blocks: [...blocks], results: new Map()});
    }
  }

  /** Adds a result to the latest call with this id that has none. */
  result(id: string, content: readonly ResultContent[], outcome: 'success' | 'error'): void {
    const answer = this.#entries.findLast(
      entry =>
        entry.kind === 'answer' &&
        !entry.results.has(id) &&
        entry.blocks.some(block => block.kind === 'tool-call' && block.id === id),
    );
    if (answer?.kind !== 'answer') return this.leaveOut('result without its call');
    const isMissing = content.some(block => block.kind === 'text' && block.text === missingResultText);
    const end: CallOutcome = isMissing ? {outcome: 'cancelled', reason: 'unknown'} : {outcome};
    answer.results.set(id, {kind: 'tool-result', id: actionId(id), content, ...end});
  }

  compaction(summary: string): void {
    this.#entries.push({kind: 'compaction', summary});
  }

  /** Removes the last prompts and all that came after them. */
  dropPrompts(count: number): void {
    for (let left = count; left > 0; left -= 1) {
      const at = this.#entries.findLastIndex(entry => entry.kind === 'user' && entry.record === 'prompt');
      if (at < 0) return;
      this.#entries = this.#entries.slice(0, at);
    }
  }

  build(about: Omit<ForeignSession, 'records' | 'leftOut'>): ForeignSession {
    return {
      ...about,
      title: about.title || this.#firstPrompt(),
      records: this.#entries.flatMap(entry => this.#recordsOf(entry)),
      leftOut: this.#leftOut,
    };
  }

  /** Returns the first line that the user typed. Agents write their own notes in tags. */
  #firstPrompt(): string {
    for (const entry of this.#entries) {
      if (entry.kind !== 'user' || entry.record !== 'prompt') continue;
      for (const block of entry.blocks) {
        if (block.kind === 'text' && !/^\s*(?:<|$)/u.test(block.text))
          return block.text.trim().split('\n', 1)[0]?.slice(0, 200) ?? '';
      }
    }
    return '';
  }

  #recordsOf(entry: Entry): readonly JournalRecord[] {
    if (entry.kind === 'user') {
      const id = messageId(entry.id || this.#uuid());
      return [{kind: entry.record, message: {role: 'user', id, blocks: entry.blocks}}];
    }
    if (entry.kind === 'compaction') {
      const made = {id: messageId(this.#uuid()), trigger: 'manual', way: 'summary', summary: entry.summary} as const;
      const rest = {messages: [], instructions: [], skills: [], todos: [], running: [], changedFiles: []};
      return [{kind: 'compaction', ...made, messages: [compactionMessage(made, rest)], tokens: {before: 0, after: 0}}];
    }
    const {blocks, model, results} = entry;
    const message = {
      role: 'assistant',
      id: messageId(entry.id || this.#uuid()),
      model,
      blocks,
      stop: blocks.some(({kind}) => kind === 'tool-call') ? 'tool-use' : 'end-turn',
      usage: noUsage,
    } as const;
    return [
      {kind: 'answer', message},
      ...toolCalls(message).map(({id}): JournalRecord => ({
        kind: 'result',
        result: results.get(id) ?? {
          kind: 'tool-result',
          id,
          content: [{kind: 'text', text: missingResultText}],
          outcome: 'cancelled',
          reason: 'unknown',
        },
      })),
    ];
  }
}

/** Reads an image. Returns `undefined` if it is none that models read. */
export function imageOf(mediaType: string, data: string): ImageBlock | undefined {
  const read = imageFrom(data, mediaType);
  return read.tag === 'ok' ? read.value : undefined;
}
