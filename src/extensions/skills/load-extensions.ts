import * as z from 'zod/mini';
import {clip, collapseSpaces} from '../../base/clip.ts';
import {isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import type {FileTrust} from '../../config/trust-record.ts';
import {builtInCommands, type ExtensionScope} from '../../domain/slash-command.ts';
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

/** Whether something may be used; `no` says why not, in words for the user. */
export type Offer = {readonly offered: 'yes'} | {readonly offered: 'no'; readonly reason: string};

/** What skills, commands and agents have in common. Texts are bounded, and not yet made visible for a terminal. */
export interface ExtensionFile {
  /** Unique among those of its kind that are offered. A plugin's begin with its name and a colon. */
  readonly name: string;
  /** One line; empty if the file says nothing. */
  readonly description: string;
  readonly scope: ExtensionScope;
  readonly path: string;
  readonly root: ExtensionRoot;
  readonly offer: Offer;
  /** Rules or tools as the file names them. */
  readonly tools: readonly string[];
  /** The model that it names; empty for none. */
  readonly model: string;
  /** Every field of its front matter, known or not. */
  readonly fields: JsonObject;
}

export interface SkillFile extends ExtensionFile {
  readonly folder: string;
  readonly argumentHint: string;
  /** Whether the model is told of it, and whether the user may write `/name`. Both only count where it is offered. */
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
  /** What was left out altogether: one sentence each. */
  readonly notices: readonly string[];
}

/**
 * Reads all skills, commands and agents of these places, those that win a name first. The `given` agents come before all that files
 * define. Never throws.
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
    notices.push(...found.flatMap(({leftOut}) => leftOut.map(({path, why}) => `${path} is left out: ${why}.`)));
    return Promise.all(found.flatMap(({root, files}) => files.map(async file => make(await readFile(file, root)))));
  };
  const [skills, commands, agents] = await Promise.all([
    readPart(extensionParts[0], skillOf),
    readPart(extensionParts[1], commandOf),
    readPart(extensionParts[2], agentOf),
  ]);
  const offeredSkills = withoutShadowed(skills);
  const skillNames = new Map(
    offeredSkills.flatMap(skill => (isForUser(skill) ? [[skill.name, skill.path] as const] : [])),
  );
  return {
    skills: offeredSkills,
    commands: withoutShadowed(commands.map(command => withNameFree(command, skillNames))),
    agents: withoutShadowed([...given, ...agents]),
    notices,
  };
}

const isForUser = ({offer, forUser}: SkillFile): boolean => offer.offered === 'yes' && forUser === 'yes';

/** A file with what was read in it. */
interface ReadFile extends Pick<MarkdownFile, 'fields' | 'body'> {
  readonly file: Pick<FoundFile, 'path' | 'parts'>;
  readonly root: ExtensionRoot;
  /** Why it may not act, or cannot be read; `undefined` if it can. */
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
    reason: untrustedReason(file.trust) ?? (read.tag === 'failed' ? read.error : undefined),
  };
}

