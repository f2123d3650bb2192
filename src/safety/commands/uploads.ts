import {effectsOf} from './effects.ts';
import {isInterpreter} from './known-programs.ts';
import {looksSecret} from '../paths/secret-paths.ts';
import {secretName} from '../secrets/secret-name.ts';
import {isLoopback} from './risks.ts';
import {optionValues, programName} from './layers.ts';
import type {Role} from './program-table.ts';

/** The host that a program sends to, and the files that it sends. */
export interface Upload {
  readonly host: string;
  readonly files: readonly string[];
  /** Words that are files only if such files exist. */
  readonly mentions: readonly string[];
  /** Descriptions of other data that the command certainly sends. */
  readonly named: readonly string[];
  readonly input: 'sent' | 'kept';
}

/** The empty upload, with which others begin. */
export const emptyUpload = {host: '', files: [], mentions: [], named: [], input: 'kept'} as const satisfies Upload;

/** Returns where a command sends data, and the data that it sends. Returns `undefined` if the program does not send any. */
export function uploadOf([program = '', ...words]: readonly string[]): Upload | undefined {
  const name = programName(program);
  // `;` and `+` end the command that find runs.
  const args = /^\\?[;+]$/u.test(words.at(-1) ?? '') ? words.slice(0, -1) : words;
  const [, host] = connection.exec(args.join(' ')) ?? [];
  const read =
    host === undefined
      ? (senders.get(name) ?? (isInterpreter(name) ? codeOf : undefined))?.(args)
      : {host, files: args.filter(word => !connection.test(word)), input: 'sent' as const};
  if (read === undefined) return undefined;
  const files = (read.files ?? []).filter(file => !/^(?:-|\.?|[<>&\d]+|\/dev\/(?:stdin|fd\/0))$/u.test(file));
  const hosts = [read.host ?? ''].flat().map(hostOf);
  const others = hosts.filter(each => !isLoopback(each));
  return {
    ...emptyUpload,
    ...read,
    files,
    host: [...new Set(others.length === 0 ? hosts.slice(0, 1) : others)].join(' and ') || hostOf(''),
  };
}

/** Returns the host in a URL: `evil.example` for `https://me@evil.example:80/x` and for `$(cat a).evil.example`. */
function hostOf(text: string): string {
  const host = text
    .replaceAll(/\$\([^]*\)|`[^`]*`|\$\{?\w+\}?|\{\}/gu, '')
    .replace(/^[a-z][\w+.-]*:\/\/|^\/\//iu, '')
    .replace(/^[^@/]*@/u, '');
  const [named = ''] = /^\[[^\]]*\]|^[^/:?#]*/u.exec(host) ?? [];
  return named.replace(/^\.+/u, '') || 'another machine';
}

type Sender = (
  args: readonly string[],
) => (Partial<Omit<Upload, 'host'>> & {readonly host?: string | readonly string[]}) | undefined;

/** Returns the words that are neither options nor values of the options in `valued`. */
const operandsOf = (args: readonly string[], valued: RegExp): readonly string[] =>
  args.filter((word, at) => !/^-./u.test(word) && !valued.test(args[at - 1] ?? ''));

const urlOf = (args: readonly string[]): string =>
  args.find(word => /^[a-z]+:\/\//iu.test(word)) ?? args.filter(word => !word.startsWith('-')).at(-1) ?? '';

const isInput = (file: string): boolean => /^(?:[-.]|\/dev\/(?:stdin|fd\/0))$/u.test(file);

const curl: Sender = args => {
  const effects = effectsOf(['curl', ...args]);
  const all = (...roles: readonly Role[]): readonly string[] =>
    effects.flatMap(({role, word}) => (roles.includes(role) ? [word] : []));
  const files = [
    ...all('data').flatMap(attached(/^@(.+)$/su)),
    ...all('encoded', 'variable').flatMap(attached(/^[^=@]*@(.+)$/su)),
    ...all('form').flatMap(attached(/^[^=]*=[@<]\\?"?([^;"\\]+)/su)),
    ...all('sent').flatMap(value => value.replaceAll(/^\{|\}$/gu, '').split(',')),
    ...all('cookie').filter(value => !value.includes('=')),
  ];
  return {
    host: [
      ...all('url').filter(word => !/^[.@:<>]|^[^$`]*[()]/u.test(word)),
      ...all('host'),
      ...all('reroute').flatMap(attached(/^[^:]*:[^:]*:([^:]+)/su)),
    ],
    files,
    named: all('variable').flatMap(value => secretVariables([value.replace(/^%/u, '$')])),
    input: files.some(isInput) ? 'sent' : 'kept',
  };
};

const attached =
  (form: RegExp) =>
  (value: string): readonly string[] =>
    form.exec(value)?.slice(1) ?? [];

