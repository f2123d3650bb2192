import type {AgentEvent} from '../../actions/agent-event.ts';
import type {Engine} from '../../agent/engine.ts';
import type {JsonObject} from '../../base/json.ts';
import {messageId} from '../../domain/ids.ts';
import type {RewindPoint, RewindReport} from '../../domain/rewind.ts';

/**
 * Takes the files back to before a prompt, or says what that would do; what was said stays. The engine answers in events that
 * name nobody, so one at a time is under way.
 */
export class FileRewinder {
  readonly #engine: Pick<Engine, 'submit'>;
  #listen: ((event: AgentEvent) => void) | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(engine: Pick<Engine, 'submit'>) {
    this.#engine = engine;
  }

  take(event: AgentEvent): void {
    this.#listen?.(event);
  }

  /** An interrupt ends what is under way without a word of the engine. */
  interrupted(): void {
    this.#listen?.({event: 'notice', level: 'warning', text: 'It was interrupted.'});
  }

  /** What the Agent SDK's `rewindFiles` resolves with. */
  rewind(request: {readonly prompt: string; readonly manner: 'preview' | 'carry-out'}): Promise<JsonObject> {
    const result = this.#last.then(() => this.#run(request));
    this.#last = result.catch(() => {});
    return result;
  }

  async #run({
    prompt,
    manner,
  }: {
    readonly prompt: string;
    readonly manner: 'preview' | 'carry-out';
  }): Promise<JsonObject> {
    const to = messageId(prompt);
    const points = await this.#ask({op: 'list-rewind-points'}, event =>
      event.event === 'rewind-points' ? event.points : undefined,
    );
    const at = points.findIndex(point => point.to === to);
    if (at < 0) return {canRewind: false, error: 'No file checkpoint found for this message.'};
    if (!changedSince(points, at)) return {canRewind: true, filesChanged: [], insertions: 0, deletions: 0};
    const target = {kind: 'prompt', to, what: 'files'} as const;
    const report = await this.#ask({op: manner === 'preview' ? 'preview-rewind' : 'rewind', target}, reportOf);
    return 'error' in report ? {canRewind: false, error: report.error} : told(report);
  }

  #ask<T>(op: Parameters<Engine['submit']>[0], read: (event: AgentEvent) => T | undefined): Promise<T> {
    return new Promise(resolve => {
      this.#listen = event => {
        const found = read(event);
        if (found === undefined) return;
        this.#listen = undefined;
        resolve(found);
      };
      this.#engine.submit(op);
    });
  }
}

const changedSince = (points: readonly RewindPoint[], at: number): boolean =>
  points.slice(at).some(({files}) => files === 'changed');

const reportOf = (event: AgentEvent): RewindReport | {readonly error: string} | undefined => {
  if (event.event === 'rewind-previewed' || event.event === 'rewound') return event.report;
  return event.event === 'notice' && event.level === 'warning' ? {error: event.text} : undefined;
};

const told = ({files}: RewindReport): JsonObject => ({
  canRewind: true,
  filesChanged: files.files.map(({path}) => path),
  ...(files.conflicts.length === 0
    ? {}
    : {error: `left as they are: ${files.conflicts.map(({path, reason}) => `${path} (${reason})`).join('; ')}`}),
});
