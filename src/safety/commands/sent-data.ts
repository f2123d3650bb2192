import {isInterpreter, isShell} from './known-programs.ts';
import type {PathContext} from '../paths/path-context.ts';
import {workspacePaths} from '../paths/judge-path.ts';
import {isAbsolutePath, pathOf} from '../paths/path-parts.ts';
import {looksSecret, mayNameSecret} from '../paths/secret-paths.ts';
import {secretName} from '../secrets/secret-name.ts';
import type {Argument} from '../shell/expansion.ts';
import type {JudgedInvocation, SideEffect} from './analyze-command.ts';
import type {CommandForms} from './command-forms.ts';
import {commandsStarted, isLoopback} from './risks.ts';
import {
  connection,
  environment,
  gitUpload,
  isCredential,
  emptyUpload,
  outputOf,
  secretVariables,
  type Upload,
  uploadOf,
} from './uploads.ts';
import {programName} from './layers.ts';

/** Private data that a command sends to another machine. */
export interface SentData {
  readonly host: string;
  /** Paths as people write them, or `environment variables` and `commits`. */
  readonly what: readonly string[];
}

/**
 * Finds the data that a command sends to other machines: files that need an approval to read, the environment, and commits to a
 * remote that the command itself names. If an invocation sends its input, or words that are known only at run time, it sends what
 * the earlier invocations read.
 */
