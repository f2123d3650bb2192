import type {AgentEvent} from '../../actions/agent-event.ts';
import type {JsonObject} from '../../base/json.ts';
import type {Outcome} from '../../base/outcome.ts';
import {knownCost} from '../../domain/usage.ts';
import {todosOf} from '../../tasks/task-view.ts';
import type {TuiOptions} from '../options.ts';
import {changedLines, contextPercent, shortModel} from '../state/selectors.ts';
import type {View} from '../state/view.ts';

interface StatusLineDeps {
  readonly options: Pick<TuiOptions, 'engine' | 'statusLine' | 'preferences' | 'version' | 'clock'>;
  readonly signal: AbortSignal;
  readonly view: () => View;
}

/** Runs the user's status line command. `undefined` if the setting `statusLine` is unset or there is no session yet. */
export async function runStatusLine({
  options,
  signal,
  view,
}: StatusLineDeps): Promise<Outcome<string, string> | undefined> {
  const {statusLine} = options.preferences;
  if (statusLine === 'none' || view().session.tag !== 'open') return undefined;
  const branch = await options.engine.query({query: 'branch'}, signal);
  const input = statusLineInput(view(), {
    version: options.version,
    runningMs: Math.round(options.clock.now()),
    branch: branch.tag === 'ok' ? branch.value : '',
  });
  return options.statusLine.print(statusLine, input, signal);
}

/** Returns the JSON for the status line command: Claude Code's fields, and weft's `permission_mode`, `git` and `todos`. */
function statusLineInput(
  view: View,
  {version, runningMs, branch}: {readonly version: string; readonly runningMs: number; readonly branch: string},
): JsonObject {
  const {session, model, effort, mode, usage} = view;
  const {id, directory} = session.tag === 'open' ? session.info : {id: '', directory: ''};
  const {added, removed} = changedLines(view);
  const {contextTokens, contextWindow} = usage;
  const used = contextWindow > 0 && contextTokens > 0 ? contextPercent(contextTokens, contextWindow) : 0;
  const models = Object.values(usage.models);
  return {
    hook_event_name: 'Status',
    session_id: id,
    // weft keeps sessions in a database, so no file has the conversation.
    transcript_path: '',
    cwd: directory,
    model: {id: model, display_name: shortModel(model)},
    workspace: {current_dir: directory, project_dir: directory, added_dirs: []},
    version,
    output_style: {name: 'default'},
    cost: {
      total_cost_usd: knownCost(models) ?? 0,
      total_duration_ms: runningMs,
      total_lines_added: added,
      total_lines_removed: removed,
    },
    context_window: {
      total_input_tokens: contextTokens,
      total_output_tokens: models.reduce((sum, one) => sum + one.usage.outputTokens, 0),
      context_window_size: contextWindow,
      used_percentage: used,
      remaining_percentage: 100 - used,
      // The parts of the last request are not known here. Scripts add them up.
      current_usage: {
        input_tokens: contextTokens,
        output_tokens: 0,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
    },
    exceeds_200k_tokens: contextTokens > 200_000,
    ...(effort === 'default' ? {} : {effort: {level: effort}}),
    permission_mode: mode,
    git: {branch},
    todos: todosOf(view.tasks).map(({title, status}) => ({content: title, status})),
  };
}

interface LiveDeps extends StatusLineDeps {
  readonly redraw: () => void;
  readonly warn: (text: string) => void;
}

/** The events after which the facts in the status line may differ. */
const changes: ReadonlySet<AgentEvent['event']> = new Set([
  'session-opened',
  'prompt-accepted',
  'action-settled',
  'todos-framed',
  'usage-changed',
  'model-changed',
  'mode-changed',
  'compacted',
  'rewound',
  'prompt-finished',
]);

/**
 * The status line of the user's own command. The command runs after changes, at most once a second and never twice at a time. After
 * three runs in a row that failed or were too slow, weft's own line is shown, and the command runs at most once a minute.
 */
export class CustomStatusLine {
  readonly #deps: LiveDeps;
  #output = '';
  #failures = 0;
  #wasTold = false;
  #state: 'idle' | 'waiting' | 'running' | 'running-again' = 'idle';
  #lastStart = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: LiveDeps) {
    this.#deps = deps;
    this.#request();
  }

  /** The command's output, empty if weft's own line is shown, and the columns before it. */
  get shown(): {readonly custom: string; readonly padding: number} {
    const {statusLine} = this.#deps.options.preferences;
    const padding = statusLine === 'none' ? 0 : (statusLine.padding ?? 0);
    return {custom: this.#failures < maxFailures ? this.#output : '', padding};
  }

  handleEvents(events: readonly AgentEvent[]): void {
    if (events.some(({event}) => changes.has(event))) this.#request();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #request(): void {
    if (this.#state === 'running') this.#state = 'running-again';
    if (this.#state !== 'idle') return;
    const interval = this.#failures < maxFailures ? intervalMs : intervalOfFailingMs;
    this.#state = 'waiting';
    const delay = Math.max(0, this.#lastStart + interval - this.#deps.options.clock.now());
    this.#timer = setTimeout(() => void this.#run(), delay);
  }

  async #run(): Promise<void> {
    this.#state = 'running';
    this.#lastStart = this.#deps.options.clock.now();
    const printed = await runStatusLine(this.#deps);
    if (this.#deps.signal.aborted) return;
    const isDue = this.#isRequestedAgain || (printed?.tag === 'failed' && this.#failures + 1 < maxFailures);
    this.#state = 'idle';
    if (printed?.tag === 'ok') {
      this.#failures = 0;
      this.#output = printed.value;
    } else if (printed?.tag === 'failed' && ++this.#failures === maxFailures && !this.#wasTold) {
      this.#wasTold = true;
      this.#deps.warn(`Your status line command ${printed.error}. /statusline runs it again.`);
    }
    this.#deps.redraw();
    if (isDue) this.#request();
  }

  get #isRequestedAgain(): boolean {
    return this.#state === 'running-again';
  }
}

const maxFailures = 3;
const intervalMs = 1000;
const intervalOfFailingMs = 60_000;
