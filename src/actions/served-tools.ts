import type {JsonObject} from '../base/json.ts';
import type {ResultContent} from '../domain/conversation.ts';
import type {RiskLevel} from '../domain/risk.ts';
import {type ActionName, definitions} from './catalogue.ts';

/** One of weft's own tools, as another program is offered it. */
export interface ServedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations: ToolAnnotations;
}

/** MCP's hints about a tool. */
interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly openWorldHint: boolean;
}

/** The result of a program's tool call. `isError`: the call was not carried out. */
export interface ServedResult {
  readonly content: readonly ResultContent[];
  readonly isError: boolean;
  readonly structured?: JsonObject;
  /** The session that the call belongs to. Empty if there is none. */
  readonly session: string;
}

/** The program that made a tool call, as the call sees it. */
export interface ToolCaller {
  /** Fires when the program cancels the call or is gone. */
  readonly signal: AbortSignal;
  /** Reports progress, if the program wants reports. */
  readonly report: (text: string) => void;
  /** Asks the person in front of the program. `cannot-ask`: the program can't show a form. */
  readonly ask: ((form: AskForm) => Promise<FormReply>) | 'cannot-ask';
}

/** A form with fields of text. */
export interface AskForm {
  readonly message: string;
  readonly fields: Readonly<Record<string, AskField>>;
}

export interface AskField {
  readonly title: string;
  readonly need: 'required' | 'optional';
  /** The values to choose from, with their titles. Empty for any text. */
  readonly choices: readonly {readonly value: string; readonly title: string}[];
}

export type FormReply = Readonly<Record<string, string>> | 'declined';

/** The actions that make sense without a conversation, in the order of the offer. */
const servedActions: readonly ActionName[] = [
  'request-command-output',
  'write-to-long-running-shell-command',
  'read-shell-command-output',
  'read-files',
  'request-file-edits',
  'grep',
  'file-glob-v2',
  'search-codebase',
  'web-fetch',
  'web-search',
];

/** Returns the tools for other programs, without those that `isLeftOut` names. */
export const servedTools = ({
  isLeftOut,
  webSearch,
}: {
  readonly isLeftOut: (name: string) => boolean;
  readonly webSearch: 'offered' | 'none';
}): readonly ServedTool[] =>
  servedActions.flatMap(action => {
    const {tools, risk, offered} = definitions[action];
    if (offered === 'web-search' && webSearch === 'none') return [];
    return tools.flatMap(({name, description, jsonSchema, listing}) =>
      listing === 'unlisted' || isLeftOut(name)
        ? []
        : [{name, description, inputSchema: jsonSchema('left-out'), annotations: annotationsOf(risk)}],
    );
  });

/** A tool of unknown risk may do anything. */
const annotationsOf = (risk: RiskLevel): ToolAnnotations => ({
  readOnlyHint: risk === 'read-only',
  destructiveHint: risk !== 'read-only' && risk !== 'external',
  openWorldHint: risk === 'external' || risk === 'unknown',
});

/** Runs a whole prompt. */
export const runAgentTool: ServedTool = {
  name: 'run_agent',
  description:
    'Run a prompt with the weft coding agent: it reads, edits and runs commands in the folder until the task is done, ' +
    'and returns its answer with a session_id. Give the session_id to continue that conversation.',
  inputSchema: {
    type: 'object',
    properties: {
      prompt: {type: 'string', minLength: 1, description: 'The task or question'},
      cwd: {type: 'string', description: "Folder to work in, inside the server's workspace (default: its folder)"},
      model: {type: 'string', description: "Model to use (default: the user's)"},
      session_id: {type: 'string', description: 'Session to continue'},
    },
    required: ['prompt'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {answer: {type: 'string'}, session_id: {type: 'string'}},
    required: ['answer', 'session_id'],
  },
  annotations: annotationsOf('unknown'),
};
