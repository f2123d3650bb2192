import type {Reason, SecretRecipient} from '../../domain/reason.ts';
import type {Access} from '../../domain/access.ts';
import {editPaths, editTexts, type FileEdit} from '../../domain/file-edit.ts';
import {unreachable} from '../../base/unreachable.ts';
import {placeholderForm, secretNamesIn} from './placeholders.ts';
import {isSecretFile} from './secret-files.ts';

interface Handover {
  readonly text: string;
  readonly to: SecretRecipient;
}

/** Returns the placeholders whose secrets an action passes to a recipient. */
export const handedOverPlaceholders = (access: Access): readonly string[] => [
  ...new Set(handovers(access).flatMap(({text}) => text.match(placeholderForm) ?? [])),
];

/** Returns one reason for each secret and recipient. */
export function handoverReasons(access: Access): readonly Reason[] {
  const reasons = handovers(access).flatMap(({text, to}) =>
    secretNamesIn(text).map((name): Reason => ({kind: 'secret', name, to})),
  );
  return [...new Map(reasons.map(reason => [JSON.stringify(reason), reason])).values()];
}

/** True if an allow rule also covers these placeholders: it names them, or allows every call. */
export const ruleAllowsHandover = (rule: string, placeholders: readonly string[]): boolean =>
  !rule.includes('(') || placeholders.every(placeholder => rule.includes(placeholder));

function handovers(access: Access): readonly Handover[] {
  switch (access.kind) {
    case 'command':
      return [{text: access.command, to: {kind: 'program'}}];
    case 'terminal-input':
      return [{text: access.input, to: {kind: 'program'}}];
    case 'edit':
      return access.edits.flatMap(editHandovers);
    case 'mcp-tool':
      return [{text: JSON.stringify(access.arguments), to: {kind: 'mcp-server', server: access.server}}];
    case 'mcp-resource':
      return [{text: access.uri, to: {kind: 'mcp-server', server: access.server}}];
    case 'computer-steps':
      return [{text: access.typed, to: {kind: 'screen'}}];
    case 'read':
    case 'search':
    // `webFinding` checks these with the secrets themselves.
    case 'web-page':
    case 'web-query':
    case 'skill':
    case 'agent':
    case 'plan':
    case 'computer-request':
    case 'none':
      return [];
    default:
      return unreachable(access);
  }
}

/**
 * Returns the placeholders that an edit adds. A placeholder that the replaced text already had does not count, nor does
 * a file for secrets.
 */
function editHandovers(edit: FileEdit): readonly Handover[] {
  const paths = editPaths(edit);
  if (paths.every(path => isSecretFile(path.slice(path.lastIndexOf('/') + 1)))) return [];
  const placed = editTexts(edit).flatMap(({oldText, newText}) =>
    (newText.match(placeholderForm) ?? []).filter(placeholder => !oldText.includes(placeholder)),
  );
  const path = paths.at(-1);
  return path === undefined ? [] : [{text: placed.join(' '), to: {kind: 'file', path}}];
}
