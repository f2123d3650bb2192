import type {PathContext} from '../paths/path-context.ts';
import {workspacePaths} from '../paths/judge-path.ts';
import {isAbsolutePath, pathOf} from '../paths/path-parts.ts';
import {looksSecret} from '../paths/secret-paths.ts';
import {secretName} from '../secrets/secret-name.ts';
import type {Argument} from '../shell/expansion.ts';
import type {JudgedInvocation, SideEffect} from './analyze-command.ts';
import type {CommandForms} from './command-forms.ts';
import {commandsStarted, isLoopback} from './risks.ts';
import {isShell, optionValues, programName} from './wrappers.ts';

/** Private data that a command sends to another machine. */
export interface SentData {
  readonly host: string;
  /** Paths as people write them, or `environment variables` and `commits`. */
  readonly what: readonly string[];
}

/**
 * Finds what a command sends to other machines: files that may not be read unasked, the environment, and commits that go to a remote
 * which the command itself names. If an invocation sends its input, or words that are only known when it runs, it sends what the
 * invocations before it read.
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
  const steps = invocations.flatMap(invocation => stepsOf(command, invocation));
  const uploads: readonly (Upload & {readonly step: Pick<Step, 'range' | 'directories'>})[] = [
    ...steps.flatMap(step => {
      const upload = uploadOf(step.words) ?? pushTo(step.words, steps);
      return upload === undefined ? [] : [{...upload, step}];
    }),
    ...sideEffects.flatMap(({range, target}) => {
      const [, host] = /^\/dev\/(?:tcp|udp)\/([^/]+)/u.exec(target) ?? [];
      return host === undefined
        ? []
        : [{host, files: [], input: 'sent' as const, step: {range: {from: 0, to: range.to}, directories: []}}];
    }),
  ];
  if (uploads.length === 0) return [];
  const isPrivate = privatePaths(context);
  const read: readonly ReadData[] = [
    ...steps.flatMap(step => (uploadOf(step.words) === undefined ? dataRead(step, isPrivate) : [])),
    ...sideEffects.flatMap(({effect, range, part}) =>
      effect === 'reads' ? [{from: range.from, text: part, what: part.replace(/^\d*<\s*/u, '')}] : [],
    ),
  ];
  const found = uploads
    .filter(({host}) => !isLoopback(host))
    .map(({host, files, input, step}): SentData => {
      const {from, to} = step.range;
      const before = read.filter(each => each.from < to);
      const isFed = input === 'sent' && /(?<!\|)\|(?!\|)|[<>]/u.test(command.slice(0, to));
      const isOpen = /[$`]|\{\}/u.test(command.slice(from, to));
      const through = before.filter(({text}) => isFed || isOpen || files.some(file => text.includes(file)));
      const own = files.filter(file => file === commits || isPrivate(file, step.directories) !== 'no');
      return {host, what: [...new Set([...own, ...through.map(({what}) => what)])].map(path => shown(path, context))};
    });
  return found.filter(({what}) => what.length > 0);
}

type CalledWords = Pick<JudgedInvocation, 'range' | 'words' | 'directories'>;

/** One command that an invocation runs, with one of the values that each of its words may have. */
interface Step extends Pick<JudgedInvocation, 'range' | 'directories'> {
  readonly words: readonly string[];
  readonly text: string;
}

/** The values of the words of a loop are taken one after the other. */
const mostValues = 64;

function stepsOf(command: string, {words, range, directories}: CalledWords): readonly Step[] {
  const texts = words.map(word => textsOf(command, word));
  const length = Math.min(mostValues, Math.max(...texts.map(each => each.length)));
  const text = command.slice(range.from, range.to);
  return Array.from({length}, (_, at) => texts.map(each => each[at] ?? each[0] ?? '')).flatMap(variant => {
    const started = commandsStarted(variant).map(each => each.words);
    const sender = started.find(each => uploadOf(each) !== undefined)?.join('\n');
    // The words of a sender are no files that its wrapper reads.
    return started.map(all => {
      const at =
        sender === undefined ? -1 : all.findIndex((_, index) => index > 0 && all.slice(index).join('\n') === sender);
      return {words: at < 0 ? all : all.slice(0, at), range, directories, text};
    });
  });
}

/** The texts that a word may have; what is only known when it runs stays as it is written. */
const textsOf = (command: string, {value, range}: Argument): readonly string[] =>
  typeof value === 'string' || value.length === 0
    ? [command.slice(range.from, range.to).replaceAll(/["']/gu, '')]
    : value.map(({text}) => text);

interface ReadData {
  readonly from: number;
  /** The command that reads it. */
  readonly text: string;
  readonly what: string;
}

function dataRead(
  {words, range, text, directories}: Step,
  isPrivate: ReturnType<typeof privatePaths>,
): readonly ReadData[] {
  const [program = '', ...args] = words;
  const name = programName(program);
  const found = (what: string): ReadData => ({from: range.from, text, what});
  const dumps =
    name === 'set'
      ? args.length === 0
      : printsVariables.has(name) &&
        args.every(word => word.startsWith('-') || (name === 'printenv' && secretName(word) !== 'none'));
  if (dumps) return [found(environment)];
  const variables = args
    .flatMap(word => [...word.matchAll(/\$\{?(\w+)/gu)])
    .flatMap(([, variable = '']) => (secretName(variable.toUpperCase()) === 'none' ? [] : [`$${variable}`]));
  const files =
    readsNothing.has(name) || isShell(name)
      ? []
      : args.flatMap(word => [word, ...word.split(/[=:,@]/u)]).filter(word => isPrivate(word, directories) === 'there');
  return [...variables, ...files].map(found);
}

const environment = 'environment variables';
const commits = 'commits';

const printsVariables: ReadonlySet<string> = new Set(['env', 'printenv', 'export', 'declare', 'typeset']);

/** Programs whose words are no files that they read. */
const readsNothing: ReadonlySet<string> = new Set(
  'echo printf test [ true false : cd pushd mkdir touch rm rmdir chmod chown sleep kill env export declare typeset set'.split(
    ' ',
  ),
);

/** Tells how surely a word is the path of a file that may not be read unasked; `there`: the file exists, or its name says so. */
const privatePaths =
  (context: PathContext) =>
  (word: string, directories: readonly string[]): 'no' | 'perhaps' | 'there' => {
    if (word === '' || word === '-' || word.includes('://') || /^\/(?:usr\/)?(?:local\/)?s?bin\//u.test(word))
      return 'no';
    const starts = directories.length === 0 ? [pathOf(context.roots()[0] ?? [])] : directories;
    const path = word.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/u, pathOf(context.homes()[0] ?? []));
    const style = /[*?[]/u.test(path) ? 'wild' : 'plain';
    if (workspacePaths(context).from(starts)({text: path, style}, 'read') === undefined) return 'no';
    const isNamed = /[./]/u.test(path) && looksSecret(path);
    return isNamed || starts.some(start => isThere(isAbsolutePath(path) ? path : `${start}/${path}`, context))
      ? 'there'
      : 'perhaps';
  };

function isThere(path: string, context: PathContext): boolean {
  const [plain = ''] = path.split(/[*?[]/u, 1);
  const end = plain.replace(/\/+$/u, '');
  const folder = plain.endsWith('/') ? end : end.slice(0, Math.max(0, end.lastIndexOf('/')));
  const name = plain.endsWith('/') ? '' : end.slice(end.lastIndexOf('/') + 1);
  return context.list(folder === '' ? '/' : folder).some(each => name === '' || each.name.startsWith(name));
}

function shown(path: string, {homes}: PathContext): string {
  const home = pathOf(homes()[0] ?? []);
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path.replace(/^\$\{?HOME\}?(?=\/)/u, '~');
}

/** The host that a program sends to, and the files that it sends. */
interface Upload {
  readonly host: string;
  readonly files: readonly string[];
  readonly input: 'sent' | 'kept';
}

/** Returns where a command of these words sends, and what; `undefined` if it is no program that sends. */
function uploadOf([program = '', ...args]: readonly string[]): Upload | undefined {
  const name = programName(program);
  const read = senders.get(name)?.(args);
  return read === undefined
    ? undefined
    : {...read, files: read.files.filter(file => file !== ''), host: hostOf(read.host)};
}

/** `evil.example` of `https://me@evil.example:80/x`, and of `$(cat a).evil.example`. */
function hostOf(text: string): string {
  const host = text
    .replaceAll(/\$\([^]*\)|`[^`]*`|\$\{?\w+\}?/gu, '')
    .replace(/^[a-z][\w+.-]*:\/\//iu, '')
    .replace(/^[^@/]*@/u, '');
  const [named = ''] = /^\[[^\]]*\]|^[^/:?#]*/u.exec(host) ?? [];
  return named.replace(/^\.+/u, '') || 'another machine';
}

type Sender = (args: readonly string[]) => Upload | undefined;

/** The words that are no options and no values of the options in `valued`. */
const operandsOf = (args: readonly string[], valued: RegExp): readonly string[] =>
  args.filter((word, at) => !/^-./u.test(word) && !valued.test(args[at - 1] ?? ''));

const urlOf = (args: readonly string[]): string =>
  args.find(word => /^[a-z]+:\/\//iu.test(word)) ?? args.filter(word => !word.startsWith('-')).at(-1) ?? '';

const curl: Sender = args => {
  const values = (option: RegExp): readonly string[] =>
    optionValues(
      args.flatMap(word => {
        // The last of several letters may have a value: `-sd @file`.
        const [, letter, value = ''] = /^-[sSfLIikvgGNOJ#0-46]+([dFTHb])(.*)$/su.exec(word) ?? [];
        return letter === undefined ? [word] : [`-${letter}${value}`];
      }),
      option,
    );
  const files = [
    ...values(/^(?:-[dH]|--(?:data|data-ascii|data-binary|json|header|url-query))$/u).flatMap(attached(/^@(.+)$/su)),
    ...values(/^--(?:data-urlencode|variable)$/u).flatMap(attached(/^[^=@]*@(.+)$/su)),
    ...values(/^(?:-F|--form)$/u).flatMap(attached(/^[^=]*=[@<]([^;]+)/su)),
    ...values(/^(?:-T|--upload-file)$/u),
    ...values(/^(?:-b|--cookie)$/u).filter(value => !value.includes('=')),
  ];
  return {host: urlOf(args), files, input: files.some(file => /^[-.]$/u.test(file)) ? 'sent' : 'kept'};
};

const attached =
  (form: RegExp) =>
  (value: string): readonly string[] =>
    form.exec(value)?.slice(1) ?? [];

/** Programs that send their input to the first host that they are given. */
const connects =
  (valued: RegExp): Sender =>
  args => ({host: operandsOf(args, valued)[0] ?? '', files: [], input: 'sent'});

/** Programs that copy to a place of another machine, which is the last operand. */
const copies: Sender = args => {
  const operands = operandsOf(
    args,
    /^(?:-[A-Za-z]*[cFiJloPSXDeTBM]|--(?:rsh|exclude|include|filter|[a-z]+-from|log-file|rsync-path|profile|region))$/u,
  );
  const target = operands.at(-1) ?? '';
  if (!/^[a-z0-9]+:\/\/|^[^/\s]+:/iu.test(target)) return undefined;
  return {
    host: target,
    files: operands.slice(0, -1),
    input: /^(?:-|rcat)$/mu.test(operands.join('\n')) ? 'sent' : 'kept',
  };
};

const asksForNames: Sender = args => ({host: operandsOf(args, /^-[A-Za-z]$/u).at(-1) ?? '', files: [], input: 'kept'});

const hub =
  (host: string): Sender =>
  args => {
    const [noun = '', verb = '', ...rest] = args.filter(word => word !== '--');
    const isUpload =
      /^(?:(?:gist|snippet|release) (?:create|new|edit|upload)|(?:secret|variable) set)$/u.test(`${noun} ${verb}`) ||
      noun === 'api';
    if (!isUpload) return undefined;
    const files = [
      ...rest.filter(word => !word.startsWith('-')),
      ...optionValues(args, /^(?:--input|-f|--env-file)$/u),
      ...optionValues(args, /^(?:-F|--field)$/u).flatMap(attached(/^[^=]*=@(.+)$/su)),
    ];
    return {host, files: noun === 'api' ? files.filter(file => !file.startsWith('/')) : files, input: 'sent'};
  };

const mails: Sender = args => ({
  host: args.find(word => /^[^@\s]+@[\w.-]+$/u.test(word)) ?? '',
  files: optionValues(args, /^(?:-[aA]|--attach)$/u),
  input: 'sent',
});

/** The one table of programs that send data to other machines. */
const senders: ReadonlyMap<string, Sender> = new Map<string, Sender>([
  ['curl', curl],
  ['wget', args => ({host: urlOf(args), files: optionValues(args, /^--(?:post|body)-file$/u), input: 'kept'})],
  ...['http', 'https', 'httpie', 'xh'].map((name): [string, Sender] => [
    name,
    args => ({
      host: urlOf(args.filter(word => !word.includes('@'))),
      files: args.flatMap(attached(/@(.+)$/su)),
      input: 'sent',
    }),
  ]),
  ...['nc', 'ncat', 'netcat', 'telnet', 'websocat', 'ftp', 'tftp', 'sftp', 'ssh', 'mosh'].map(
    (name): [string, Sender] => [name, connects(/^-[A-Za-z]*[iIMmOPpqsTVWwXxcebBDEFJlLoQRS]$/u)],
  ),
  [
    'socat',
    args => ({
      host: args.flatMap(attached(/^(?:tcp|udp|openssl|ssl)[\w-]*:([^:,]+)/iu))[0] ?? '',
      files: args.flatMap(attached(/^(?:(?:file|open|gopen):)?([~/.][^,]*)/iu)),
      input: 'sent',
    }),
  ],
  [
    'openssl',
    args =>
      args[0] === 's_client' ? {host: optionValues(args, /^-connect$/u)[0] ?? '', files: [], input: 'sent'} : undefined,
  ],
  ...['lftp', 'smbclient'].map((name): [string, Sender] => [
    name,
    args => ({host: urlOf(args), files: args.flatMap(word => word.split(/[\s;'"]+/u)), input: 'sent'}),
  ]),
  ...'scp rsync aws gsutil gcloud azcopy rclone s3cmd kubectl'
    .split(' ')
    .map((name): [string, Sender] => [name, copies]),
  [
    'az',
    args =>
      args[0] === 'storage' && args.some(word => word.startsWith('upload'))
        ? {
            host: optionValues(args, /^--account-name$/u)[0] ?? 'Azure',
            files: optionValues(args, /^(?:-[fs]|--file|--source)$/u),
            input: 'kept',
          }
        : undefined,
  ],
  ['gh', hub('github.com')],
  ['glab', hub('gitlab.com')],
  ...['mail', 'mailx', 'mutt', 'sendmail'].map((name): [string, Sender] => [name, mails]),
  ...'dig nslookup host drill whois ping ping6 traceroute getent'
    .split(' ')
    .map((name): [string, Sender] => [name, asksForNames]),
]);

/** A push to a repository by its address, or to a remote that the same command adds. */
function pushTo([program = '', ...args]: readonly string[], steps: readonly Step[]): Upload | undefined {
  const at = args.indexOf('push');
  if (programName(program) !== 'git' || at < 0) return undefined;
  const [remote = ''] = args.slice(at + 1).filter(word => !word.startsWith('-'));
  const settings = [`remote.${remote}.url`, `remote.${remote}.pushurl`];
  const added = steps.flatMap(({words}) => {
    const setAt = words.findIndex((word, index) => /^(?:add|set-url)$/u.test(word) && words[index - 1] === 'remote');
    const operands = setAt < 0 ? [] : words.slice(setAt + 1).filter(word => !word.startsWith('-'));
    return [
      ...words.flatMap((word, index) => {
        const [name = '', ...value] = word.split('=');
        return settings.includes(name) ? [value.length > 0 ? value.join('=') : (words[index + 1] ?? '')] : [];
      }),
      ...(remote !== '' && operands.includes(remote) ? operands.slice(-1) : []),
    ];
  });
  const address = /^[a-z+]+:\/\/|^[^/]+:/iu.test(remote) ? remote : added.at(-1);
  return address === undefined || !/^[a-z+]+:\/\/(?!\/)|^[^/]+:/iu.test(address) || address.startsWith('file:')
    ? undefined
    : {host: hostOf(address), files: [commits], input: 'kept'};
}

/** The same of a command that weft cannot read: every program in it may get what any other one reads. */
export const sentDataOfForms = (
  command: string,
  {forms, redirected}: Pick<CommandForms, 'forms' | 'redirected'>,
  context: PathContext,
): readonly SentData[] => {
  const range = {from: 0, to: command.length};
  const invocations = forms.slice(0, mostForms).map(form => ({
    range,
    directories: [],
    words: form.split(' ').map(text => ({range, value: [{text, style: 'plain'} as const]})),
  }));
  const sideEffects = [...redirected].map(target => ({range, target, effect: 'unsure' as const, part: ''}));
  return sentData(command, {invocations, sideEffects}, context).slice(0, 1);
};

const mostForms = 500;
