import {definitions, type Action} from '../actions/catalogue.ts';
import type {CommandInput} from '../actions/request-command-output.ts';
import {unreachable} from '../base/unreachable.ts';
import type {RiskLevel} from '../domain/risk.ts';
import {actionPaths} from './action-paths.ts';
import type {CommandForms} from './command-forms.ts';
import {destructivePart} from './destructive.ts';
import {globStarts} from './glob-starts.ts';
import {realParts, writtenParts, type Ground} from './ground.ts';
import {protectedPart} from './protected-paths.ts';

/**
 * What the host found about an action before rules and mode; `reasons` are what is out of the ordinary, often none. Modes do not
 * let `protected` edits through by themselves; a rule of the user's that allows them does, and so does bypassing.
 */
export interface Finding {
  readonly decision: 'allow' | 'ask';
  readonly risk: RiskLevel;
  readonly reasons: readonly string[];
  readonly scope: 'ordinary' | 'protected';
}

/** What an action is judged by besides itself. */
export interface Evidence {
  readonly ground: Ground;
  /** The forms of the command that is judged, read once. */
  readonly forms: (command: string) => CommandForms;
}

/** A first judgement: reading inside the workspace and talking to the user are allowed, everything else is asked. */
export function findingOf(action: Action, {ground, forms}: Evidence): Finding {
  switch (action.name) {
    case 'read-files':
    case 'grep':
      return reading(actionPaths(action), ground);
    case 'file-glob':
    case 'file-glob-v2':
      return searching(action, ground);
    case 'update-todos':
    case 'ask-user-question':
      return {decision: 'allow', risk: 'read-only', reasons: [], scope: 'ordinary'};
    case 'request-file-edits':
      return editing(actionPaths(action), ground);
    case 'request-command-output':
      return running(action.input, forms(action.input.command));
    case 'write-to-long-running-shell-command':
    case 'read-shell-command-output':
    case 'transfer-shell-command-control-to-user':
    case 'upload-artifact':
    case 'search-codebase':
    case 'read-mcp-resource':
    case 'call-mcp-tool':
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
      };
    default:
      return unreachable(action);
  }
}

function reading(paths: readonly string[], ground: Ground): Finding {
  const outside = outsideOf(paths, ground);
  return outside.length === 0
    ? {decision: 'allow', risk: 'read-only', reasons: [], scope: 'ordinary'}
    : {
        decision: 'ask',
        risk: 'read-only',
        reasons: [`it reads outside the workspace: ${outside.join(', ')}`],
        scope: 'ordinary',
      };
}

function searching(action: Action<'file-glob' | 'file-glob-v2'>, ground: Ground): Finding {
  const found = reading(actionPaths(action), ground);
  const {unclear} = globStarts(action.input);
  if (unclear.length === 0) return found;
  const reason = `where the search starts cannot be told: ${unclear.join(', ')}`;
  return {...found, decision: 'ask', reasons: [...found.reasons, reason]};
}

function editing(paths: readonly string[], ground: Ground): Finding {
  const outside = outsideOf(paths, ground);
  const guarded = paths.flatMap(
    path => protectedPart(realParts(path, ground), ground) ?? protectedPart(writtenParts(path, ground), ground) ?? [],
  );
  return {
    decision: 'ask',
    risk: 'local-change',
    reasons: [
      ...(outside.length === 0 ? [] : [`it changes files outside the workspace: ${outside.join(', ')}`]),
      ...(guarded.length === 0 ? [] : [`it changes what can run or grant rights: ${guarded.join(', ')}`]),
    ],
    scope: guarded.length === 0 && outside.length === 0 ? 'ordinary' : 'protected',
  };
}

/** Every command asks; what the model claims of it only adds to the reasons. */
function running({claims}: CommandInput, forms: CommandForms): Finding {
  const destructive = destructivePart(forms);
  return {
    decision: 'ask',
    risk: destructive === undefined ? 'unknown' : 'destructive',
    reasons: [
      ...(destructive === undefined ? [] : [`\`${destructive}\` can destroy work`]),
      ...(claims.risky === 'yes' ? ['the model calls it risky'] : []),
    ],
    scope: 'ordinary',
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
