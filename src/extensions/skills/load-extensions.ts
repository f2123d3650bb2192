import * as z from 'zod/mini';
import {clip, collapseSpaces} from '../../base/clip.ts';
import {isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import type {FileTrust} from '../../config/trust-record.ts';
import {type ExtensionScope, isReserved} from '../../domain/slash-command.ts';
import {basename, dirname} from 'node:path';
import {
  type ExtensionPart,
  extensionParts,
  type ExtensionPlaces,
  type ExtensionRoot,
  extensionRoots,
  usualPaths,
} from '../../config/extension-places.ts';
import {findFiles, type FoundFile} from './find-files.ts';
import {flagField, listField, type MarkdownFile, readMarkdownFile, textField} from './front-matter.ts';

/** Whether weft offers a file. The `reason` is a text for the user. */
export type Offer = {readonly offered: 'yes'} | {readonly offered: 'no'; readonly reason: string};

/** The fields that skills, commands and agents share. Texts are bounded, but control characters are not yet made visible for a terminal. */
export interface ExtensionFile {
  /** The name, unique among the offered files of the same kind. Names from a plugin begin with the plugin's name and a colon. */
  readonly name: string;
  /** The description in one line. Empty if the file has none. */
  readonly description: string;
  readonly scope: ExtensionScope;
  readonly path: string;
  readonly root: ExtensionRoot;
  readonly offer: Offer;
  /** Rules or tools, as written in the file. */
  readonly tools: readonly string[];
  /** The model that the file names; empty if it names none. */
  readonly model: string;
  /** Every field of the front matter, known or not. */
  readonly fields: JsonObject;
}

export interface SkillFile extends ExtensionFile {
  readonly folder: string;
  readonly argumentHint: string;
  /** Whether the model sees the skill, and whether the user can type `/name`. These fields count only if the skill is offered. */
  readonly forModel: 'yes' | 'no';
  readonly forUser: 'yes' | 'no';
}

export interface CommandFile extends ExtensionFile {
  readonly argumentHint: string;
}

export interface AgentFile extends ExtensionFile {
  readonly prompt: string;
}

export interface Extensions {
  readonly skills: readonly SkillFile[];
  readonly commands: readonly CommandFile[];
  readonly agents: readonly AgentFile[];
  /** The files that could not be read at all, one sentence each. */
  readonly notices: readonly string[];
}

/**
 * Reads all skills, commands and agents in these locations. If two share a name, the first one wins. The `given` agents
 * come before those in files. Never throws.
 */
export async function loadExtensions(
  places: ExtensionPlaces,
  given: readonly AgentFile[],
  signal: AbortSignal,
): Promise<Extensions> {
  const roots = extensionRoots(places);
  const notices: string[] = [];
  const readPart = async <Kind>(part: ExtensionPart, make: (file: ReadFile) => Kind): Promise<readonly Kind[]> => {
    const found = await Promise.all(roots.map(async root => ({root, ...(await findFiles(root, part, signal))})));
    notices.push(...found.flatMap(({leftOut}) => leftOut.map(({path, why}) => `Skipped ${path}: ${why}.`)));
    return Promise.all(found.flatMap(({root, files}) => files.map(async file => make(await readFile(file, root)))));
  };
  const [skills, commands, agents] = await Promise.all([
    readPart(extensionParts[0], skillOf),
    readPart(extensionParts[1], commandOf),
    readPart(extensionParts[2], agentOf),
  ]);
  const offeredSkills = markShadowed(skills);
  const skillNames = new Map(
    offeredSkills.flatMap(skill => (isForUser(skill) ? [[skill.name, skill.path] as const] : [])),
  );
  return {
    skills: offeredSkills,
    commands: markShadowed(commands.map(command => checkCommandName(command, skillNames))),
    agents: markShadowed([...given, ...agents]),
    notices,
  };
}

const isForUser = ({offer, forUser}: SkillFile): boolean => offer.offered === 'yes' && forUser === 'yes';

interface ReadFile extends Pick<MarkdownFile, 'fields' | 'body'> {
  readonly file: Pick<FoundFile, 'path' | 'parts'>;
  readonly root: ExtensionRoot;
  /** Why the file can't be used: not trusted, or not readable. `undefined` if it can be used. */
  readonly reason: string | undefined;
}

async function readFile(file: FoundFile, root: ExtensionRoot): Promise<ReadFile> {
  const read = await readMarkdownFile(file.text);
  const {fields, body} = read.tag === 'ok' ? read.value : {fields: {}, body: ''};
  return {
    file,
    root,
    fields,
    body,
    reason: trustProblem(file.trust) ?? (read.tag === 'failed' ? read.error : undefined),
  };
}

/** Offers only the first of several files that share a name. The reasons of the others name that file. */
function markShadowed<Kind extends ExtensionFile>(files: readonly Kind[]): readonly Kind[] {
  const taken = new Map<string, string>();
  return files.map(file => {
    if (file.offer.offered === 'no') return file;
    const by = taken.get(file.name);
    if (by === undefined) taken.set(file.name, file.path);
    return by === undefined
      ? file
      : {...file, offer: {offered: 'no', reason: `${by} has the same name and comes first`}};
  });
}

/** Returns why a file is not offered, as a sentence that begins with `label`. Empty if there is no file. */
export const withheldText = (file: ExtensionFile | undefined, label: string): string =>
  file?.offer.offered === 'no'
    ? `${label} comes from ${file.path}, which weft does not use: ${file.offer.reason}.`
    : '';

function checkCommandName(command: CommandFile, skills: ReadonlyMap<string, string>): CommandFile {
  if (command.offer.offered === 'no') return command;
  const skill = skills.get(command.name);
  if (isReserved(command.name)) {
    return {...command, offer: {offered: 'no', reason: `/${command.name} is a built-in command`}};
  }
  return skill === undefined
    ? command
    : {...command, offer: {offered: 'no', reason: `the skill ${skill} has the same name and comes first`}};
}

function skillOf(read: ReadFile): SkillFile {
  const {file, root, fields} = read;
  const folder = dirname(file.path);
  const declaredName = textField(fields, 'name');
  const own = basename(folder);
  const name = addPrefix(
    root,
    isNamedByFolder(file, root) ? toUsableName(own, declaredName) : toUsableName(declaredName, own),
  );
  const description = [textField(fields, 'description'), textField(fields, 'when_to_use')]
    .filter(text => text !== '')
    .join(' ');
  const wantsUser = flagField(fields, 'user-invocable') !== false;
  return {
    ...commonFieldsOf(name, read, description === '' ? 'it has no description' : undefined),
    description: clipLine(description, maxChars.skillDescription),
    folder,
    argumentHint: clipLine(textField(fields, 'argument-hint', 'argument_hint'), maxChars.hint),
    forModel: flagField(fields, 'disable-model-invocation') === true ? 'no' : 'yes',
    forUser: wantsUser && !isReserved(name) ? 'yes' : 'no',
  };
}

/**
 * Claude Code 2.1.330 names a skill after its folder, whatever its `name` field says. The exception is a folder that
 * a plugin lists itself. All other skills use their `name` field (agentskills.io: both should be the same).
 */
const isNamedByFolder = ({parts}: ReadFile['file'], {scope, folder}: ExtensionRoot): boolean =>
  parts.length > 1 && (scope === 'plugin' || basename(folder) === '.claude');

function commandOf(read: ReadFile): CommandFile {
  const {file, root, fields, body} = read;
  const name = addPrefix(
    root,
    file.parts
      .map((part, at) => toUsableName('', at === file.parts.length - 1 ? part.replace(/\.md$/iu, '') : part))
      .join(':'),
  );
  const firstWords = body.split('\n').find(line => line.trim() !== '') ?? '';
  return {
    ...commonFieldsOf(name, read, body === '' ? 'it is empty' : undefined),
    description: clipLine(textField(fields, 'description') || firstWords.replace(/^#+\s*/u, ''), maxChars.description),
    argumentHint: clipLine(textField(fields, 'argument-hint', 'argument_hint'), maxChars.hint),
  };
}

function agentOf(read: ReadFile): AgentFile {
  const {file, root, fields, body} = read;
  const own = toUsableName(textField(fields, 'name'), (file.parts.at(-1) ?? '').replace(/\.md$/iu, ''));
  // Only the names of a plugin's agents include folders (seen in Claude Code 2.1.330).
  const folders = root.scope === 'plugin' ? file.parts.slice(0, -1).map(part => toUsableName(part, '')) : [];
  const name = addPrefix(root, [...folders, own].join(':'));
  const description = textField(fields, 'description');
  const problem = description === '' ? 'it has no description' : body === '' ? 'it has no prompt' : undefined;
  return {
    ...commonFieldsOf(name, read, problem),
    tools: listField(fields, 'tools'),
    description: clipLine(description, maxChars.skillDescription),
    prompt: root.scope === 'plugin' ? body.replaceAll('${CLAUDE_PLUGIN_ROOT}', () => root.folder) : body,
  };
}

/** Agents as `--agents` and programs define them: the fields of an agent file, and its prompt. */
const definitions = z.record(
  z.string().check(z.minLength(1)),
  z.looseObject({description: z.string().check(z.minLength(1)), prompt: z.string().check(z.minLength(1))}),
);

/** Reads agent definitions. The error says which one is invalid and what is expected. `source` names their origin. */
export function parseAgents(json: Json, source: string): Outcome<readonly AgentFile[], string> {
  const read = z.safeParse(definitions, json);
  if (!read.success) {
    const where = read.error.issues[0]?.path.join('.') ?? '';
    return failed(
      `${where === '' ? 'it' : JSON.stringify(where)} is invalid: expected {"NAME": {"description": "…", "prompt": "…", "tools": […]?, "model": "…"?}}`,
    );
  }
  return ok(
    Object.entries(read.data).map(([name, {prompt, ...fields}]) =>
      toAgentFile(name, {fields: isJsonObject(fields) ? fields : {}, prompt, source}),
    ),
  );
}

function toAgentFile(
  name: string,
  {fields, prompt, source}: {readonly fields: JsonObject; readonly prompt: string; readonly source: string},
): AgentFile {
  const root: ExtensionRoot = {folder: '', scope: 'user', trust: 'trusted', prefix: '', paths: usualPaths('')};
  const read: ReadFile = {file: {path: source, parts: []}, root, fields, body: prompt, reason: undefined};
  return {
    ...commonFieldsOf(toUsableName(name, ''), read, undefined),
    tools: listField(fields, 'tools'),
    description: clipLine(textField(fields, 'description'), maxChars.skillDescription),
    prompt,
  };
}

/** `lack` says what a readable file is missing. */
function commonFieldsOf(name: string, read: ReadFile, problem: string | undefined): Omit<ExtensionFile, 'description'> {
  const {file, root, fields, reason = problem} = read;
  const model = textField(fields, 'model');
  return {
    name,
    scope: root.scope,
    path: file.path,
    root,
    offer: reason === undefined ? {offered: 'yes'} : {offered: 'no', reason},
    tools: listField(fields, 'allowed-tools'),
    model: model === 'inherit' ? '' : clip(model, 200),
    fields,
  };
}

/** The longest texts taken from a file, in UTF-16 units. */
const maxChars = {skillDescription: 1024, description: 300, hint: 100, name: 64};

const clipLine = (text: string, most: number): string => clip(collapseSpaces(text), most);

/** Returns why a project's file is not trusted, or `undefined` if it is. */
export const trustProblem = (trust: FileTrust): string | undefined => trustProblems[trust];

const trustProblems: Readonly<Record<FileTrust, string | undefined>> = {
  trusted: undefined,
  changed: 'it changed since you trusted this project (review and trust it: weft permissions trust)',
  never: 'you have not trusted this project (review and trust it: weft permissions trust)',
};

const addPrefix = ({prefix}: ExtensionRoot, name: string): string => (prefix === '' ? name : `${prefix}:${name}`);

/** Returns a name that can be typed after a slash. It comes from the file's own field, or else from its location. */
const toUsableName = (declaredName: string, place: string): string =>
  sanitizeName(declaredName) || sanitizeName(place) || 'unnamed';

const sanitizeName = (text: string): string =>
  text
    .trim()
    .replaceAll(/[^\p{Letter}\p{Number}_.-]+/gu, '-')
    .replaceAll(/^[-.]+|-+$/gu, '')
    .slice(0, maxChars.name);
