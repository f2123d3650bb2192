import type {HarnessApproval, HarnessDecision, HarnessEvent, HarnessRequest} from '../../actions/harness-port.ts';
import type {Json, JsonObject} from '../../base/json.ts';
import type {Outcome} from '../../base/outcome.ts';
import type {Question, QuestionReply} from '../../actions/ports.ts';
import type {HarnessSessionId, HarnessUsage} from '../../domain/harness.ts';
import type {Usage} from '../../domain/usage.ts';

/**
 * A protocol that harnesses speak over stdin and stdout, with one JSON object per line. A driver only translates.
 * `harness-run.ts` holds the rules for all of them: order, bounds, who answers what, and how a run ends.
 */
export interface Driver {
  /** The program's arguments, after those from the user or the table of harnesses. */
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

/** weft's side of the protocol. The harness's messages arrive in order, one at a time. */
export interface Conversation {
  /** Opens the conversation, before any prompt. The error is a clause. */
  open(): Promise<Outcome<OpenedConversation, string>>;
  /** Handles one JSON object from the harness. Other lines never reach a driver. Invalid fields are ignored. */
  take(message: JsonObject): void;
  /** Starts a prompt. Called only if none is running. */
  prompt(text: string): void;
  /** Sends a message to the running prompt. Resolves with `refused` if the harness can't take one now. */
  steer(text: string): Promise<'taken' | 'refused'>;
  /** Asks the harness to stop the running prompt. The reporter's `finished` follows. */
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

/** Receives a driver's reports about the run. Texts may be exactly as the harness wrote them: the reporter bounds and cleans them. */
export interface Reporter {
  readonly write: (message: object) => void;
  /** The harness started work by itself, on a message that it received earlier. */
  readonly began: () => void;
  readonly text: (delta: string) => void;
  readonly endMessage: () => void;
  readonly thinking: (delta: string) => void;
  readonly toolStarted: (tool: Omit<ToolStart, 'input'> & {readonly input: Json | undefined}) => void;
  readonly toolOutput: (id: string, chunk: string) => void;
  /** Ignored for a tool that never started. */
  readonly toolFinished: (tool: ToolEnd) => void;
  readonly used: (used: HarnessUsage) => void;
  readonly plan: (steps: Plan) => void;
  readonly warn: (text: string) => void;
  /**
   * Asks for approval and calls `answer` exactly once. The returned function withdraws the request: if it is called
   * first, `answer` is never called.
   */
  readonly approve: (approval: HarnessApproval, answer: (decision: HarnessDecision) => void) => () => void;
  readonly ask: (questions: readonly Question[], answer: (reply: QuestionReply) => void) => () => void;
  readonly finished: (end: PromptEnd) => void;
}

/** How a prompt ended. `ended`: successfully, and the text of its last message is the answer. */
export type PromptEnd =
  | {readonly kind: 'succeeded'; readonly text: string}
  | {readonly kind: 'ended'}
  | {readonly kind: 'failed'; readonly reason: string}
  | {readonly kind: 'cancelled'};
