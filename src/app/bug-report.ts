import {readFileSync} from 'node:fs';
import {homedir} from 'node:os';
import {fileURLToPath} from 'node:url';
import {isJsonObject} from '../base/json.ts';
import {tryOr} from '../base/outcome.ts';
import {visible} from '../base/visible.ts';
import {parseJsonWithComments} from '../config/json-with-comments.ts';
import {outputRedactor} from './output-redactor.ts';
import {userPlaces} from './user-data.ts';

/** The page that comes with weft and lists the variables that weft reads. */
const variablesPage = new URL('../../docs/reference/environment.md', import.meta.url);

/** The number of lines at the end of the log that a report contains. */
const maxLines = 200;

/**
 * Returns a report about this installation as Markdown, to attach to a bug report. It has the checks of `weft doctor`, the
 * variables that weft reads, the user's settings, and the end of the log. Secrets are placeholders, and the home folder is
 * `~`. Conversations and the settings of projects are not part of it.
 */
export function bugReport(checks: readonly string[]): string {
  const places = userPlaces();
  const {redact} = outputRedactor(process.env);
  const names = textOf(fileURLToPath(variablesPage)).matchAll(/^\| `(\w+)` \|/gmu);
  const set = Array.from(names, ([, name = '']) => name).flatMap(name => {
    const value = process.env[name];
    if (value === undefined) return [];
    return /KEY|TOKEN|SECRET|HEADERS|PASSWORD/u.test(name) ? [`${name} is set`] : [`${name}=${value}`];
  });
  const sections = {
    Checks: checks.join('').trimEnd(),
    Environment: set.toSorted().join('\n'),
    [`Settings (${places.settings})`]: settingsText(textOf(places.settings)),
    [`Log (${places.log})`]: textOf(places.log).trimEnd().split('\n').slice(-maxLines).join('\n'),
  };
  const text = Object.entries(sections).map(
    ([title, body]) => `## ${title}\n\n~~~\n${body === '' ? 'none' : body}\n~~~\n`,
  );
  return visible(redact(`# Report of weft\n\n${text.join('\n')}`)).replaceAll(homedir(), '~');
}

/** Returns the settings as JSON without the values of variables and headers, or the reason why they can't be read. */
function settingsText(text: string): string {
  const settings = parseJsonWithComments(text);
  return settings.tag === 'failed' ? settings.error : JSON.stringify(settings.value, withoutValues, 2);
}

const withoutValues = (key: string, value: unknown): unknown =>
  ['env', 'headers'].includes(key) && isJsonObject(value) ? Object.keys(value) : value;

const textOf = (file: string): string => tryOr(() => readFileSync(file, 'utf8'), '');
