import type {Action} from '../actions/catalogue.ts';
import {pathsOf, textsOf} from '../actions/edit-texts.ts';
import type {FileEdit} from '../actions/files-port.ts';
import {placeholderForm, secretNamesIn} from './secrets/placeholder.ts';
import {isSecretFile} from './secrets/secret-file-name.ts';

/** A text with placeholders, which becomes secrets where `to` says; `undefined` for a program. */
interface Handing {
  readonly text: string;
  readonly to: string | undefined;
}

/** The placeholders that an action turns into secrets in another place than where they stood. */
export const givenSecrets = (action: Action): readonly string[] => [
  ...new Set(handings(action).flatMap(({text}) => text.match(placeholderForm) ?? [])),
];

/** Which secrets go where, as parts of a sentence. */
export const givenReasons = (action: Action): readonly string[] => [
  ...new Set(
    handings(action).flatMap(({text, to}) =>
      secretNamesIn(text).map(name =>
        to === undefined ? `it is given the secret ${name}` : `it puts the secret ${name} into ${to}`,
      ),
    ),
  ),
];

/** Whether the text of a rule that allows speaks of all these placeholders too: by naming them, or by allowing every call. */
export const ruleGives = (rule: string, placeholders: readonly string[]): boolean =>
  !rule.includes('(') || placeholders.every(placeholder => rule.includes(placeholder));

function handings(action: Action): readonly Handing[] {
  switch (action.name) {
    case 'request-command-output':
      return [{text: action.input.command, to: undefined}];
    case 'write-to-long-running-shell-command':
      return [{text: action.input.input, to: undefined}];
    case 'request-file-edits':
      return action.input.edits.flatMap(handedTo);
    case 'call-mcp-tool':
      return [{text: JSON.stringify(action.input.arguments), to: `the MCP server ${action.input.server}`}];
    case 'read-mcp-resource':
      return action.input.kind === 'read'
        ? [{text: action.input.uri, to: `the MCP server ${action.input.server}`}]
        : [];
    default:
      return [];
  }
}

/** What stood in the replaced text before stays where it is, and a file that is made for secrets may have them. */
function handedTo(edit: FileEdit): readonly Handing[] {
  const paths = pathsOf(edit);
  if (paths.every(path => isSecretFile(path.slice(path.lastIndexOf('/') + 1)))) return [];
  const placed = textsOf(edit).flatMap(({oldText, newText}) =>
    (newText.match(placeholderForm) ?? []).filter(placeholder => !oldText.includes(placeholder)),
  );
  return [{text: placed.join(' '), to: paths.at(-1)}];
}
