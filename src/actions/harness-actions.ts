import type {JsonObject} from '../base/json.ts';
import {unreachable} from '../base/unreachable.ts';
import {type Action, actionOf} from './catalogue.ts';
import {noUserChanges} from './files-port.ts';
import type {HarnessApproval} from './harness-port.ts';

/** What a harness wants as actions of weft: one for the judge, and one that stands on the card. */
interface AskedActions {
  readonly judged: Action;
  readonly shown: Action;
  /** As hooks and lists of refusals name it. */
  readonly call: {readonly name: string; readonly input: JsonObject};
}

const unsaid = {readOnly: 'unsaid', risky: 'unsaid', usesPager: 'unsaid'} as const;

const same = (action: Action, name: string, input: JsonObject): AskedActions => ({
  judged: action,
  shown: action,
  call: {name, input},
});

/** What a harness asks about, in the terms of the catalogue. */
export function actionsOf({toolName, access, reason}: HarnessApproval, harness: string): AskedActions {
  const other = (tool: string, input: JsonObject): Action =>
    actionOf('call-mcp-tool', {
      server: harness,
      tool,
      toolName: `mcp__${harness}__${tool.replaceAll(/[^\w-]/gu, '_')}`,
      standing: 'as-known',
      arguments: input,
    });
  switch (access.kind) {
    case 'command': {
      const action = actionOf('request-command-output', {
        command: access.command,
        place: 'foreground',
        timeoutMs: 600_000,
        claims: unsaid,
        description: '',
        rationale: reason,
        citations: [],
      });
      return same(action, 'Bash', {command: access.command});
    }
    case 'edit': {
      const {edits, paths} = access;
      const input = {file_path: paths.join(', ')};
      if (edits.length > 0) {
        const action = actionOf('request-file-edits', {edits, userChanges: noUserChanges, citations: []});
        return same(action, 'Edit', input);
      }
      // It only says which files: the judge looks at those, and the card shows their names.
      const named = paths.map(path => ({kind: 'replace', path, replacements: []}) as const);
      return {
        judged: actionOf('request-file-edits', {edits: named, userChanges: noUserChanges, citations: []}),
        shown: other(toolName || 'edit', {paths: [...paths]}),
        call: {name: 'Edit', input},
      };
    }
    case 'read': {
      const requests = access.paths.map(path => ({path, offset: 1, limit: 1}));
      return same(actionOf('read-files', {requests}), 'Read', {file_path: access.paths.join(', ')});
    }
    case 'web-page':
      return same(actionOf('web-fetch', {url: access.url, prompt: ''}), 'WebFetch', {url: access.url});
    case 'web-query': {
      const query = {query: access.text, allowedDomains: [], blockedDomains: []};
      return same(actionOf('web-search', query), 'WebSearch', {query: access.text});
    }
    case 'other':
      return same(other(access.title || toolName, access.input), toolName || access.title, access.input);
    default:
      return unreachable(access);
  }
}
