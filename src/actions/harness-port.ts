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
 * Harnesses: other vendors' command-line agents that do part of the work. Their output is untrusted: bounded, without control and
 * invisible characters, never to be obeyed. A harness signs in by itself. It never gets weft's keys, nor a flag or mode that skips its
 * approvals.
 */
export interface HarnessesPort {
  /** Returns the names that `start` takes, known ones first. Most are not installed. */
  names(): readonly string[];
  /** Returns the host and port of the server on which a harness works. Empty if the harness works on this machine. */
  hostOf(name: string): string;
  /** Looks for all harnesses on this machine. Starts a harness only to ask for its version, and uses no network. */
  find(signal: AbortSignal): Promise<readonly FoundHarness[]>;
  /**
   * Starts the program with its first prompt and settles when its conversation is open. A fault says what is missing (the program, a
   * newer version, a sign-in) and what to do. An abort of `signal`, even later, means `interrupt` and then `dispose`.
   */
  start(request: HarnessRequest, host: HarnessHost, signal: AbortSignal): Promise<Outcome<HarnessRun, Fault>>;
  /** Disposes of all running harnesses. */
  close(): Promise<void>;
}

export interface FoundHarness {
  readonly name: string;
  readonly state:
    | {readonly kind: 'installed'; readonly path: string; readonly version: string; readonly signIn: SignInState}
    /** Installed but not usable. `reason` is a sentence. */
    | {readonly kind: 'unusable'; readonly path: string; readonly reason: string}
    | {readonly kind: 'missing'};
  /** How to install the harness or how to sign in, as a sentence. Empty if there is nothing to do. */
  readonly advice: string;
  readonly abilities: {readonly resumes: 'yes' | 'no'};
}

/** `unknown`: only the harness's server knows. */
export type SignInState = 'signed-in' | 'signed-out' | 'unknown';

export interface HarnessRequest {
  /** The name of the harness, one of `names()`. */
  readonly harness: string;
  readonly prompt: string;
  readonly directory: string;
  /** The model's name in the harness's own spelling. Empty for the harness's default. */
  readonly model: string;
  /** `read-only`: the harness may change nothing, even if someone approves. */
  readonly access: 'with-approvals' | 'read-only';
  readonly resume: HarnessSessionId | 'new';
  /** `worktree`: `directory` is the harness's own worktree, and the harness may not work elsewhere. */
  readonly isolation: 'none' | 'worktree';
}

export interface HarnessHost {
  /** Called with every event in order. Must not throw. */
  readonly observe: (event: HarnessEvent) => void;
  /**
   * Decides whether the harness may do what it asks for. Called once for each request, also concurrently. `signal` aborts when the harness
   * withdraws the request or the run ends; the answer then does not matter. The answer is `denied` if no one can be asked.
   */
  readonly approve: (approval: HarnessApproval, signal: AbortSignal) => Promise<HarnessDecision>;
  readonly ask: (questions: readonly Question[], signal: AbortSignal) => Promise<QuestionReply>;
}

export type HarnessDecision =
  | {readonly kind: 'allowed'}
  /** The harness continues without the requested access and reads `message`. */
  | {readonly kind: 'denied'; readonly message: string}
  /** The user stops the harness. */
  | {readonly kind: 'cancelled'};

export interface HarnessApproval {
  /** The id of the call that the request is about: that of `tool-started`, if there was one. */
  readonly id: string;
  /** The harness's name for the tool. May be empty. */
  readonly toolName: string;
  readonly access: HarnessAccess;
  /** The harness's own input of the tool, as far as it shows it. */
  readonly input: JsonObject;
  /** The harness's reason. Empty if it gives none. */
  readonly reason: string;
}

/** The access that a harness asks for, in the terms of the catalog. Relative paths start at the directory of the run. */
export type HarnessAccess =
  /** `paths`: what the command reads, according to the harness. */
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly directory: string;
      readonly paths: readonly string[];
    }
  /** `edits` is empty if the harness only names the files. */
  | {readonly kind: 'edit'; readonly paths: readonly string[]; readonly edits: readonly FileEdit[]}
  | {readonly kind: 'read'; readonly paths: readonly string[]}
  | {readonly kind: 'search'; readonly text: string; readonly paths: readonly string[]}
  | {readonly kind: 'web-page'; readonly url: string}
  | {readonly kind: 'web-query'; readonly text: string}
  /**
   * A call from weft's own catalog by weft on another machine, which works in `directory` there. `preview` is the
   * preview for a person there. `obligations` are those that weft on that machine discharges when it runs the call.
   */
  | {
      readonly kind: 'own-call';
      readonly name: string;
      readonly input: JsonObject;
      readonly directory: string;
      readonly preview: Preview;
      readonly obligations: readonly Obligation['kind'][];
    }
  /** Any other request. `input` is the part of the request that the harness shows. */
  | {readonly kind: 'other'; readonly title: string; readonly input: JsonObject};

/**
 * An event of a harness. Texts are bounded. `working` and the `finished` that follows enclose one prompt: the first, or a follow-up.
 * `closed` is the last event, preceded by `finished` if a prompt was running.
 */
export type HarnessEvent =
  /** The first event, sent once. `model` and `version` are empty if the harness doesn't report them. */
  | {
      readonly event: 'started';
      readonly session: HarnessSessionId;
      readonly model: string;
      readonly version: string;
    }
  | {readonly event: 'working'}
  /** More text of a message. `message` counts the messages of this run from 1. */
  | {readonly event: 'text'; readonly message: number; readonly delta: string}
  | {readonly event: 'thinking'; readonly delta: string}
  /** `title` describes the action in one line: the command, the path. */
  | {
      readonly event: 'tool-started';
      readonly id: string;
      readonly name: string;
      readonly title: string;
      readonly input: JsonObject;
      readonly access: HarnessAccess;
    }
  | {readonly event: 'tool-output'; readonly id: string; readonly chunk: string}
  | {
      readonly event: 'tool-finished';
      readonly id: string;
      readonly end: 'succeeded' | 'failed' | 'cancelled';
      readonly output: string;
      readonly files: readonly HarnessFileChange[];
    }
  /** The harness's total usage so far. */
  | {readonly event: 'usage'; readonly used: HarnessUsage}
  | {readonly event: 'plan'; readonly steps: readonly {readonly title: string; readonly status: TodoStatus}[]}
  | {readonly event: 'warning'; readonly text: string}
  | {readonly event: 'finished'; readonly outcome: HarnessOutcome}
  /** The program and everything it started have ended. `reason` is a clause. */
  | {readonly event: 'closed'; readonly reason: string};

export interface HarnessRun {
  readonly session: HarnessSessionId;
  /**
   * Sends a message to the harness. `steered`: the harness reads the message with its next step. `queued`: it reads the
   * message as the next prompt, when the running one has finished. `begun`: it was idle and starts with the message. A
   * fault says why the harness can't be reached.
   */
  send(message: string): Promise<Outcome<'steered' | 'queued' | 'begun', Fault>>;
  /** Ends the running prompt and drops queued messages. The conversation stays open. Resolves after `finished`, in bounded time. */
  interrupt(): Promise<void>;
  /** Ends the program and everything it has started. Resolves after `closed`, in bounded time. */
  dispose(): Promise<void>;
}

export const noopHarnesses: HarnessesPort = {
  names: () => [],
  hostOf: () => '',
  find: async () => [],
  start: async ({harness}) => failed(rejected(`No harness named ${JSON.stringify(harness)} here.`)),
  close: async () => {},
};
