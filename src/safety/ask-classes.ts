import {actionNames, definitions, type ActionName} from '../actions/catalogue.ts';
import type {RiskLevel} from '../domain/risk.ts';
import {toolNamesOf} from './rules.ts';

/** A kind of action about which a person may be asked, and so is denied where nobody is there. */
export interface AskClass {
  readonly name: string;
  /** The names by which rules speak of it. */
  readonly tools: readonly string[];
  readonly risks: readonly RiskLevel[];
  readonly askedWhen: string;
}

/** Every class of the actions that are built, in catalogue order. */
export const askClasses = (): readonly AskClass[] =>
  actionNames.flatMap(action =>
    definitions[action].build.state === 'built'
      ? asked[action].map(each => ({...each, tools: toolNamesOf(action)}))
      : [],
  );

type Asked = readonly Omit<AskClass, 'tools'>[];

const notYet: Asked = [{name: 'other', risks: ['unknown'], askedWhen: 'always: weft does not judge it by itself yet'}];

const outside: Asked = [
  {name: 'read-outside', risks: ['read-only'], askedWhen: 'it reads or searches outside the workspace'},
  {name: 'read-secret', risks: ['read-only'], askedWhen: 'by its name it may hold secrets'},
];

const asked: Readonly<Record<ActionName, Asked>> = {
  'request-command-output': [
    {
      name: 'command',
      risks: ['read-only', 'local-change', 'external', 'destructive', 'unknown'],
      askedWhen: 'any part of it is not certainly read-only inside the workspace, or the model calls it risky',
    },
    {
      name: 'command-rule',
      risks: ['read-only', 'local-change', 'external', 'destructive', 'unknown'],
      askedWhen: 'a rule says to ask',
    },
  ],
  'write-to-long-running-shell-command': [
    {name: 'command-input', risks: ['unknown'], askedWhen: 'always: it types into a running program'},
  ],
  'read-shell-command-output': [],
  'transfer-shell-command-control-to-user': [],
  'read-files': outside,
  'request-file-edits': [
    {name: 'edit', risks: ['local-change'], askedWhen: 'the mode is default'},
    {
      name: 'edit-outside',
      risks: ['local-change'],
      askedWhen: 'it changes files outside the workspace, in every mode that asks',
    },
    {
      name: 'edit-secret',
      risks: ['local-change'],
      askedWhen: 'it puts a secret into a file that is not made for secrets, in every mode that asks',
    },
    {
      name: 'edit-protected',
      risks: ['local-change'],
      askedWhen: 'it changes what can run or grant rights (.git, .weft, start-up files, keys), in every mode',
    },
  ],
  grep: outside,
  'file-glob': [],
  'file-glob-v2': outside,
  'update-todos': [],
  'ask-user-question': [],
  'upload-artifact': notYet,
  'search-codebase': notYet,
  'read-mcp-resource': [
    {name: 'mcp-resource', risks: ['external'], askedWhen: 'no rule allows it: a server reads something for the model'},
  ],
  'call-mcp-tool': [
    {name: 'mcp-tool', risks: ['external'], askedWhen: 'no rule allows it, whatever the server claims of its tool'},
  ],
  'read-documents': notYet,
  'edit-documents': notYet,
  'create-documents': notYet,
  'start-agent': notYet,
  'send-message-to-agent': notYet,
  'suggest-new-conversation': notYet,
  'suggest-prompt': notYet,
  'init-project': notYet,
  'open-code-review': notYet,
  'insert-code-review-comments': notYet,
  'fetch-conversation': notYet,
  'read-skill': notYet,
  'use-computer': notYet,
  'request-computer-use': notYet,
  'web-fetch': notYet,
  'web-search': notYet,
  'give-structured-answer': [],
};
