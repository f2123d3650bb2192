import type {HarnessApproval, HarnessDecision, HarnessEvent, HarnessRequest} from '../../actions/harness-port.ts';
import type {Json, JsonObject} from '../../base/json.ts';
import type {Outcome} from '../../base/outcome.ts';
import type {Question, QuestionReply} from '../../actions/ports.ts';
import type {HarnessSessionId, HarnessUsage} from '../../domain/harness.ts';
import type {Usage} from '../../domain/usage.ts';

/**
 * One protocol that harnesses speak, over stdin and stdout, a JSON object a line. A driver translates; what has to hold for all of them
 * (order, bounds, who answers what, how a run ends) is in `harness-run.ts`.
 */
export interface Driver {
  /** What the program is started with, behind what the user or the table of harnesses says. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  converse(reporter: Reporter): Conversation;
}

export interface DriverRequest extends Omit<HarnessRequest, 'harness' | 'prompt' | 'isolation'> {
  readonly title: string;
  readonly newId: () => string;
  /** US dollars; `undefined` if the price of the model is not known. */
  readonly priceOf: (model: string, usage: Usage) => number | undefined;
}

/** weft's side of the protocol. Messages of the harness come in order, one at a time. */
export interface Conversation {
  /** Opens the conversation, before any prompt. The error is a clause. */
  open(): Promise<Outcome<OpenedConversation, string>>;
  /** A line of the harness's that is a JSON object; others are not for a driver. Whatever does not fit is left out. */
  take(message: JsonObject): void;
  /** Begins a prompt. Called only while none runs. */
  prompt(text: string): void;
  /** Hands a message to the running prompt; `refused` if the harness does not take one now. */
  steer(text: string): Promise<'taken' | 'refused'>;
  /** Asks the harness to stop the running prompt; `finished` of the reporter follows. */
  interrupt(): void;
}

export interface OpenedConversation {
  readonly session: HarnessSessionId;
  readonly model: string;
  readonly version: string;
}

type ToolStart = Omit<Extract<HarnessEvent, {event: 'tool-started'}>, 'event'>;
type ToolEnd = Omit<Extract<HarnessEvent, {event: 'tool-finished'}>, 'event'>;
type Plan = Extract<HarnessEvent, {event: 'plan'}>['steps'];

/** How a driver tells of the run. Texts may be as the harness wrote them: they are bounded and cleaned here. */
export interface Reporter {
  readonly write: (message: object) => void;
  /** The harness began to work by itself, on a message that it was handed before. */
  readonly began: () => void;
  readonly text: (delta: string) => void;
  readonly endMessage: () => void;
  readonly thinking: (delta: string) => void;
  readonly toolStarted: (tool: Omit<ToolStart, 'input'> & {readonly input: Json | undefined}) => void;
  readonly toolOutput: (id: string, chunk: string) => void;
  /** Of a tool that was not started nothing is told. */
  readonly toolFinished: (tool: ToolEnd) => void;
  readonly used: (used: HarnessUsage) => void;
  readonly plan: (steps: Plan) => void;
  readonly warn: (text: string) => void;
  /** `answer` calls back exactly once, unless what `approve` returns is called first: the harness withdraws its request. */
  readonly approve: (approval: HarnessApproval, answer: (decision: HarnessDecision) => void) => () => void;
  readonly ask: (questions: readonly Question[], answer: (reply: QuestionReply) => void) => () => void;
  readonly finished: (end: PromptEnd) => void;
}

/** How a prompt ended. `ended`: well, and the text of its last message is the answer. */
export type PromptEnd =
  | {readonly kind: 'succeeded'; readonly text: string}
  | {readonly kind: 'ended'}
  | {readonly kind: 'failed'; readonly reason: string}
  | {readonly kind: 'cancelled'};
