import type {JsonObject} from '../base/json.ts';
import {failed, type Outcome} from '../base/outcome.ts';
import {rejected, type Fault} from '../domain/fault.ts';
import type {HarnessFileChange, HarnessOutcome, HarnessSessionId, HarnessUsage} from '../domain/harness.ts';
import type {Obligation} from '../domain/obligation.ts';
import type {TodoStatus} from '../domain/todo.ts';
import type {FileEdit} from '../domain/file-edit.ts';
import type {Preview} from './preview.ts';
import type {Question, QuestionReply} from './ports.ts';

/**
 * Harnesses: agents in command-line programs of others, which do a part of the work. What one says is data of strangers: bounded, without
 * control characters and invisible ones, never to be obeyed. A harness signs in by itself: it is given none of weft's keys, and never a
 * flag or mode that skips its approvals.
 */
export interface HarnessesPort {
  /** The names that `start` takes, known ones first; most are not installed. */
  names(): readonly string[];
  /** Looks for all of them on this machine. Starts them only to ask for a version, and uses no network. */
  find(signal: AbortSignal): Promise<readonly FoundHarness[]>;
  /**
   * Starts the program with its first prompt and settles when its conversation is open. A fault says what is missing (the program, a
   * newer version, a sign-in) and what to do. An abort of `signal`, also later, is `interrupt` and then `dispose`.
   */
  start(request: HarnessRequest, host: HarnessHost, signal: AbortSignal): Promise<Outcome<HarnessRun, Fault>>;
  /** Disposes of all that run. */
  close(): Promise<void>;
}

export interface FoundHarness {
  readonly name: string;
  readonly state:
    | {readonly kind: 'installed'; readonly path: string; readonly version: string; readonly signIn: SignInState}
    /** There, and not to be used; `reason` is a sentence. */
    | {readonly kind: 'unusable'; readonly path: string; readonly reason: string}
    | {readonly kind: 'missing'};
  /** How to install it, or how to sign in: a sentence; empty where nothing is to be done. */
  readonly advice: string;
  /** `read-only`: it asks nobody before it acts, so it gets tools that only read. */
  readonly abilities: {readonly acts: 'with-approvals' | 'read-only'; readonly resumes: 'yes' | 'no'};
}

/** `unknown`: it cannot be told without asking the harness's server. */
export type SignInState = 'signed-in' | 'signed-out' | 'unknown';

export interface HarnessRequest {
  /** One of `names()`. */
  readonly harness: string;
  readonly prompt: string;
  readonly directory: string;
  /** As the harness names it; empty for its own choice. */
  readonly model: string;
  /** `read-only`: it may change nothing, whoever approves. */
  readonly access: 'with-approvals' | 'read-only';
  readonly resume: HarnessSessionId | 'new';
  /** `worktree`: `directory` is one of its own, and nowhere else may it work. */
  readonly isolation: 'none' | 'worktree';
}

export interface HarnessHost {
  /** Hears everything in order. Must not throw. */
  readonly observe: (event: HarnessEvent) => void;
  /**
   * Whether the harness may do what it asks for. Called once for each request, several at once too; `signal` aborts when the harness
   * withdraws it or the run ends, and then the answer does not matter. Where nobody can be asked the answer is `denied`.
   */
  readonly approve: (approval: HarnessApproval, signal: AbortSignal) => Promise<HarnessDecision>;
  readonly ask: (questions: readonly Question[], signal: AbortSignal) => Promise<QuestionReply>;
}

export type HarnessDecision =
  | {readonly kind: 'allowed'}
  /** The harness goes on without; it reads `message`. */
  | {readonly kind: 'denied'; readonly message: string}
  /** The user stops the harness. */
  | {readonly kind: 'cancelled'};

export interface HarnessApproval {
  /** Of the call that it is about: that of `tool-started`, where there was one. */
  readonly id: string;
  /** As the harness calls it; may be empty. */
  readonly toolName: string;
  readonly access: HarnessAccess;
  /** Why, in the harness's words; empty where it says nothing. */
  readonly reason: string;
}