/** Programs that send their input to the first host that they are given. */
const connects =
  (valued: RegExp): Sender =>
  args => ({
    host: operandsOf(args, valued)[0] ?? '',
    files: [],
    named: optionValues(args, /^(?:-e|-c|--exec|--sh-exec|--lua-exec)$/u)
      .filter(value => /[\s/]/u.test(value))
      .map(value => outputOf([value])),
    input: 'sent',
  });

/** Programs that copy to another machine, which the last operand names. */
const copiesWith =
  (letters: string): Sender =>
  args => {
    const operands = operandsOf(
      args,
      new RegExp(
        `^(?:-[A-Za-z]*[${letters}]|--(?:rsh|exclude|include|filter|[a-z]+-from|log-file|rsync-path|profile|region|zone|project|account|cluster|context|namespace|endpoint-url|acl|storage-class|content-type))$`,
        'u',
      ),
    );
    const target = operands.at(-1) ?? '';
    if (!/^(?!fileb?:|\.{0,2}\/)(?:[a-z0-9]+:\/\/|[\w.@:[-][^\s:]*:)/iu.test(target)) return undefined;
    return {
      host: target,
      files: operands.slice(0, -1),
      input: /^(?:-|rcat)$/mu.test(operands.join('\n')) ? 'sent' : 'kept',
    };
  };

const copies = copiesWith('cFiJloPSXDeTBM');

const asksForNames: Sender = args => ({
  host: args.find(word => /^@./u.test(word)) ?? operandsOf(args, /^-[A-Za-z]$/u).at(-1) ?? '',
});

/** Matches the first words after `gh` and `glab` if the command writes a text for people to read. */
export const writesToTracker = /^(?:issue|pr|mr) (?:create|comment|edit|close|review|note|update)$/u;

const hub =
  (host: string): Sender =>
  args => {
    const [noun = '', verb = '', ...rest] = args.filter(word => word !== '--');
    const isMessage = writesToTracker.test(`${noun} ${verb}`);
    const isUpload =
      /^(?:(?:gist|snippet|release) (?:create|new|edit|upload)|(?:secret|variable) set)$/u.test(`${noun} ${verb}`) ||
      noun === 'api';
    if (!isMessage && !isUpload) return undefined;
    // The text of a pull request is often written in a folder for temporary files.
    if (isMessage) return {host, files: optionValues(args, /^(?:-F|--body-file)$/u).filter(looksSecret)};
    const files = [
      ...rest.filter(word => !word.startsWith('-') && !/^\w[^=]*=@/u.test(word)),
      ...optionValues(args, /^(?:--input|-f|--env-file)$/u),
      ...optionValues(args, /^(?:-F|--field)$/u).flatMap(attached(/^[^=]*=@(.+)$/su)),
    ];
    return {host, files: noun === 'api' ? files.filter(file => !file.startsWith('/')) : files, input: 'sent'};
  };

const mails: Sender = args => ({
  host: args.find(word => /^[^@\s]+@[\w.-]+$/u.test(word)) ?? '',
  files: [...optionValues(args, /^(?:-[aA]|--attach)$/u), ...args.flatMap(attached(/^@(.+)$/u))],
  input: 'sent',
});

/** A service's client. It sends the files that its options name, and its input if a word says so. */
const service =
  (host: string): Sender =>
  args => {
    const copied = copies(args);
    if (copied !== undefined) return copied;
    // These subcommands write to the named file.
    if (args.some(word => /^(?:cp|copy|mv|sync|get|get-object|logs|describe)$/u.test(word))) return undefined;
    const options =
      /^(?:-f|--(?:filename|file|from-file|from-env-file|body|data-file|payload|template-file|zip-file|dir))$/u;
    return {
      host,
      mentions: [
        ...optionValues(args, options).map(value => value.replace(/^[\w.-]+=/u, '')),
        ...args.flatMap(attached(/(?:^|=)fileb?:\/\/(.+)$/u)),
        ...(args.some(word => /^(?:put|upload[\w-]*|load|import|deploy|env:import)$/u.test(word)) ? args : []),
      ],
      input: args.some(word => isInput(word) || /^(?:-it?|--stdin|import|put|add|exec|run|set|pipe)$/u.test(word))
        ? 'sent'
        : 'kept',
    };
  };

/** A client of a remote database. */
const queries: Sender = args => {
  const [host = args.find(word => /^[\w+]+:\/\//u.test(word))] = optionValues(args, /^(?:-h|-n|--host|--server)$/u);
  return host === undefined
    ? undefined
    : {host, files: optionValues(args, /^(?:-f|--file)$/u), mentions: args, input: 'sent'};
};

/** Any other program that sends the files in its words, and its input. */
const sendsAll: Sender = args => ({
  host:
    args.find(word => /^[a-z]+:\/\//iu.test(word)) ??
    args.find(word => /^(?:[\w-]+@)?[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?::\d+)?$/iu.test(word)) ??
    '',
  mentions: args.flatMap(word => [word, ...word.split(/[=:,@]/u)]),
  input: 'sent',
});

/** Programs that reach a machine that a substitution's text can name. */
const substituted: Sender = args => (args.some(word => /\$\(|`/u.test(word)) ? {host: urlOf(args)} : undefined);

/** Code that names a machine, with its files and environment variables. */
const codeOf: Sender = args => {
  const code = args.join(' ');
  if (/\b(?:http\.server|SimpleHTTPServer)\b/u.test(code) && args.includes('-m'))
    return {
      host: optionValues(args, /^(?:-b|--bind)$/u),
      files: [...optionValues(args, /^(?:-d|--directory)$/u), './'].slice(0, 1),
    };
  const hosts = [...code.matchAll(/\b(?:https?|wss?|ftp):\/\/[^\s'"`)]+|(?<=connect\(\(?['"])[^'"]+/gu)];
  if (hosts.length === 0) return undefined;
  return {
    host: hosts.map(([host]) => host),
    mentions: [...code.matchAll(/["'`]([^"'`\s]+)["'`]/gu)].map(([, file = '']) => file),
    named: /os\.environ(?!\.get|\[)|process\.env(?![.[\w])|%ENV\b/u.test(code) ? [environment] : [],
  };
};

const posted: Sender = args => {
  const files = optionValues(
    args.map(word => word.replace(/^--(post|body)-f(?:i|il)?(?==|$)/u, '--$1-file')),
    /^--(?:post|body)-file$/u,
  );
  return {
    host: urlOf(args),
    files: [...files, ...args.flatMap(attached(/^post_file=(.+)$/u))],
    input: files.some(isInput) ? 'sent' : 'kept',
  };
};

const asked: Sender = args => ({
  host: urlOf(args.filter(word => !word.includes('@'))),
  files: args.flatMap(attached(/@(.+)$/su)),
  input: 'sent',
});

const connectsTo = connects(
  /^-[A-Za-z]*[iIMmOPpqsTVWwXxcebBDEFJlLoQRS]$|^--(?:[\w-]*exec|proxy\S*|source\S*|wait|idle-timeout)$/u,
);

const senderRows = (names: string, sender: Sender): readonly (readonly [string, Sender])[] =>
  names.split(' ').map(name => [name, sender]);

/** All programs that send data to other machines. */
const senders: ReadonlyMap<string, Sender> = new Map<string, Sender>([
  ...senderRows('curl curlie', curl),
  ...senderRows('wget wget2', posted),
  ...senderRows('http https httpie xh', asked),
  ...senderRows(
    'nc ncat netcat nc.openbsd nc.traditional telnet websocat ftp tftp sftp psftp ncftp ssh mosh',
    connectsTo,
  ),
  [
    'socat',
    args => ({
      host: args.flatMap(attached(/^(?:tcp|udp|openssl|ssl)(?![\w-]*listen)[\w-]*:([^:,]+)/iu))[0] ?? '',
      files: args.flatMap(attached(/^(?:(?:file|open|gopen):)?([~/.][^,]*)/iu)),
      named: args.flatMap(attached(/^(?:exec|system):([^,]+)/iu)).map(value => outputOf([value])),
      input: 'sent',
    }),
  ],
  [
    'openssl',
    args => (args[0] === 's_client' ? {host: optionValues(args, /^-connect$/u)[0] ?? '', input: 'sent'} : undefined),
  ],
  ...senderRows('lftp smbclient cadaver', args => ({
    host: /(?:\b[a-z]+:)?\/\/[\w@:.-]+/u.exec(args.join(' '))?.[0] ?? operandsOf(args, /^-./u)[0] ?? '',
    files: args.filter(word => !word.startsWith('//')).flatMap(word => word.split(/[\s;'"]+/u)),
    input: 'sent',
  })),
  ['rsync', copiesWith('eTBMf')],
  ...senderRows('scp pscp azcopy rclone s3cmd s4cmd s5cmd gsutil unison', copies),
  ...[
    ['aws', 'AWS'],
    ['gcloud bq', 'Google Cloud'],
    ['kubectl oc', 'Kubernetes'],
    ['wrangler', 'Cloudflare'],
    ['vercel', 'Vercel'],
    ['netlify', 'Netlify'],
    ['heroku', 'Heroku'],
    ['fly flyctl', 'Fly.io'],
    ['doctl', 'DigitalOcean'],
    ['b2', 'Backblaze'],
    ['oci', 'Oracle'],
    ['ibmcloud', 'IBM'],
    ['supabase', 'Supabase'],
  ].flatMap(([names = '', host = '']) => senderRows(names, service(host))),
  [
    'az',
    args => {
      const [host = 'Azure'] = optionValues(args, /^--account-name$/u);
      const files = optionValues(args, /^(?:-[fs]|--file|--source)$/u);
      return args[0] === 'storage' && args.some(word => word.startsWith('upload'))
        ? {host, files}
        : {host, mentions: optionValues(args, /^(?:-f|--file)$/u)};
    },
  ],
  ['gh', hub('github.com')],
  ['glab', hub('gitlab.com')],
  ...senderRows('mail mailx mutt neomutt s-nail sendmail msmtp swaks', mails),
  ...senderRows('psql mysql mariadb mongosh redis-cli logger', queries),
  ...senderRows('dig nslookup host drill kdig delv resolvectl whois ping ping6 traceroute getent', asksForNames),
  ...senderRows(
    'aria2c axel lynx w3m links lwp-request GET POST wscat croc wormhole magic-wormhole ffsend transfer pastebinit',
    sendsAll,
  ),
  ...senderRows(
    'ipfs mosquitto_pub kcat kafkacat grpcurl nats telegram-send ntfy slackcat sprunge twine nping hping3 finger surge mc ncftpput http-server serve',
    sendsAll,
  ),
  ...senderRows('npm pnpm yarn pip pip3 uv go cargo gem', substituted),
]);

/**
 * Finds a push to a URL, or to a remote that the same command adds or redirects. Also finds a substitution in a URL from which
 * git reads.
 */
export function gitUpload(
  [program = '', ...args]: readonly string[],
  steps: readonly {readonly words: readonly string[]}[],
): Upload | undefined {
  if (programName(program) !== 'git') return undefined;
  const at = args.indexOf('push');
  if (at < 0) {
    return args.some(word => /\$\(|`/u.test(word)) &&
      args.some(word => /^(?:clone|fetch|pull|ls-remote|archive)$/u.test(word))
      ? {...emptyUpload, host: hostOf(urlOf(args))}
      : undefined;
  }
  const operands = args.slice(at + 1).filter(word => !word.startsWith('-'));
  const [remote = 'origin'] = [...optionValues(args, /^--repo$/u), ...operands];
  const settings = [`remote.${remote}.url`, `remote.${remote}.pushurl`];
  const added = steps.flatMap(({words}) => {
    const setAt = words.findIndex((word, index) => /^(?:add|set-url)$/u.test(word) && words[index - 1] === 'remote');
    const given = setAt < 0 ? [] : words.slice(setAt + 1).filter(word => !word.startsWith('-'));
    return [
      ...words.flatMap((word, index) => {
        const [name = '', ...value] = word.split('=');
        const [, other] = /^url\.(.+)\.(?:push)?insteadof(?:=|$)/iu.exec(word) ?? [];
        if (other !== undefined) return [other];
        return settings.includes(name) ? [value.length > 0 ? value.join('=') : (words[index + 1] ?? '')] : [];
      }),
      ...(given.includes(remote) ? given.slice(-1) : []),
    ];
  });
  const address = /^[a-z+]+:\/\/|^[^/]+:/iu.test(remote) ? remote : added.at(-1);
  return address === undefined || !/^[a-z+]+:\/\/(?!\/)|^[^/]+:/iu.test(address) || address.startsWith('file:')
    ? undefined
    : {...emptyUpload, host: hostOf(address), named: [commits]};
}

/** Matches the text before a credential. The server gets it to identify the user. */
export const isCredential = /(?:\s-[A-Za-z]*[Hu]|--header|--user|--oauth2-bearer|\sauthorization:)[\s=]*["']?[^"']*$/iu;

/** Returns the variables in the words whose names say that they are secret, except credentials. */
export const secretVariables = (words: readonly string[]): readonly string[] =>
  words
    .filter((word, at) => at === 0 || !isCredential.test(` ${words[at - 1] ?? ''} ${word}`))
    .flatMap(word => [...word.replace(/:\/\/[^/@]*@/u, '://').matchAll(/\$\{?(\w+)/gu)])
    .flatMap(([, variable = '']) => (secretName(variable.toUpperCase()) === 'none' ? [] : [`$${variable}`]));

/** Matches the file with which a shell opens a connection. Its first group is the host. */
export const connection = /\/dev\/(?:tcp|udp)\/([^/\s]+)/u;

/** Describes the output of a program. */
export const outputOf = (words: readonly string[]): string =>
  `output of ${words
    .filter(word => !word.startsWith('-') || words.length === 2)
    .slice(0, 3)
    .join(' ')}`;

/** Describes all environment variables. */
export const environment = 'environment variables';
const commits = 'commits';
