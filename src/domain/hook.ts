import type {Rights} from './sandbox.ts';

/** The program or URL that a configured hook runs. */
export type HookWork =
  | {
      readonly type: 'command';
      readonly command: string;
      /** The program's arguments, if it runs without a shell. */
      readonly args: readonly string[] | 'shell';
      readonly environment: Readonly<Record<string, string>>;
      readonly rights: Rights;
    }
  | {
      readonly type: 'http';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** The environment variables that headers may refer to. */
      readonly variables: readonly string[];
    };

/** How a hook's program ended or its server responded, before weft reads the answer. */
export type HookEnd =
  | {readonly kind: 'exited'; readonly code: number}
  | {readonly kind: 'responded'; readonly status: number}
  | {readonly kind: 'not-started'; readonly why: string}
  | {readonly kind: 'signalled'; readonly signal: string}
  | {readonly kind: 'too-long'}
  /** The hook's first output line was `{"async": true}`, so weft doesn't wait for it. */
  | {readonly kind: 'goes-on'}
  | {readonly kind: 'aborted'};

export interface HookOutput {
  readonly end: HookEnd;
  readonly stdout: string;
  readonly stderr: string;
}

export type HookCommand = Extract<HookWork, {readonly type: 'command'}>;
export type HookPost = Extract<HookWork, {readonly type: 'http'}>;

/** The maximum number of bytes that a hook may write to stdout, and to stderr. */
export const maxHookOutput = 1024 * 1024;

export type HookRunEvent =
  | {readonly event: 'hook-started'; readonly hook: HookRunId}
  | {readonly event: 'hook-ended'; readonly hook: HookRunId; readonly run: HookRunReport};

export interface HookRunId {
  readonly id: string;
  /** The event, with the tool if there is one: `PreToolUse:Bash`, `Stop`. */
  readonly name: string;
  readonly event: string;
}

export interface HookRunReport {
  /** `cancelled`: interrupted, or out of time. */
  readonly outcome: 'success' | 'error' | 'cancelled';
  /** `unknown` if no process ended. */
  readonly exitCode: number | 'unknown';
  readonly stdout: string;
  readonly stderr: string;
  /** The hook's objection in words. Empty if it had none. */
  readonly verdict: string;
}
