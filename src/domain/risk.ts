/** What an action can do to the world, mildest first; `unknown` is treated as the worst that can be asked for. */
export const riskLevels = ['read-only', 'local-change', 'external', 'destructive', 'unknown'] as const;
export type RiskLevel = (typeof riskLevels)[number];

/** The host's judgement of one action: what happens next, how risky it is, and why in words a user reads. */
export interface Verdict {
  readonly decision: 'allow' | 'ask' | 'deny';
  readonly risk: RiskLevel;
  readonly reasons: readonly string[];
  /**
   * How far an approval "for this session" may reach: `kind`, all ordinary edits inside the workspace, or all further input to the
   * same interpreter; `exact`, this very action and no other. `kind` is said only where no ask rule speaks of the action.
   */
  readonly grantable: 'kind' | 'exact';
  readonly detail: VerdictDetail;
}

/** What the host found beyond its verdict: of a command, and of the paths an action names; `noDetail` where that is nothing. */
export interface VerdictDetail {
  /** The stretches that the reasons speak of, in order, apart from each other. */
  readonly marks: readonly TextRange[];
  /** The stretches that must have been on the screen before a yes, the worst first; they may overlap. */
  readonly grave: readonly TextRange[];
  /** Rules an approval could store so that the like is not asked again, narrowest first; empty where none would help. */
  readonly rules: readonly string[];
  /** The simple commands that destroy; what they would hit is looked for before the user is asked. */
  readonly destroys: readonly SimpleCommand[];
  /** What the user types to accept a destructive command; empty where a key will do. */
  readonly confirmWord: string;
  /** Parts that page or take over the terminal where they can, such as `git log` or `man ls`. */
  readonly pagers: readonly string[];
  /** Where the paths that the action names lead. The verdict speaks of these places, so the action may touch no others. */
  readonly places: readonly JudgedPlace[];
  readonly environment: CommandEnvironment;
}

/**
 * What a command runs with: the user's `own` environment; `guarded`, where nobody has said yes to it, that environment without the
 * workspace's folders in PATH and with git's hooks and file monitors switched off.
 */
export type CommandEnvironment = 'own' | 'guarded';

export const noDetail: VerdictDetail = {
  marks: [],
  grave: [],
  rules: [],
  destroys: [],
  confirmWord: '',
  pagers: [],
  places: [],
  environment: 'own',
};

/** A path as the action has it, and where it led when it was judged, links followed. */
export interface JudgedPlace {
  readonly written: string;
  readonly path: string;
  readonly place: 'inside-workspace' | 'outside-workspace';
}

/** Half open, in UTF-16 units of the command. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** One command without any shell syntax left, and the directory it would run in. */
export interface SimpleCommand {
  readonly argv: readonly [string, ...string[]];
  readonly directory: string;
  /** Files it would be made to write to by redirections, as written. */
  readonly overwrites: readonly string[];
  /** What those files would then hold, where the command itself says it: `echo text`, `cat <<EOF`. */
  readonly content: WrittenContent;
}

export type WrittenContent = {readonly kind: 'unknown'} | {readonly kind: 'text'; readonly text: string};

export const unknownContent: WrittenContent = {kind: 'unknown'};

/** What the files on the disk say of a command that puts files in place, before it runs. */
export interface FileEffect {
  /** `something`: content that exists now would be gone; `unknown`: that cannot be told. */
  readonly loses: 'nothing' | 'something' | 'unknown';
  /** Absolute paths that it would create or replace. */
  readonly touches: readonly string[];
  /** Those of them to which it moves what lies elsewhere now. */
  readonly moves: readonly string[];
}

export const unknownEffect: FileEffect = {loses: 'unknown', touches: [], moves: []};

/** How much may happen without asking; names and meaning as in the Agent SDK. */
export const permissionModes = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const;
export type PermissionMode = (typeof permissionModes)[number];

/** The lists of permission rules; the strongest comes last. */
export const ruleLists = ['allow', 'ask', 'deny'] as const;
export type RuleList = (typeof ruleLists)[number];

/** A change of the permission rules. `remove` and `replace` are about the rules that were added while weft runs, and no others. */
export type RuleChange =
  | {readonly change: 'add'; readonly list: RuleList; readonly rule: string; readonly lasting: RuleReach}
  | {readonly change: 'remove'; readonly list: RuleList; readonly rule: string}
  | {readonly change: 'replace'; readonly list: RuleList; readonly rules: readonly string[]};

/**
 * How far a rule reaches: this run of weft; or for good, all projects of the user, this project for all who work in it, or `local`:
 * this project for this user.
 */
export type RuleReach = 'session' | 'user' | 'project' | 'local';
