import {existsSync, readFileSync, renameSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {CheckpointRecorder, type PromptCheckpoints} from '../../../src/agent/checkpoint-recorder.ts';
import {performRewind} from '../../../src/agent/rewind.ts';
import {fileHistoryOf, type SessionRecord} from '../../../src/domain/blame.ts';
import {actionId, messageId, parseSessionId} from '../../../src/domain/ids.ts';
import type {JournalRecord} from '../../../src/domain/journal.ts';
import {makeCheckpoints} from '../../../src/workspace/checkpoints/make-checkpoints.ts';
import {randomInputs} from '../../support/random-inputs.ts';
import {place} from '../workspace/checkpoints/checkpoint-place.ts';

const {signal} = new AbortController();
const session = parseSessionId('00000000-0000-7000-8000-000000000000') ?? unknownId();

function unknownId(): never {
  throw new Error('not an id');
}

/** A change of some lines at a share of the file. The file keeps most of its lines, so that a rename is seen. */
const change = fc.record({at: fc.nat(99), count: fc.nat(1), added: fc.nat(2)});
const changes = fc.array(change, {minLength: 1, maxLength: 2});
const step = fc.oneof(
  {weight: 4, arbitrary: fc.record({kind: fc.constantFrom('edit' as const, 'command' as const), changes})},
  {weight: 3, arbitrary: fc.record({kind: fc.constant('person' as const), changes})},
  {weight: 1, arbitrary: fc.record({kind: fc.constantFrom('turn', 'prompt', 'undo', 'redo', 'move', 'rename')})},
);

/** A line of the model. Texts are unique, so that only one alignment of two versions is right. */
interface ModelLine {
  readonly text: string;
  readonly by: string;
}

/** Runs agents and people on one file, with a model that knows the author of each line. */
class Bench implements Disposable {
  readonly #here = place();
  readonly #checkpoints = makeCheckpoints({
    roots: [this.#here.work],
    folder: this.#here.folder,
    environment: {PATH: process.env['PATH'], HOME: this.#here.work},
    now: () => Date.now(),
  });
  readonly #journal: {readonly at: number; readonly record: JournalRecord}[] = [];
  readonly #recorder: CheckpointRecorder;
  #time = 0;
  #names = 0;
  #prompt: PromptCheckpoints | undefined;
  #file = 'file.txt';
  model: readonly ModelLine[] = [];
  /** The model before each prompt, and those after each undone one. A person's change ends both. */
  #before: {readonly lines: readonly ModelLine[]; readonly file: string}[] = [];
  #undone: {readonly lines: readonly ModelLine[]; readonly file: string}[] = [];

  constructor() {
    const now = (): number => (this.#time += 1000);
    this.#recorder = new CheckpointRecorder({
      checkpoints: this.#checkpoints,
      publish: () => {},
      now,
      running: () => [],
    });
    this.model = Array.from({length: 120}, () => this.#line('person'));
    this.#write();
  }

  [Symbol.dispose](): void {
    this.#here[Symbol.dispose]();
  }

  async do(given: typeof step extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
    switch (given.kind) {
      case 'person':
        this.#change('person', given.changes);
        this.#write();
        this.#forget();
        break;
      case 'move':
        renameSync(join(this.#here.work, this.#file), join(this.#here.work, this.#newName()));
        this.#forget();
        break;
      case 'edit':
      case 'command':
        await this.#call(given.kind === 'edit' ? 'named' : 'any', name => {
          this.#change(name, given.changes);
          this.#write();
        });
        break;
      case 'rename':
        await this.#call('any', () =>
          renameSync(join(this.#here.work, this.#file), join(this.#here.work, this.#newName())),
        );
        break;
      case 'turn':
        this.#prompt?.afterTurn('resting');
        break;
      case 'prompt':
        await this.#endPrompt();
        break;
      case 'undo':
        await this.#rewind('undo');
        break;
      case 'redo':
        await this.#rewind('redo');
        break;
      default:
    }
  }

  async authors(): Promise<readonly string[]> {
    await this.#endPrompt();
    const records = this.#journal.map((each): SessionRecord => ({session, ...each}));
    const path = join(this.#here.work, this.#file);
    const history = fileHistoryOf(records);
    const blamed = await this.#checkpoints.blame({path, content: readFileSync(path), at: 'now', history}, signal);
    if (blamed.tag === 'failed') throw new Error(blamed.error.message);
    return blamed.value.map(author => (author.by === 'agent' ? (author.call ?? 'some call') : author.by));
  }

  #newName(): string {
    this.#file = `file${String((this.#names += 1))}.txt`;
    return this.#file;
  }

  #line(by: string): ModelLine {
    return {text: `line ${String((this.#names += 1))}`, by};
  }

  #write(): void {
    writeFileSync(join(this.#here.work, this.#file), this.model.map(({text}) => `${text}\n`).join(''));
  }

  #change(by: string, all: readonly {readonly at: number; readonly count: number; readonly added: number}[]): void {
    for (const {at, count, added} of all) {
      const from = Math.floor((at / 100) * (this.model.length + 1));
      this.model = this.model.toSpliced(from, count, ...Array.from({length: added}, () => this.#line(by)));
    }
  }

  #keep(record: JournalRecord): void {
    this.#journal.push({at: (this.#time += 1000), record});
  }

  async #call(extent: 'named' | 'any', work: (name: string) => void): Promise<void> {
    const name = `call ${String((this.#names += 1))}`;
    const id = actionId(name);
    if (this.#prompt === undefined) {
      const prompt = messageId(`prompt ${name}`);
      this.#keep({kind: 'prompt', message: {role: 'user', id: prompt, blocks: [{kind: 'text', text: name}]}});
      this.#prompt = this.#recorder.forPrompt(prompt, record => this.#keep(record));
      this.#before.push({lines: this.model, file: this.#file});
      this.#undone = [];
    }
    const path = join(this.#here.work, this.#file);
    await this.#prompt.beforeChange(signal, extent === 'any' ? 'any' : [path], id);
    work(name);
    this.#prompt.afterCall(id);
    // The state is read before anybody goes on.
    await this.#prompt.beforeHook(signal, async () => []);
  }

  async #endPrompt(): Promise<void> {
    await this.#prompt?.afterRun();
    this.#prompt = undefined;
  }

  #forget(): void {
    [this.#before, this.#undone] = [[], []];
  }

  async #rewind(kind: 'undo' | 'redo'): Promise<void> {
    await this.#endPrompt();
    const to = (kind === 'undo' ? this.#before : this.#undone).pop();
    if (to === undefined) return;
    (kind === 'undo' ? this.#undone : this.#before).push({lines: this.model, file: this.#file});
    const done = await performRewind(
      kind === 'undo' ? {kind: 'last'} : {kind: 'redo'},
      {
        id: session,
        records: this.#journal.map(({record}) => record),
        checkpoints: this.#checkpoints,
        keep: record => this.#keep(record),
        others: () => [],
      },
      signal,
    );
    if (done.tag === 'failed') throw new Error(done.error.message);
    ({lines: this.model, file: this.#file} = to);
    if (!existsSync(join(this.#here.work, this.#file))) throw new Error('the file is not back');
  }
}

test('whoever changes a file, each line is that of its author', {tags: 'long'}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, {minLength: 1, maxLength: 14}), async steps => {
      using bench = new Bench();
      for (const each of steps) await bench.do(each);
      expect(await bench.authors()).toEqual(bench.model.map(({by}) => by));
    }),
    {numRuns: randomInputs(100)},
  );
});
