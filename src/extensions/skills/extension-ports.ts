import type {CommandsPort, PromptCommand} from '../../actions/commands-port.ts';
import type {SkillsPort} from '../../actions/skills-port.ts';
import {clip} from '../../base/clip.ts';
import {nearestName} from '../../base/nearest-name.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {raceAbort} from '../../base/race.ts';
import {rejected, type Fault} from '../../domain/fault.ts';
import {commandBlock, skillBlock} from '../../domain/slash-command.ts';
import {parseBodyParts, type BodyValues, fillBody} from './expand-body.ts';
import {readExtensionFile} from './find-files.ts';
import {readMarkdownFile} from './front-matter.ts';
import {
  type CommandFile,
  type ExtensionFile,
  type Extensions,
  type SkillFile,
  trustProblem,
  withheldText,
} from './load-extensions.ts';
import {findMatchingSkills, skillCatalogue} from './skill-catalogue.ts';

export interface ExtensionPorts {
  readonly commands: CommandsPort;
  readonly skills: SkillsPort;
}

/**
 * Offers skills and commands to the engine. `load` runs with the first query and must never reject. Each use reads the
 * body again and checks the trust of a project's file again. The model sees only the `chosen` skills.
 */
export function makeExtensionPorts(
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
    const forModel = skillsForModel(found, chosen);
    known = {found, commands: toPromptCommands(found), forModel, catalogue: skillCatalogue(forModel)};
  };
  const ready = async (signal: AbortSignal): Promise<void> => {
    loading ??= take();
    await raceAbort(loading, signal);
  };

  return {
    commands: {
      ready,
      list: () => known.commands,
      whyWithheld: name =>
        withheldText(
          [...known.found.commands, ...known.found.skills].find(one => one.name === name && !isOffered(one)),
          `/${name}`,
        ),
      async expand({name, argument}) {
        const {skills, commands} = known.found;
        const skill = skills.find(one => one.name === name && isOffered(one) && one.forUser === 'yes');
        const file = skill ?? commands.find(one => one.name === name && isOffered(one));
        if (file === undefined) return failed(rejected(`Unknown command /${name}.`));
        const body = await bodyOf(file);
        if (body.tag === 'failed') return body;
        const folder = skill?.folder ?? '';
        return ok({
          parts: parseBodyParts(
            body.value,
            valuesOf(file, {argument, folder, firstNumber: skill === undefined ? 1 : 0}),
          ),
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
        if (skill === undefined) {
          const hidden = known.found.skills.find(one => one.name === name && !isOffered(one));
          return failed(rejected(withheldText(hidden, `The skill ${name}`) || unknownSkillText(name, known.forModel)));
        }
        const body = await bodyOf(skill);
        if (body.tag === 'failed') return body;
        const instructions = fillBody(body.value, valuesOf(skill, {argument, folder: skill.folder, firstNumber: 0}));
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

export const skillsForModel = ({skills}: Extensions, chosen: ReadonlySet<string> | 'all'): readonly SkillFile[] =>
  skills.filter(skill => isOffered(skill) && skill.forModel === 'yes' && (chosen === 'all' || chosen.has(skill.name)));

const toPromptCommands = ({skills, commands}: Extensions): readonly PromptCommand[] =>
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
  if (file.kind === 'unreadable') return failed(rejected(`Can't use ${path}: ${file.why}.`));
  const untrusted = trustProblem(file.trust);
  if (untrusted !== undefined) return failed(rejected(`Can't use ${path}: ${untrusted}.`));
  const read = await readMarkdownFile(file.text);
  return read.tag === 'ok' ? ok(read.value.body) : failed(rejected(`Can't use ${path}: ${read.error}.`));
}

/** Only the user's own files can allow tools. Files of a project or a plugin can't: weft asks about their tools as usual. */
const allowedTools = ({scope, tools}: ExtensionFile): readonly string[] => (scope === 'user' ? tools : []);

const valuesOf = ({root, scope}: ExtensionFile, values: Omit<BodyValues, 'pluginFolder'>): BodyValues => ({
  ...values,
  pluginFolder: scope === 'plugin' ? root.folder : '',
});

function unknownSkillText(name: string, skills: readonly SkillFile[]): string {
  const text = `Unknown skill ${JSON.stringify(clip(name, 200))}.`;
  const names = skills.map(skill => skill.name);
  const near = nearestName(name, names);
  if (near !== undefined) return `${text} Did you mean ${near}?`;
  const matching = findMatchingSkills(name, skills);
  if (matching !== '') return `${text} These match:\n${matching}`;
  return names.length === 0 || names.length > maxNames ? text : `${text} Available: ${names.join(', ')}.`;
}

/** The maximum number of skill names that an error lists. */
const maxNames = 50;
