import type {Command} from 'commander';
import {exiting, exitCode, type ExitCode, UsageError} from '../../app/exit-code.ts';
import {addSubcommands, addParameters, agentsFlag, jsonFlag, pluginFlag, type JsonOption} from '../flags.ts';
import {nearestName} from '../../base/nearest-name.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {FoundHarness} from '../../actions/harness-port.ts';
import {withTilde} from '../../base/shown-path.ts';
import {visible, visibleExactLine, visibleLine} from '../../base/visible.ts';
import type {JsonObject} from '../../base/json.ts';
import type {AgentFile, ExtensionFile, SkillFile} from '../../extensions/skills/load-extensions.ts';
import {homedir} from 'node:os';
import {ignoredFieldNotes} from '../../app/agent-kinds.ts';
import {applyNamedAgent} from '../../app/compose-session.ts';
import {contextFor, type RunContext} from '../../app/run-context.ts';
import type {MainOptions} from '../../app/main-options.ts';
import {note, print} from '../../app/output.ts';
import {printDocument} from '../rows.ts';

/** `weft skills` and `weft agents`. */
export function add(command: Command): void {
  if (command.name() === 'skills') {
    addListAndShow(command, 'skills');
    return;
  }
  addListAndShow(command, 'agents');
  command
    .command('stop <id>')
    .description('Stop a running sub-agent by its id in weft ps')
    .action(exiting(async (id: string) => (await import('./ps.ts')).stopAgent(id)));
}

function addListAndShow(command: Command, kind: 'skills' | 'agents'): void {
  const ofAgents = kind === 'agents' ? [agentsFlag] : [];
  const flags = [
    jsonFlag,
    ['-C, --cwd <dir>', 'Folder to use instead of the current one'] as const,
    pluginFlag,
    ...ofAgents,
  ];
  const list = command.command('list', {isDefault: true}).description(`List the ${kind}`);
  addParameters(
    list,
    flags,
    exiting(async (options: ListOptions) => listExtensions(kind, options)),
  );
  const show = exiting(async (name: string, options: ListOptions) => showExtension(kind, name, options));
  addSubcommands(command, [['show <name>', `Show one of the ${kind} with its full text`, flags, show]]);
}

type ExtensionKind = 'skills' | 'agents';

interface ListOptions extends JsonOption, Pick<MainOptions, 'cwd' | 'pluginDir' | 'agents'> {}

/** A skill or agent that was found, and whether weft offers it to the model. */
interface Row {
  readonly file: SkillFile | AgentFile;
  /** Why the skill or agent is not offered; empty if it is. */
  readonly reason: string;
}

/** Lists all that were found, including those that are not offered. For agents it also lists the harnesses. */
async function listExtensions(kind: ExtensionKind, options: ListOptions): Promise<ExitCode> {
  const {rows, notices, context} = await rowsOf(kind, options);
  for (const notice of notices) note(visibleLine(notice));
  const harnesses = kind === 'agents' ? await findHarnesses(context) : [];
  if (options.json !== undefined) {
    const facts = kind === 'agents' ? rows.map(row => ({kind: 'agent', ...factsOf(row)})) : rows.map(factsOf);
    return printDocument([...facts, ...harnesses.map(harnessFacts)]);
  }
  if (rows.length === 0) note(`no ${kind} found`);
  else print(rows.map(textOf).join(''));
  if (harnesses.length > 0) print(`Harnesses:\n${harnesses.map(harnessText).join('')}`);
  return exitCode.done;
}

async function findHarnesses(context: RunContext): Promise<readonly FoundHarness[]> {
  const {runHarnesses} = await import('../../app/run-harnesses.ts');
  const harnesses = runHarnesses(context);
  const found = await harnesses.find(new AbortController().signal);
  await harnesses.close();
  return found;
}

function harnessFacts({name, state, advice, abilities}: FoundHarness): JsonObject {
  const common = {
    kind: 'harness',
    name,
    installed: state.kind === 'installed',
    acts: 'with-approvals',
    resumes: abilities.resumes === 'yes',
  };
  const more = advice === '' ? {} : {advice};
  switch (state.kind) {
    case 'installed':
      return {...common, path: state.path, version: state.version, signIn: state.signIn, ...more};
    case 'unusable':
      return {...common, path: state.path, reason: state.reason, ...more};
    case 'missing':
      return {...common, ...more};
    default:
      return unreachable(state);
  }
}

function harnessText({name, state, advice}: FoundHarness): string {
  const shown = (words: string): string =>
    `${visibleLine(name)}  (${words})\n${advice === '' ? '' : `    ${visibleLine(advice)}\n`}`;
  switch (state.kind) {
    case 'installed': {
      const version = state.version === '' ? 'version unknown' : visibleLine(state.version);
      return shown(`${version}, ${signInWords[state.signIn]}: ${visibleExactLine(withTilde(state.path, homedir()))}`);
    }
    case 'unusable':
      return shown(visibleLine(state.reason));
    case 'missing':
      return shown('not installed');
    default:
      return unreachable(state);
  }
}

