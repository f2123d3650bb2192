import type {JsonObject} from '../base/json.ts';
import type {RiskLevel} from '../domain/risk.ts';
import type {EditRequest} from './files-port.ts';
import type {McpTool} from './mcp-port.ts';
import type {BlockInputMode} from './ports.ts';

/** What an action would touch. The judge, permission rules and session grants look at this and at nothing else of an action. */
export type Access =
  /** Nothing that needs a permission: it talks to the user, or reads what weft itself holds. */
  | {readonly kind: 'none'}
  | {readonly kind: 'read'; readonly paths: readonly string[]}
  /** Searches a folder; a pattern may lead out of it. A search by content has no patterns here. */
  | {readonly kind: 'search'; readonly path: string; readonly patterns: readonly string[]}
  | ({readonly kind: 'edit'} & EditRequest)
  | CommandAccess
  /** Types into the terminal of a running command; `program` is its name, empty where it is not known. */
  | {
      readonly kind: 'terminal-input';
      readonly blockId: string;
      readonly program: string;
      readonly input: string;
      readonly mode: BlockInputMode;
    }
  /** `toolName` is the name that rules speak of. */
  | {
      readonly kind: 'mcp-tool';
      readonly server: string;
      readonly toolName: string;
      readonly standing: McpTool['standing'];
      readonly arguments: JsonObject;
    }
  | {readonly kind: 'mcp-resource'; readonly server: string; readonly toolName: string; readonly uri: string}
  /** Reads this address, as `readWebUrl` writes it. */
  | {readonly kind: 'web-page'; readonly url: string}
  /** Sends this text to a search engine. */
  | {readonly kind: 'web-query'; readonly text: string}
  /** Reads instructions that the user or the project has written for agents. */
  | {readonly kind: 'skill'; readonly name: string}
  /** Wants to carry out a plan: that is the user's to allow, whatever mode and rules say. */
  | {readonly kind: 'plan'; readonly goal: string}
  /** Wants to use the screen, the mouse and the keyboard: as `plan`. */
  | {readonly kind: 'computer-request'; readonly task: string; readonly minutes: number}
  /** Uses them after the user's yes; `typed` is the text that it types, empty for none. */
  | {readonly kind: 'computer-steps'; readonly typed: string}
  /** Starts a sub-agent: the name of its kind, or of its harness. */
  | {readonly kind: 'agent'; readonly name: string};

export interface CommandAccess {
  readonly kind: 'command';
  readonly command: string;
  /** A command in a `block` outlives the action, so nobody decides about its changes when it ends. */
  readonly place: 'foreground' | 'block';
  /** The model's own view: hints for the judge, which can only make it stricter. */
  readonly claims: CommandClaims;
}

export interface CommandClaims {
  readonly readOnly: Claim;
  readonly risky: Claim;
  readonly usesPager: Claim;
}

/** Of a command of which no model has said anything. */
export const unsaidClaims: CommandClaims = {readOnly: 'unsaid', risky: 'unsaid', usesPager: 'unsaid'};

/** What the model said of a flag; `unsaid` is not a `no`. */
export type Claim = 'yes' | 'no' | 'unsaid';

/**
 * How permission rules speak of an action's tools. It decides what stands in a rule's brackets: a pattern for commands, a pattern
 * for paths (reading, searching and editing), `domain:` and a host (`domain`), a name (`named`), or nothing that weft reads
 * (`whole-tool`).
 */
export type RuleKind = 'command' | 'reading' | 'searching' | 'editing' | 'domain' | 'named' | 'whole-tool';

/** A case in which a person is asked about an action, and in which it is denied where nobody can be asked. */
export interface AskCase {
  readonly name: string;
  readonly risks: readonly RiskLevel[];
  /** The end of the sentence "It asks when …". */
  readonly askedWhen: string;
}

/** Reading and searching ask in these cases. */
export const readingAsks: readonly AskCase[] = [
  {name: 'read-outside', risks: ['read-only'], askedWhen: 'it reads or searches outside the workspace'},
  {name: 'read-secret', risks: ['read-only'], askedWhen: 'by its name it may hold secrets'},
];