/** Of those that share a name the first is offered; the others say which one it is. */
function withoutShadowed<Kind extends ExtensionFile>(files: readonly Kind[]): readonly Kind[] {
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

function withNameFree(command: CommandFile, skills: ReadonlyMap<string, string>): CommandFile {
  if (command.offer.offered === 'no') return command;
  const skill = skills.get(command.name);
  if (builtInCommands.has(command.name)) {
    return {...command, offer: {offered: 'no', reason: `/${command.name} is a command of weft itself`}};
  }
  return skill === undefined
    ? command
    : {...command, offer: {offered: 'no', reason: `the skill ${skill} has the same name and comes first`}};
}

function skillOf(read: ReadFile): SkillFile {
  const {file, root, fields} = read;
  const folder = dirname(file.path);
  const said = textField(fields, 'name');
  const own = basename(folder);
  const name = prefixed(root, isNamedByFolder(file, root) ? nameFrom(own, said) : nameFrom(said, own));
  const description = [textField(fields, 'description'), textField(fields, 'when_to_use')]
    .filter(text => text !== '')
    .join(' ');
  const wantsUser = flagField(fields, 'user-invocable') !== false;
  return {
    ...commonOf(name, read, description === '' ? 'it has no description' : undefined),
    description: bounded(description, longest.skillDescription),
    folder,
    argumentHint: bounded(textField(fields, 'argument-hint', 'argument_hint'), longest.hint),
    forModel: flagField(fields, 'disable-model-invocation') === true ? 'no' : 'yes',
    forUser: wantsUser && !builtInCommands.has(name) ? 'yes' : 'no',
  };
}

/**
 * Claude Code calls a skill by its folder, whatever name it says, except where the folder is one that a plugin names (seen in 2.1.330);
 * for the others the name that it says counts (agentskills.io: both should be the same).
 */
const isNamedByFolder = ({parts}: ReadFile['file'], {scope, folder}: ExtensionRoot): boolean =>
  parts.length > 1 && (scope === 'plugin' || basename(folder) === '.claude');

function commandOf(read: ReadFile): CommandFile {
  const {file, root, fields, body} = read;
  const name = prefixed(
    root,
    file.parts
      .map((part, at) => nameFrom('', at === file.parts.length - 1 ? part.replace(/\.md$/iu, '') : part))
      .join(':'),
  );
  const firstWords = body.split('\n').find(line => line.trim() !== '') ?? '';
  return {
    ...commonOf(name, read, body === '' ? 'it is empty' : undefined),
    description: bounded(textField(fields, 'description') || firstWords.replace(/^#+\s*/u, ''), longest.description),
    argumentHint: bounded(textField(fields, 'argument-hint', 'argument_hint'), longest.hint),
  };
}

function agentOf(read: ReadFile): AgentFile {
  const {file, root, fields, body} = read;
  const own = nameFrom(textField(fields, 'name'), (file.parts.at(-1) ?? '').replace(/\.md$/iu, ''));
  // Folders are part of the names of a plugin's agents, and of no others (seen in Claude Code 2.1.330).
  const folders = root.scope === 'plugin' ? file.parts.slice(0, -1).map(part => nameFrom(part, '')) : [];
  const name = prefixed(root, [...folders, own].join(':'));
  const description = textField(fields, 'description');
  const lack = description === '' ? 'it has no description' : body === '' ? 'it has no prompt' : undefined;
  return {
    ...commonOf(name, read, lack),
    tools: listField(fields, 'tools'),
    description: bounded(description, longest.skillDescription),
    prompt: root.scope === 'plugin' ? body.replaceAll('${CLAUDE_PLUGIN_ROOT}', () => root.folder) : body,
  };
}

/** Kinds of agents as `--agents` and programs define them: the fields of an agent's file, and its prompt. */
const definitions = z.record(
  z.string().check(z.minLength(1)),
  z.looseObject({description: z.string().check(z.minLength(1)), prompt: z.string().check(z.minLength(1))}),
);

/** Reads definitions of agents; the error says which one does not fit and how. `source` names where they come from. */
export function givenAgents(json: Json, source: string): Outcome<readonly AgentFile[], string> {
  const read = z.safeParse(definitions, json);
  if (!read.success) {
    const where = read.error.issues[0]?.path.join('.') ?? '';
    return failed(
      `${where === '' ? 'it' : JSON.stringify(where)} does not fit: it must be {"NAME": {"description": "…", "prompt": "…", "tools": […]?, "model": "…"?}}`,
    );
  }
  return ok(
    Object.entries(read.data).map(([name, {prompt, ...fields}]) =>
      agentFrom(name, {fields: isJsonObject(fields) ? fields : {}, prompt, source}),
    ),
  );
}

function agentFrom(
  name: string,
  {fields, prompt, source}: {readonly fields: JsonObject; readonly prompt: string; readonly source: string},
): AgentFile {
  const root: ExtensionRoot = {folder: '', scope: 'user', trust: 'trusted', prefix: '', paths: usualPaths('')};
  const read: ReadFile = {file: {path: source, parts: []}, root, fields, body: prompt, reason: undefined};
  return {
    ...commonOf(nameFrom(name, ''), read, undefined),
    tools: listField(fields, 'tools'),
    description: bounded(textField(fields, 'description'), longest.skillDescription),
    prompt,
  };
}

/** `lack`: why a file that can be read says too little. */
function commonOf(name: string, read: ReadFile, lack: string | undefined): Omit<ExtensionFile, 'description'> {
  const {file, root, fields, reason = lack} = read;
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

/** Characters of what is kept of a file's own words. */
const longest = {skillDescription: 1024, description: 300, hint: 100, name: 64};

const bounded = (text: string, most: number): string => clip(collapseSpaces(text), most);

/** Why a project's file may not act; `undefined` if it may. */
export const untrustedReason = (trust: FileTrust): string | undefined => untrustedReasons[trust];

const untrustedReasons: Readonly<Record<FileTrust, string | undefined>> = {
  trusted: undefined,
  changed: 'it changed since you trusted this project (review and trust it: weft permissions trust)',
  never: 'you have not trusted this project (review and trust it: weft permissions trust)',
};

const prefixed = ({prefix}: ExtensionRoot, name: string): string => (prefix === '' ? name : `${prefix}:${name}`);

/** A name that can be written behind a slash: of what the file says, or else of where it lies. */
const nameFrom = (said: string, place: string): string => usableName(said) || usableName(place) || 'unnamed';

const usableName = (text: string): string =>
  text
    .trim()
    .replaceAll(/[^\p{Letter}\p{Number}_.-]+/gu, '-')
    .replaceAll(/^[-.]+|-+$/gu, '')
    .slice(0, longest.name);