export function sentData(
  command: string,
  {
    invocations,
    sideEffects,
  }: {
    readonly invocations: readonly CalledWords[];
    readonly sideEffects: readonly Pick<SideEffect, 'range' | 'effect' | 'part' | 'target'>[];
  },
  context: PathContext,
): readonly SentData[] {
  const all = invocations.flatMap(invocation => stepsOf(command, invocation));
  // Outside the workspace the folder is unknown. The last folder that the command entered is precise enough here.
  let entered: readonly string[] = [];
  const steps = all.map(step => {
    const before = entered;
    const [name = '', to = ''] = step.words;
    if (name === 'cd' || name === 'pushd') entered = isAbsolutePath(to) ? [to] : [];
    return step.directories.length > 0 ? step : {...step, directories: before};
  });
  const uploads: readonly (Upload & {readonly step: Pick<Step, 'range' | 'directories' | 'words'>})[] = [
    ...steps.flatMap(step => {
      const upload = uploadOf(step.words) ?? gitUpload(step.words, steps);
      return upload === undefined ? [] : [{...upload, step}];
    }),
    ...sideEffects.flatMap(({range, target}) => {
      const [, host] = connection.exec(target) ?? [];
      if (host === undefined) return [];
      const before = command.slice(0, range.from);
      // Any later part of the command may write to a descriptor that `exec` opens.
      const to = /\bexec\s*\d*[<>&\s]*$/u.test(before) ? command.length : range.to;
      const named = /\b(?:ba|da|k|z)?sh\b[\s\w-]*[<>&\d\s]*$/u.test(before) ? [outputOf(['sh'])] : [];
      return [
        {...emptyUpload, host, named, input: 'sent' as const, step: {range: {from: 0, to}, directories: [], words: []}},
      ];
    }),
  ];
  if (uploads.length === 0) return [];
  const isPrivate = privatePaths(context);
  const read: readonly ReadData[] = [
    ...steps.flatMap(step =>
      uploadOf(step.words) === undefined || printsSecrets.test(step.words.join(' ')) ? dataRead(step, isPrivate) : [],
    ),
    ...sideEffects.flatMap(({effect, range, part}): readonly ReadData[] => {
      if (effect !== 'reads') return [];
      const isLoop = /(?:\bdone|[})])\s*$/u.test(command.slice(0, range.from));
      const [text = ''] = command.slice(range.from).split(/[;\n]|&&/u, 1);
      return [{from: isLoop ? 0 : range.from, text, what: part.replace(/^\d*<\s*/u, ''), by: 'content'}];
    }),
  ];
  const found = uploads
    .filter(({host}) => !isLoopback(host))
    .map(({host, files, mentions, named, input, step}): SentData => {
      const {from} = step.range;
      const hasDocument = /(?<!<)<<-?\s*[\w\\'"]/u.test(command.slice(from, step.range.to));
      const to = hasDocument ? command.length : step.range.to;
      const text = command.slice(from, to);
      const isFed = input === 'sent' && /(?<!\|)\|(?!\|)|[<>]/u.test(command.slice(0, to));
      const isNamed = /\b(?:xargs|parallel)\b/u.test(text);
      const isOpen = isNamed || /[$`]|\{\}|<\(/u.test(text);
      const through = read.filter(
        each =>
          each.from < to &&
          (each.by === 'content' ||
            (each.by === 'name'
              ? isNamed
              : each.from !== from && !isCredential.test(command.slice(from, each.from)))) &&
          (isFed || isOpen || files.some(file => each.text.includes(file))),
      );
      const assigned = [...text.matchAll(/\$\{?(\w+)/gu)].flatMap(([, name = '']) =>
        [...command.slice(0, to).matchAll(new RegExp(String.raw`(?:^|[;&\s])${name}=["']?([^\s;&"']+)`, 'gu'))].flatMap(
          ([, value = '']) => value,
        ),
      );
      const said = hasDocument
        ? [...step.words, command.slice(step.range.to)]
        : [...step.words, ...text.split('<<<').slice(1)];
      const puts = /^(?:[nt]c?ftp|[lp]?s?ftp|smbclient|cadaver)$/u.test(programName(step.words[0] ?? ''))
        ? [...command.slice(0, to).matchAll(/\bm?put\s+([^\s'";]+)/gu)].map(([, file = '']) => file)
        : [];
      const own = [
        ...files.filter(file => isPrivate(file, step.directories) !== 'no'),
        ...[...mentions, ...assigned, ...puts].filter(file => isPrivate(file, step.directories) === 'there'),
      ];
      const what = [...named, ...own, ...through.map(each => each.what), ...(isOpen ? secretVariables(said) : [])];
      return {host, what: [...new Set(what)].map(path => shown(path, context))};
    });
  return found.filter(({what}) => what.length > 0);
}

type CalledWords = Pick<JudgedInvocation, 'range' | 'words' | 'directories'>;

/** One command that an invocation runs, with one possible value of each word. */
interface Step extends Pick<JudgedInvocation, 'range' | 'directories'> {
  readonly words: readonly string[];
  readonly text: string;
}

/** The maximum number of values of loop words, which are tried one after the other. */
const maxValues = 64;

function stepsOf(command: string, {words, range, directories}: CalledWords): readonly Step[] {
  const texts = words.map(word => textsOf(command, word));
  const length = Math.min(maxValues, Math.max(...texts.map(each => each.length)));
  const text = command.slice(range.from, range.to);
  return Array.from({length}, (_, at) => texts.map(each => each[at] ?? each[0] ?? '')).flatMap(variant => {
    const started = commandsStarted(variant).map(each => each.words);
    const sender = started.find(each => uploadOf(each) !== undefined)?.join('\n');
    // The words of a sender are not files that its wrapper reads.
    return started.map(all => {
      const at =
        sender === undefined ? -1 : all.findIndex((_, index) => index > 0 && all.slice(index).join('\n') === sender);
      return {words: at < 0 ? all : all.slice(0, at), range, directories, text};
    });
  });
}

/** Returns the possible texts of a word. An unknown word is returned as written. */
const textsOf = (command: string, {value, range}: Argument): readonly string[] =>
  typeof value === 'string' || value.length === 0
    ? [command.slice(range.from, range.to).replaceAll(/["']/gu, '')]
    : value.map(({text}) => text);

interface ReadData {
  readonly from: number;
  /** The command that reads the data. */
  readonly text: string;
  readonly what: string;
  /** `name`: only the name is passed on, which xargs reads as a file. `token`: it may only identify the user. */
  readonly by: 'content' | 'name' | 'token';
}

function dataRead(
  {words, range, text, directories}: Step,
  isPrivate: ReturnType<typeof privatePaths>,
): readonly ReadData[] {
  const [program = '', ...args] = words;
  const name = programName(program);
  const found =
    (by: ReadData['by']) =>
    (what: string): ReadData => ({from: range.from, text, what, by});
  const dumps =
    name === 'set'
      ? args.length === 0
      : printsVariables.has(name) &&
        args.every(word => word.startsWith('-') || (name === 'printenv' && secretName(word) !== 'none'));
  if (dumps) return [environment].map(found('content'));
  if (printsSecrets.test([name, ...args].join(' '))) return [outputOf([name, ...args])].map(found('token'));
  // Options in first position belong to a wrapper.
  const files =
    isShell(name) || program.startsWith('-')
      ? []
      : args.flatMap(word => {
          const parts = word
            .split(isInterpreter(name) ? /["'`]/u : /[=:,@]/u)
            .filter(each => each !== word && isPrivate(each, directories) === 'there');
          return parts.length === 0 && isPrivate(word, directories) === 'there' ? [word] : parts;
        });
  return [
    ...secretVariables(args).map(found('content')),
    ...files.map(found(readsNothing.has(name) ? 'name' : 'content')),
  ];
}

/** Matches programs that print a secret from a file that they do not name. */
const printsSecrets =
  /^(?:gpg2? .*--export-secret|pass (?:show |[^-])|gh auth token|aws configure (?:get|export)|aws secretsmanager get-secret|gcloud auth print-|az account get-access-token|kubectl (?:.* )?get secrets?\b|kubectl config view .*--raw|vault (?:kv get|read)|op (?:read|item get)|secret-tool lookup|security find-\S+-password|git credential|terraform output|doppler secrets|heroku config(?!:)|history$)/u;

const printsVariables: ReadonlySet<string> = new Set(['env', 'printenv', 'export', 'declare', 'typeset']);

/** Programs that read none of the files that their words name. */
const readsNothing: ReadonlySet<string> = new Set(
  'echo printf test [ true false : cd pushd mkdir touch rm rmdir chmod chown sleep kill env export declare typeset set'.split(
    ' ',
  ),
);

/**
 * Returns how likely it is that a word is the path of a file that needs an approval to read. `there`: the file exists, or its
 * name says that it contains secrets.
 */
const privatePaths =
  (context: PathContext) =>
  (word: string, directories: readonly string[]): 'no' | 'perhaps' | 'there' => {
    if (word === '' || word === '-' || word.includes('://') || /^\/(?:usr\/)?(?:local\/)?s?bin\//u.test(word))
      return 'no';
    const starts = directories.length === 0 ? [pathOf(context.roots()[0] ?? [])] : directories;
    const path = word.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/u, pathOf(context.homes()[0] ?? []));
    const style = /[*?[]/u.test(path) ? 'wild' : 'plain';
    if (workspacePaths(context).from(starts)({text: path, style}, 'read') === undefined) return 'no';
    const isNamed = /[./]/u.test(path) && (style === 'wild' ? mayNameSecret(path, 'like others') : looksSecret(path));
    return isNamed || starts.some(start => isThere(isAbsolutePath(path) ? path : `${start}/${path}`, context))
      ? 'there'
      : 'perhaps';
  };

function isThere(path: string, context: PathContext): boolean {
  const [plain = ''] = path.split(/[*?[]/u, 1);
  const end = plain.replace(/(?:\/\.)?\/*$/u, '');
  const isFolder = /\/\.?$/u.test(plain);
  const folder = isFolder ? end : end.slice(0, Math.max(0, end.lastIndexOf('/')));
  const name = isFolder ? '' : end.slice(end.lastIndexOf('/') + 1);
  return context.list(folder === '' ? '/' : folder).some(each => name === '' || each.name.startsWith(name));
}

function shown(path: string, {homes}: PathContext): string {
  const home = pathOf(homes()[0] ?? []);
  if (path === home) return '~';
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path.replace(/^\$\{?HOME\}?(?=\/)/u, '~');
}

/** Returns the data that an unparsed command may send: every program in it may receive what any other reads. */
export const sentDataOfForms = (
  command: string,
  {forms, redirected}: Pick<CommandForms, 'forms' | 'redirected'>,
  context: PathContext,
): readonly SentData[] => {
  const range = {from: 0, to: command.length};
  const invocations = forms.slice(0, maxForms).map(form => ({
    range,
    directories: [],
    words: form.split(' ').map(text => ({range, value: [{text, style: 'plain'} as const]})),
  }));
  const sideEffects = [...redirected].map(target => ({range, target, effect: 'unsure' as const, part: ''}));
  return sentData(command, {invocations, sideEffects}, context).slice(0, 1);
};

const maxForms = 500;