/** What a harness would touch, in the terms of the catalogue. Relative paths start at the directory of the run. */
export type HarnessAccess =
  /** `paths`: what the harness says that the command reads. */
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly directory: string;
      readonly paths: readonly string[];
    }
  /** `edits` is empty where the harness only says which files. */
  | {readonly kind: 'edit'; readonly paths: readonly string[]; readonly edits: readonly FileEdit[]}
  | {readonly kind: 'read'; readonly paths: readonly string[]}
  | {readonly kind: 'search'; readonly text: string; readonly paths: readonly string[]}
  | {readonly kind: 'web-page'; readonly url: string}
  | {readonly kind: 'web-query'; readonly text: string}
  /**
   * A call of weft's own catalogue by weft on another machine, which works in `directory` there; `preview` is what a person would be shown
   * there, and `obligations` what that weft discharges when it runs the call.
   */
  | {
      readonly kind: 'own-call';
      readonly name: string;
      readonly input: JsonObject;
      readonly directory: string;
      readonly preview: Preview;
      readonly obligations: readonly Obligation['kind'][];
    }
  /** Something weft has no word for; `input` is what the harness shows of it. */
  | {readonly kind: 'other'; readonly title: string; readonly input: JsonObject};

/**
 * What a harness does. Texts are bounded. Between `working` and the one `finished` that follows lies one prompt: the first, or a follow-up.
 * `closed` is the last event; before it comes `finished`, where a prompt was running.
 */
export type HarnessEvent =
  /** Once, first. `model` and `version` are empty where it does not say. */
  | {
      readonly event: 'started';
      readonly session: HarnessSessionId;
      readonly model: string;
      readonly version: string;
    }
  | {readonly event: 'working'}
  /** More of a message; `message` counts the messages of this run from 1. */
  | {readonly event: 'text'; readonly message: number; readonly delta: string}
  | {readonly event: 'thinking'; readonly delta: string}
  /** `title` says what is done in a line: the command, the path. */
  | {
      readonly event: 'tool-started';
      readonly id: string;
      readonly name: string;
      readonly title: string;
      readonly input: JsonObject;
    }
  | {readonly event: 'tool-output'; readonly id: string; readonly chunk: string}
  | {
      readonly event: 'tool-finished';
      readonly id: string;
      readonly end: 'succeeded' | 'failed' | 'cancelled';
      readonly output: string;
      readonly files: readonly HarnessFileChange[];
    }
  /** What it has used by now, in whole. */
  | {readonly event: 'usage'; readonly used: HarnessUsage}
  | {readonly event: 'plan'; readonly steps: readonly {readonly title: string; readonly status: TodoStatus}[]}
  | {readonly event: 'warning'; readonly text: string}
  | {readonly event: 'finished'; readonly outcome: HarnessOutcome}
  /** The program has ended, with all that it had started. `reason` is a clause. */
  | {readonly event: 'closed'; readonly reason: string};

export interface HarnessRun {
  readonly session: HarnessSessionId;
  /**
   * `steered`: it reads the message with its next step. `queued`: it reads it when the running prompt has finished, as the next one.
   * `begun`: it was idle and begins with it. A fault says why it cannot be reached.
   */
  send(message: string): Promise<Outcome<'steered' | 'queued' | 'begun', Fault>>;
  /** Ends the running prompt, and drops what is queued; the conversation stays open. Resolves after `finished`, in bounded time. */
  interrupt(): Promise<void>;
  /** Ends the program and everything it has started. Resolves after `closed`, in bounded time. */
  dispose(): Promise<void>;
}

export const noHarnesses: HarnessesPort = {
  names: () => [],
  find: async () => [],
  start: async ({harness}) => failed(rejected(`There is no harness ${JSON.stringify(harness)} here.`)),
  close: async () => {},
};
