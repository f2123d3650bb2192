import type {JsonObject} from '../base/json.ts';
import type {EditRequest} from './file-edit.ts';
import type {RiskLevel} from './risk.ts';

/** The resources that an action would touch. The judge, permission rules and session grants look at them. */
export type Access =
  /** The action needs no permission: it talks to the user, or reads weft's own data. */
  | {readonly kind: 'none'}
  | {readonly kind: 'read'; readonly paths: readonly string[]}
  /** Searches a folder. A pattern may lead out of the folder. A search by content has no patterns here. */
  | {readonly kind: 'search'; readonly path: string; readonly patterns: readonly string[]}
  | ({readonly kind: 'edit'} & EditRequest)
  | CommandAccess
  /** Types into the terminal of a running command. `program` is the name of the running program, or empty if weft doesn't know it. */
  | {
      readonly kind: 'terminal-input';
      readonly blockId: string;
      readonly program: string;
      readonly input: string;
      readonly mode: BlockInputMode;
    }
  /** `toolName` is the name that rules use. */
  | {
      readonly kind: 'mcp-tool';
      readonly server: string;
      readonly toolName: string;
      /** `changed`: the tool's description or schema has changed, so earlier permissions do not cover it. */
      readonly standing: 'as-known' | 'changed';
      readonly arguments: JsonObject;
    }
  | {readonly kind: 'mcp-resource'; readonly server: string; readonly toolName: string; readonly uri: string}
  /** Reads this address, in the form that `readWebUrl` returns. */
  | {readonly kind: 'web-page'; readonly url: string}
  /** Sends this text to a search engine. */
  | {readonly kind: 'web-query'; readonly text: string}
  /** Reads instructions that the user or the project has written for agents. */
  | {readonly kind: 'skill'; readonly name: string}
  /** Wants to carry out a plan. Only the user can allow this, whatever the mode and rules say. */
  | {readonly kind: 'plan'; readonly goal: string}
  /** Wants to use the screen, mouse and keyboard. Only the user can allow this, as with `plan`. */
  | {readonly kind: 'computer-request'; readonly task: string; readonly minutes: number}
  /** Uses the screen, mouse and keyboard after the user agreed. `typed` is the text to type, empty if there is none. */
  | {readonly kind: 'computer-steps'; readonly typed: string}
  /** Starts a sub-agent. `name` is its kind or its harness. */
  /** `task`: what a sub-agent of weft is to do. Empty for another program. */
  | {readonly kind: 'agent'; readonly name: string; readonly task: string};

export interface CommandAccess {
  readonly kind: 'command';
  readonly command: string;
  /** A command in a `block` outlives the action, so no user decides about its changes when it ends. */
  readonly place: 'foreground' | 'block';
  /** The model's own view: hints for the judge, which can only make it stricter. */
  readonly claims: CommandClaims;
}

export interface CommandClaims {
  readonly readOnly: Claim;
  readonly risky: Claim;
  readonly usesPager: Claim;
}

/** The claims for a command that no model described. */
export const unsaidClaims: CommandClaims = {readOnly: 'unsaid', risky: 'unsaid', usesPager: 'unsaid'};

/** `raw`: sent unchanged. `line`: followed by Enter. `block`: as one paste if the program understands pastes. */
export const blockInputModes = ['raw', 'line', 'block'] as const;
export type BlockInputMode = (typeof blockInputModes)[number];

export type Claim = 'yes' | 'no' | 'unsaid';

/**
 * The form of the brackets in permission rules for an action's tools. `command`: a pattern for commands. `reading`,
 * `searching` and `editing`: a pattern for paths. `domain`: `domain:` and a host. `named`: a name. `source`: a
 * domain or an MCP server. `whole-tool`: nothing that weft reads.
 */
export type RuleKind = 'command' | 'reading' | 'searching' | 'editing' | 'domain' | 'named' | 'source' | 'whole-tool';

/** The tools that rules may name, by tool name. */
export type RuleKinds = ReadonlyMap<string, RuleKind>;

/** The facts about an action that the judge and permission rules use. */
export interface JudgedAction {
  readonly access: Access;
  readonly tools: readonly string[];
  /** The worst that the action can do. */
  readonly risk: RiskLevel;
}

/** A case in which weft asks the user about an action, and denies it in an unattended run. */
export interface AskCase {
  readonly name: string;
  readonly risks: readonly RiskLevel[];
  /** The end of the sentence "It asks when …". */
  readonly askedWhen: string;
}

export const readingAsks: readonly AskCase[] = [
  {name: 'read-outside', risks: ['read-only'], askedWhen: 'it reads or searches outside the workspace'},
  {name: 'read-secret', risks: ['read-only'], askedWhen: "the file's name suggests that it holds secrets"},
];

/**
 * How much of a call a permission rule covers. `whole`: everything that it does. `part`: something in it, or an unknown amount.
 * Allowing a part doesn't allow the whole.
 */
export type RuleReach = 'whole' | 'part' | 'none';
