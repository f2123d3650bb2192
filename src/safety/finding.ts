import {definitions, type Action} from '../actions/catalogue.ts';
import type {CommandInput} from '../actions/request-command-output.ts';
import type {ResolvedPath} from '../actions/ports.ts';
import {unreachable} from '../base/unreachable.ts';
import type {RiskLevel} from '../domain/risk.ts';
import {destructivePart} from './destructive.ts';
import {protectedPart} from './protected-paths.ts';

/** What the host found about an action before rules and mode. `scope: 'protected'` asks in every mode but bypass. */
export interface Finding {
  readonly decision: 'allow' | 'ask';
  readonly risk: RiskLevel;
  readonly reasons: readonly string[];
  readonly scope: 'ordinary' | 'protected';
}

type Resolve = (path: string) => ResolvedPath;

/** A first judgement: reading inside the workspace and talking to the user are allowed, everything else is asked. */
export function findingOf(action: Action, resolve: Resolve): Finding {
  switch (action.name) {
    case 'read-files':
      return reading(
        action.input.requests.map(({path}) => path),
        resolve,
      );
    case 'grep':
    case 'file-glob':
    case 'file-glob-v2':
      return reading([action.input.path], resolve);
    case 'update-todos':
    case 'ask-user-question':
      return {decision: 'allow', risk: 'read-only', reasons: [], scope: 'ordinary'};
    case 'request-file-edits':
      return editing(
        action.input.edits.map(({path}) => path),
        resolve,
      );
    case 'request-command-output':
      return running(action.input);
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

function reading(paths: readonly string[], resolve: Resolve): Finding {
  const outside = outsideOf(paths, resolve);
  return outside.length === 0
    ? {decision: 'allow', risk: 'read-only', reasons: [], scope: 'ordinary'}
    : {
        decision: 'ask',
        risk: 'read-only',
        reasons: [`it reads outside the workspace: ${outside.join(', ')}`],
        scope: 'ordinary',
      };
}

function editing(paths: readonly string[], resolve: Resolve): Finding {
  const outside = outsideOf(paths, resolve);
  const guarded = paths.flatMap(path => protectedPart(resolve(path).path) ?? protectedPart(path) ?? []);
  const reasons = [
    ...(outside.length === 0 ? [] : [`it changes files outside the workspace: ${outside.join(', ')}`]),
    ...(guarded.length === 0 ? [] : [`it changes what can run or grant rights: ${guarded.join(', ')}`]),
  ];
  return {
    decision: 'ask',
    risk: outside.length === 0 ? 'local-change' : 'external',
    reasons: reasons.length === 0 ? ['edits ask first in this mode'] : reasons,
    scope: guarded.length === 0 && outside.length === 0 ? 'ordinary' : 'protected',
  };
}

function running({command, claims}: CommandInput): Finding {
  const destructive = destructivePart(command);
  const reasons = [
    ...(destructive === undefined ? [] : [`\`${destructive}\` can destroy work`]),
    ...(claims.risky === 'yes' ? ['the model calls it risky'] : []),
  ];
  return {
    decision: 'ask',
    risk: destructive === undefined ? 'unknown' : 'destructive',
    reasons: reasons.length === 0 ? ['commands ask first in this mode'] : reasons,
    scope: 'ordinary',
  };
}

const outsideOf = (paths: readonly string[], resolve: Resolve): readonly string[] =>
  paths
    .map(resolve)
    .filter(({place}) => place === 'outside-workspace')
    .map(({path}) => path);
