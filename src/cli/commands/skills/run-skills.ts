import {nearestName} from '../../../base/nearest-name.ts';
import {withTilde} from '../../../base/shown-path.ts';
import {visible, visibleExactLine, visibleLine} from '../../../base/visible.ts';
import type {JsonObject} from '../../../base/json.ts';
import type {AgentFile, ExtensionFile, SkillFile} from '../../../extensions/skills/load-extensions.ts';
import {homedir} from 'node:os';
import {existingFolder, loadRunContext} from '../../compose/run-context.ts';
import {exitCode, type ExitCode, UsageError} from '../../exit-code.ts';
import type {JsonOption, MainOptions} from '../../flags.ts';
import {note, print, printJson} from '../../output.ts';

export type ExtensionKind = 'skills' | 'agents';

interface ListOptions extends JsonOption, Pick<MainOptions, 'cwd'> {}

/** Something that was found, and whether the model is told of it. */
interface Row {
  readonly file: SkillFile | AgentFile;
  /** Why it is not offered; empty where it is. */
  readonly reason: string;
}

/** Lists all that was found, also what is not offered, those that win a name first. */
export async function listExtensions(kind: ExtensionKind, options: ListOptions): Promise<ExitCode> {
  const {rows, notices} = await rowsOf(kind, options);
  for (const notice of notices) note(visibleLine(notice));
  if (options.json !== undefined) {
    printJson(`${JSON.stringify(rows.map(factsOf), undefined, 2)}\n`);
  } else if (rows.length === 0) note(`no ${kind} found`);
  else print(rows.map(textOf).join(''));
  return exitCode.done;
}

/** Shows one in full: the one that is offered, or else the first of that name. */
export async function showExtension(kind: ExtensionKind, name: string, options: ListOptions): Promise<ExitCode> {
  const {rows} = await rowsOf(kind, options);
  const named = rows.filter(({file}) => file.name === name);
  const row = named.find(({reason}) => reason === '') ?? named[0];
  if (row === undefined) {
    const near = nearestName(
      name,
      rows.map(({file}) => file.name),
    );
    const one = kind.slice(0, -1);
    throw new UsageError(
      `There is no ${one} ${JSON.stringify(name)}. ${near === undefined ? `List them: weft ${kind} list` : `Did you mean ${near}?`}`,
    );
  }
  const text = await bodyOf(row.file);
  if (options.json !== undefined) {
    printJson(`${JSON.stringify({...factsOf(row), fields: row.file.fields, text}, undefined, 2)}\n`);
  } else print(`${textOf(row)}\n${visible(text)}\n`);
  return exitCode.done;
}

async function bodyOf(file: SkillFile | AgentFile): Promise<string> {
  if ('prompt' in file) return file.prompt;
  const [{readExtensionFile}, {readMarkdownFile}] = await Promise.all([
    import('../../../extensions/skills/find-files.ts'),
    import('../../../extensions/skills/front-matter.ts'),
  ]);
  const read = await readExtensionFile(file.path, file.root.trust);
  if (read.kind === 'unreadable') return '';
  const parsed = await readMarkdownFile(read.text);
  return parsed.tag === 'ok' ? parsed.value.body : read.text;
}

async function rowsOf(
  kind: ExtensionKind,
  {cwd}: ListOptions,
): Promise<{readonly rows: readonly Row[]; readonly notices: readonly string[]}> {
  const options: MainOptions = {sessionPersistence: false, color: true};
  const context = loadRunContext({directory: existingFolder(cwd ?? '.'), added: [], options});
  const found = await context.extensions().found(new AbortController().signal);
  if (kind === 'agents') {
    return {rows: found.agents.map(file => ({file, reason: ownReason(file)})), notices: found.notices};
  }
  const rows = found.skills.map(file => ({file, reason: ownReason(file) || modelReason(file)}));
  return {rows, notices: found.notices};
}

const ownReason = ({offer}: ExtensionFile): string => (offer.offered === 'yes' ? '' : offer.reason);

const modelReason = (skill: SkillFile): string =>
  skill.forModel === 'no' ? `disable-model-invocation: only you can use it, as /${skill.name}` : '';

const factsOf = ({file, reason}: Row): JsonObject => ({
  name: file.name,
  description: file.description,
  scope: file.scope,
  path: file.path,
  offered: reason === '',
  ...(reason === '' ? {} : {reason}),
  ...('prompt' in file ? {tools: file.tools, model: file.model} : {}),
});

function textOf({file, reason}: Row): string {
  const {name, description, scope, path} = file;
  const where = `${scope}: ${visibleExactLine(withTilde(path, homedir()))}`;
  const why = reason === '' ? '' : `    not offered: ${visibleLine(reason)}\n`;
  const words = description === '' ? '' : `    ${visibleLine(description)}\n`;
  return `${visibleLine(name)}  (${where})\n${words}${why}`;
}
