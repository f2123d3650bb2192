import type {Reason, SecretRecipient} from '../../domain/reason.ts';
import type {Access} from '../../domain/access.ts';
import {editPaths, editTexts, type FileEdit} from '../../domain/file-edit.ts';
import {unreachable} from '../../base/unreachable.ts';
import {placeholderForm, secretNamesIn} from './placeholders.ts';
import {isSecretFile} from './secret-files.ts';

/** A text with placeholders, and who gets the secrets that take their place. */
interface Handover {
  readonly text: string;
  readonly to: SecretRecipient;
}

/** The placeholders that an action turns into secrets in another place than where they stood. */
export const handedOverPlaceholders = (access: Access): readonly string[] => [
  ...new Set(handovers(access).flatMap(({text}) => text.match(placeholderForm) ?? [])),
];

/** Which secrets go where, each once. */
export function handoverReasons(access: Access): readonly Reason[] {
  const reasons = handovers(access).flatMap(({text, to}) =>
    secretNamesIn(text).map((name): Reason => ({kind: 'secret', name, to})),
  );
  return [...new Map(reasons.map(reason => [JSON.stringify(reason), reason])).values()];
}

/** Whether the text of a rule that allows speaks of all these placeholders too: by naming them, or by allowing every call. */
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
    // What is sent out there is looked through with the secrets themselves.
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

/** A placeholder that the replaced text held already goes nowhere new, and a file that is made for secrets may have them. */
function editHandovers(edit: FileEdit): readonly Handover[] {
  const paths = editPaths(edit);
  if (paths.every(path => isSecretFile(path.slice(path.lastIndexOf('/') + 1)))) return [];
  const placed = editTexts(edit).flatMap(({oldText, newText}) =>
    (newText.match(placeholderForm) ?? []).filter(placeholder => !oldText.includes(placeholder)),
  );
  const path = paths.at(-1);
  return path === undefined ? [] : [{text: placed.join(' '), to: {kind: 'file', path}}];
}