const signInWords = {
  'signed-in': 'signed in',
  'signed-out': 'not signed in',
  unknown: 'sign-in unknown',
} as const;

/** Shows a skill or agent with its full text: the one that is offered, or else the first with that name. */
async function showExtension(kind: ExtensionKind, name: string, options: ListOptions): Promise<ExitCode> {
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
      `Unknown ${one} ${JSON.stringify(name)}. ${near === undefined ? `List them: weft ${kind} list` : `Did you mean ${near}?`}`,
    );
  }
  const text = await bodyOf(row.file);
  if (options.json !== undefined) return printDocument({...factsOf(row), fields: row.file.fields, text});
  print(`${textOf(row)}\n${visible(text)}\n`);
  return exitCode.done;
}

/** Returns the skills of a folder, including those that are not offered. */
export async function skillRows(cwd: string): Promise<readonly JsonObject[]> {
  return (await rowsOf('skills', {cwd})).rows.map(factsOf);
}

async function bodyOf(file: SkillFile | AgentFile): Promise<string> {
  if ('prompt' in file) return file.prompt;
  const [{readExtensionFile}, {readMarkdownFile}] = await Promise.all([
    import('../../extensions/skills/find-files.ts'),
    import('../../extensions/skills/front-matter.ts'),
  ]);
  const read = await readExtensionFile(file.path, file.root.trust);
  if (read.kind === 'unreadable') return '';
  const parsed = await readMarkdownFile(read.text);
  return parsed.tag === 'ok' ? parsed.value.body : read.text;
}

async function rowsOf(
  kind: ExtensionKind,
  options: Pick<MainOptions, 'cwd' | 'pluginDir' | 'agents'>,
): Promise<{readonly rows: readonly Row[]; readonly notices: readonly string[]; readonly context: RunContext}> {
  const context = await applyNamedAgent(contextFor({...options, sessionPersistence: false}));
  const found = await context.extensions().found(new AbortController().signal);
  const notices = [...(await context.notices()), ...found.notices];
  if (kind === 'agents') {
    return {rows: found.agents.map(file => ({file, reason: ownReason(file)})), notices, context};
  }
  const rows = found.skills.map(file => ({file, reason: ownReason(file) || modelReason(file)}));
  return {rows, notices, context};
}

const ownReason = ({offer}: ExtensionFile): string => (offer.offered === 'yes' ? '' : offer.reason);

const modelReason = (skill: SkillFile): string =>
  skill.forModel === 'no' ? `disable-model-invocation: only you can use it, as /${skill.name}` : '';

/** The fields of Claude Code's skills that change what a skill does and that weft ignores. */
const ignoredSkillFields = [
  'agent',
  'arguments',
  'context',
  'disallowed-tools',
  'effort',
  'hooks',
  'paths',
  'shell',
] as const;

/** Returns a sentence about the fields that weft ignores; empty if there are none. */
function ignoredFieldsNote(file: SkillFile | AgentFile): string {
  if ('prompt' in file) return ignoredFieldNotes(file, ['effort', 'hooks', 'mcpServers']).join(' ');
  const named: readonly string[] = ignoredSkillFields.filter(field => Object.hasOwn(file.fields, field));
  // Only the user's own files can allow tools.
  const tools = file.scope !== 'user' && file.tools.length > 0 ? ['allowed-tools (works only in your own skills)'] : [];
  const all = [...named, ...tools];
  return all.length === 0 ? '' : `Ignored: ${all.join(', ')}.`;
}

const factsOf = ({file, reason}: Row): JsonObject => ({
  name: file.name,
  description: file.description,
  scope: file.scope,
  path: file.path,
  offered: reason === '',
  ...(reason === '' ? {} : {reason}),
  ...(ignoredFieldsNote(file) === '' ? {} : {note: ignoredFieldsNote(file)}),
  ...('prompt' in file ? {tools: file.tools, model: file.model} : {}),
});

function textOf({file, reason}: Row): string {
  const {name, description, scope, path} = file;
  const where = `${scope}: ${visibleExactLine(withTilde(path, homedir()))}`;
  const why = reason === '' ? '' : `    not offered: ${visibleLine(reason)}\n`;
  const words = description === '' ? '' : `    ${visibleLine(description)}\n`;
  const unheeded = ignoredFieldsNote(file);
  return `${visibleLine(name)}  (${where})\n${words}${why}${unheeded === '' ? '' : `    ${visibleLine(unheeded)}\n`}`;
}
