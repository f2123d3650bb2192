import type {CommandsPort, PromptCommand} from '../../actions/commands-port.ts';
import type {SkillsPort} from '../../actions/skills-port.ts';
import {clip} from '../../base/clip.ts';
import {nearestName} from '../../base/nearest-name.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {raceAbort} from '../../base/race.ts';
import {rejected, type Fault} from '../../domain/fault.ts';
import {commandBlock, skillBlock} from '../../domain/slash-command.ts';
import {bodyParts, type BodyValues, filledBody} from './expand-body.ts';
import {readExtensionFile} from './find-files.ts';
import {readMarkdownFile} from './front-matter.ts';
import {
  type CommandFile,
  type ExtensionFile,
  type Extensions,
  type SkillFile,
  untrustedReason,
} from './load-extensions.ts';
import {matchingSkills, skillCatalogue} from './skill-catalogue.ts';

export interface ExtensionPorts {
  readonly commands: CommandsPort;
  readonly skills: SkillsPort;
}

/**
 * Skills and commands as the engine has them. `load` runs with the first question and never rejects; a body is read again when it is
 * used, and a project's file is asked about again with it. `chosen` are the only skills that the model is told of.
 */
export function extensionPorts(
  load: () => Promise<Extensions>,
  {chosen}: {readonly chosen: ReadonlySet<string> | 'all'},
): ExtensionPorts {
  let loading: Promise<void> | undefined;
  let known: {
    readonly found: Extensions;
    readonly commands: readonly PromptCommand[];
    readonly forModel: readonly SkillFile[];
    readonly catalogue: ReturnType<SkillsPort['catalogue']>;
  } = {found: nothing, commands: [], forModel: [], catalogue: undefined};

  const take = async (): Promise<void> => {
    const found = await load();
    const forModel = modelSkills(found, chosen);
    known = {found, commands: promptCommands(found), forModel, catalogue: skillCatalogue(forModel)};
  };
  const ready = async (signal: AbortSignal): Promise<void> => {
    loading ??= take();
    await raceAbort(loading, signal);
  };

  return {
    commands: {
      ready,
      list: () => known.commands,
      async expand({name, argument}) {
        const {skills, commands} = known.found;
        const skill = skills.find(one => one.name === name && isOffered(one) && one.forUser === 'yes');
        const file = skill ?? commands.find(one => one.name === name && isOffered(one));
        if (file === undefined) return failed(rejected(`There is no command /${name}.`));
        const body = await bodyOf(file);
        if (body.tag === 'failed') return body;
        const folder = skill?.folder ?? '';
        return ok({
          parts: bodyParts(body.value, valuesOf(file, {argument, folder, firstNumber: skill === undefined ? 1 : 0})),
          mentions: skill === undefined ? 'attach' : 'none',
          model: file.model === '' ? undefined : file.model,
          allowedTools: allowedTools(file),
          block: text =>
            skill === undefined ? commandBlock({name, text}) : skillBlock({name, folder, instructions: text}),
        });
      },
    },
    skills: {
      ready,
      catalogue: () => known.catalogue,
      async read({name, argument}) {
        const skill = known.forModel.find(one => one.name === name);
        if (skill === undefined) return failed(rejected(unknownSkillText(name, known.forModel)));
        const body = await bodyOf(skill);
        if (body.tag === 'failed') return body;
        const instructions = filledBody(body.value, valuesOf(skill, {argument, folder: skill.folder, firstNumber: 0}));
        return ok({
          skill: {name, folder: skill.folder, instructions},
          given: 'now',
          allowedTools: allowedTools(skill),
        });
      },
    },
  };
}

const nothing: Extensions = {skills: [], commands: [], agents: [], notices: []};

const isOffered = ({offer}: ExtensionFile): boolean => offer.offered === 'yes';

export const modelSkills = ({skills}: Extensions, chosen: ReadonlySet<string> | 'all'): readonly SkillFile[] =>
  skills.filter(skill => isOffered(skill) && skill.forModel === 'yes' && (chosen === 'all' || chosen.has(skill.name)));

const promptCommands = ({skills, commands}: Extensions): readonly PromptCommand[] =>
  [
    ...skills.filter(skill => isOffered(skill) && skill.forUser === 'yes').map(skill => listed('skill', skill)),
    ...commands.filter(isOffered).map(command => listed('command', command)),
  ].toSorted((a, b) => (a.name < b.name ? -1 : 1));

const listed = (
  kind: PromptCommand['kind'],
  {name, description, argumentHint, scope, path}: SkillFile | CommandFile,
): PromptCommand => ({
  name,
  description,
  argumentHint,
  kind,
  source: {kind: 'file', scope, path},
});

async function bodyOf({path, root}: ExtensionFile): Promise<Outcome<string, Fault>> {
  const file = await readExtensionFile(path, root.trust);
  if (file.kind === 'unreadable') return failed(rejected(`${path} cannot be used: ${file.why}.`));
  const untrusted = untrustedReason(file.trust);
  if (untrusted !== undefined) return failed(rejected(`${path} cannot be used: ${untrusted}.`));
  const read = await readMarkdownFile(file.text);
  return read.tag === 'ok' ? ok(read.value.body) : failed(rejected(`${path} cannot be used: ${read.error}.`));
}

/** What a file allows counts only where the user wrote it: a project's or a plugin's is asked about as ever. */
const allowedTools = ({scope, tools}: ExtensionFile): readonly string[] => (scope === 'user' ? tools : []);

const valuesOf = ({root, scope}: ExtensionFile, values: Omit<BodyValues, 'pluginFolder'>): BodyValues => ({
  ...values,
  pluginFolder: scope === 'plugin' ? root.folder : '',
});

function unknownSkillText(name: string, skills: readonly SkillFile[]): string {
  const text = `There is no skill ${JSON.stringify(clip(name, 200))}.`;
  const names = skills.map(skill => skill.name);
  const near = nearestName(name, names);
  if (near !== undefined) return `${text} Did you mean ${near}?`;
  const matching = matchingSkills(name, skills);
  if (matching !== '') return `${text} These match:\n${matching}`;
  return names.length === 0 || names.length > maxNames ? text : `${text} There are: ${names.join(', ')}.`;
}

/** More names than these are not listed in an error. */
const maxNames = 50;
