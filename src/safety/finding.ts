import {definitions, type Action} from '../actions/catalogue.ts';
import {unreachable} from '../base/unreachable.ts';
import {noDetail} from '../domain/risk.ts';
import {actionPaths} from './action-paths.ts';
import {commandFinding} from './command-finding.ts';
import type {Finding} from './host-finding.ts';
import type {CommandForms} from './command-forms.ts';
import {givenReasons} from './given-secrets.ts';
import {globStarts} from './glob-starts.ts';
import {belowRoots, realParts, writtenParts, type Ground} from './ground.ts';
import {ownPlaceOf} from './own-places.ts';
import {protectedPart} from './protected-paths.ts';
import type {ParsedCommand} from './read-command.ts';
import {looksSecret} from './secret-paths.ts';

/** What an action is judged by besides itself. */
export interface Evidence {
  readonly ground: Ground;
  /** Where a command would start. */
  readonly directory: string;
  /** The forms of the command that is judged, read once. */
  readonly forms: (command: string) => CommandForms;
  /** The parts of the command that is judged, read once. */
  readonly parsed: (command: string) => ParsedCommand;
}

/** A first judgement: reading inside the workspace and talking to the user are allowed, everything else is asked. */
export function findingOf(action: Action, {ground, forms, parsed}: Evidence): Finding {
  switch (action.name) {
    case 'read-files':
    case 'grep':
      return reading(actionPaths(action), ground);
    case 'file-glob':
    case 'file-glob-v2':
      return searching(action, ground);
    case 'update-todos':
    case 'ask-user-question':
    case 'read-shell-command-output':
    case 'transfer-shell-command-control-to-user':
    case 'give-structured-answer':
      return {decision: 'allow', risk: 'read-only', reasons: [], scope: 'ordinary', detail: noDetail};
    case 'write-to-long-running-shell-command':
      return {
        decision: 'ask',
        risk: 'unknown',
        reasons: ['it types into a running program', ...givenReasons(action)],
        scope: 'ordinary',
        detail: {...noDetail, grave: [{from: 0, to: action.input.input.length}]},
      };
    case 'request-file-edits':
      return editing(action, ground);
    case 'request-command-output':
      return commandFinding(action, {ground, forms, parsed: parsed(action.input.command)});
    case 'call-mcp-tool':
      // What the server claims of its tool is its own word.
      return {
        decision: 'ask',
        risk: 'external',
        reasons: [`it calls a tool of the MCP server ${action.input.server}`, ...givenReasons(action)],
        scope: 'ordinary',
        detail: {...noDetail, rules: [action.input.toolName]},
      };
    case 'read-mcp-resource':
      return action.input.kind === 'list'
        ? {decision: 'allow', risk: 'read-only', reasons: [], scope: 'ordinary', detail: noDetail}
        : {
            decision: 'ask',
            risk: 'external',
            reasons: [`it reads from the MCP server ${action.input.server}`, ...givenReasons(action)],
            scope: 'ordinary',
            detail: {...noDetail, rules: ['ReadMcpResourceTool']},
          };
    case 'upload-artifact':
    case 'search-codebase':
    case 'read-documents':
    case 'edit-documents':
    case 'create-documents':
    case 'start-agent':
    case 'send-message-to-agent':
    case 'suggest-new-conversation':
    case 'suggest-prompt':
    case 'init-project':
    case 'open-code-review':
    case 'insert-code-review-comments':
    case 'fetch-conversation':
    case 'read-skill':
    case 'use-computer':
    case 'request-computer-use':
    case 'web-fetch':
    case 'web-search':
      // Declared and not built: such a call is settled before it is judged. Were one to get here, it would be asked about.
      return {
        decision: 'ask',
        risk: definitions[action.name].risk,
        reasons: ['it is not judged yet'],
        scope: 'ordinary',
        detail: noDetail,
      };
    default:
      return unreachable(action);
  }
}

function reading(paths: readonly string[], ground: Ground): Finding {
  const outside = outsideOf(paths, ground);
  const secret = paths.filter(path => namesSecret(path, ground));
  const reasons = [
    ...(outside.length === 0 ? [] : [`it reads outside the workspace: ${outside.join(', ')}`]),
    ...(secret.length === 0 ? [] : [`it reads what may hold secrets: ${[...new Set(secret)].join(', ')}`]),
  ];
  const decision = reasons.length === 0 ? 'allow' : 'ask';
  return {decision, risk: 'read-only', reasons, scope: 'ordinary', detail: noDetail};
}

/** By the name it has in the workspace, or by that of the file a link leads to. */
const namesSecret = (path: string, ground: Ground): boolean =>
  [writtenParts(path, ground), realParts(path, ground)].some(parts =>
    belowRoots(parts, ground).some(({below}) => looksSecret(below.join('/'))),
  );

function searching(action: Action<'file-glob' | 'file-glob-v2'>, ground: Ground): Finding {
  const found = reading(actionPaths(action), ground);
  const {unclear} = globStarts(action.input);
  if (unclear.length === 0) return found;
  const reason = `where the search starts cannot be told: ${unclear.join(', ')}`;
  return {...found, decision: 'ask', reasons: [...found.reasons, reason]};
}

function editing(action: Action<'request-file-edits'>, ground: Ground): Finding {
  const paths = actionPaths(action);
  const outside = outsideOf(paths, ground);
  const places = ground.ownPlaces();
  const own = paths.flatMap(
    path => ownPlaceOf(realParts(path, ground), places) ?? ownPlaceOf(writtenParts(path, ground), places) ?? [],
  );
  const guarded = paths.flatMap(
    path => protectedPart(realParts(path, ground), ground) ?? protectedPart(writtenParts(path, ground), ground) ?? [],
  );
  return {
    decision: 'ask',
    risk: 'local-change',
    reasons: [
      ...(outside.length === 0 ? [] : [`it changes files outside the workspace: ${outside.join(', ')}`]),
      ...(own.length === 0 ? [] : [`it changes weft's own settings and grants: ${own.join(', ')}`]),
      ...(guarded.length === 0 ? [] : [`it changes what can run or grant rights: ${guarded.join(', ')}`]),
      ...givenReasons(action),
    ],
    scope: own.length > 0 ? 'own' : guarded.length > 0 ? 'protected' : outside.length > 0 ? 'outside' : 'ordinary',
    detail: noDetail,
  };
}

const outsideOf = (paths: readonly string[], {resolve}: Ground): readonly string[] => [
  ...new Set(
    paths
      .map(resolve)
      .filter(({place}) => place === 'outside-workspace')
      .map(({path}) => path),
  ),
];
