import {type RiskLevel, riskLevels} from '../../domain/risk.ts';
import {rowOf, rowsOf} from './known-programs.ts';
import {effectsOf} from './effects.ts';
import {type EffectRule, optionTable} from './program-table.ts';
import {runsPackage, runsText, talksToMachine} from './programs/effect-rules.ts';
import {type CommandPlace, type Layer, layers, programName, shellTextsFrom} from './layers.ts';
import {readWords} from './read-words.ts';

/**
 * True if a network client certainly connects only to this machine: `curl localhost:3000`, `nc -z 127.0.0.1 80`. An unknown
 * option, a proxy or another way to name a host makes it false.
 */
export function staysOnLoopback(words: readonly string[]): boolean {
  const [program = '', ...args] = withoutTimer(words);
  if (program === 'curl') return reachesLoopback(args);
  const client = clients.get(program);
  if (client === undefined) return false;
  const operands: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (!word.startsWith('-') || word === '-') operands.push(word);
    else if (client.withValue.has(word.replace(/=.*$/su, ''))) at += word.includes('=') ? 0 : 1;
    else if (!client.plain.test(word)) return false;
  }
  const hosts = client.hosts(operands);
  return hosts.length > 0 && hosts.every(isLoopback);
}

/** True if all hosts of a curl command are this machine, and it has no option that is unlisted or may reach another host. */
function reachesLoopback(args: readonly string[]): boolean {
  const read = readWords(args, optionTable(rowOf('curl')?.options));
  const hosts = effectsOf(['curl', ...args]).flatMap(({role, word}) => (role === 'url' ? [word] : []));
  return (
    hosts.length > 0 &&
    hosts.every(isLoopback) &&
    read.every(word =>
      word.kind === 'option' ? !/^(?:host|reroute|other|variable)$/u.test(word.rule.role) : word.kind === 'operand',
    )
  );
}

/** Returns the command that `time` and `timeout 5` run. */
function withoutTimer(words: readonly string[]): readonly string[] {
  if (words[0] === 'time') return words.slice(1);
  return words[0] === 'timeout' && /^\d+(?:\.\d+)?[smh]?$/u.test(words[1] ?? '') ? words.slice(2) : words;
}

interface Client {
  /** Options without a value. */
  readonly plain: RegExp;
  /** Options with a value that names no host. */
  readonly withValue: ReadonlySet<string>;
  /** Returns the hosts among the operands, as URLs or names. */
  readonly hosts: (operands: readonly string[]) => readonly string[];
}

const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const wget: Client = {
  plain: /^(?:-[qSvcN46]+|-[qSv]*O.+|--(?:quiet|spider|server-response|no-verbose|no-check-certificate))$/u,
  withValue: wordSet('-O --output-document -T --timeout -t --tries --header --post-data --method --body-data -qO -U'),
  hosts: operands => operands,
};

const httpie: Client = {
  plain: /^(?:-[vhbIjFd]+|--(?:verbose|headers|body|json|form|follow|check-status|ignore-stdin|print=\w+))$/u,
  withValue: wordSet('-o --output -a --auth --timeout -p --print'),
  hosts([first = '', second = '']) {
    const url = /^[A-Z]+$/u.test(first) ? second : first;
    return [url.startsWith(':') ? `localhost${/^:\d/u.test(url) ? url : url.slice(1)}` : url];
  },
};

const byHost: Client = {
  plain: /^-(?:[zvnuq46]+|[cwiW]\d+)$/u,
  withValue: wordSet('-w -c -i -W -q -vzw -zvw -zw'),
  hosts: ([host = '']) => [host],
};

const clients: ReadonlyMap<string, Client> = new Map([
  ['wget', wget],
  ['http', httpie],
  ['https', httpie],
  ['httpie', httpie],
  ['nc', {...byHost, withValue: wordSet('-w -i -W -q -vzw -zvw -zw')}],
  ['ncat', {...byHost, withValue: wordSet('-w -i')}],
  ['netcat', {...byHost, withValue: wordSet('-w -i')}],
  ['telnet', {...byHost, withValue: new Set()}],
  ['ping', byHost],
]);

/** True if a host or URL certainly is this machine. */
export function isLoopback(text: string): boolean {
  const url = /^[a-z][a-z0-9+.-]*:\/\//iu.test(text) ? text : `http://${text}`;
  if (!URL.canParse(url)) return false;
  const {protocol, hostname, username} = new URL(url);
  return (
    /^(?:https?|wss?|ftp):$/u.test(protocol) &&
    username === '' &&
    // Clients differ in how they read unusual addresses, so only plain forms count.
    /^(?:(?:ip6-)?localhost|(?:[a-z0-9-]+\.)+localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1\])$/u.test(hostname) &&
    text.toLowerCase().includes(hostname)
  );
}

/** The known effect of a command, from its words. */
export interface KnownRisk {
  readonly risk: RiskLevel;
  /** The predicate after the command. Empty if nothing is known. */
  readonly does: string;
  /** The predicate to use instead of `does` if the command loses nothing. */
  readonly otherwise: string;
  /** The words of the command with this effect, without its wrappers. */
  readonly words: readonly string[];
  /** The folder in which the command's paths start. */
  readonly where: CommandPlace;
}

/** Returns the worst known effect of a simple command, including the commands that it wraps. */
export function riskOfWords(words: readonly string[]): KnownRisk {
  const worst = worstOf(startedBy(words)) ?? {risk: 'unknown', does: '', otherwise: '', words, where: 'here'};
  // A reason that names the download (`npx tsx`) says more than one that only says that code runs.
  return worst.does === runsText.does && effectRuleOf(words.slice(0, maxWords)) === runsPackage
    ? {...worst, does: runsPackage.does, words}
    : worst;
}

/** Returns the worst known effect, including scripts that the command passes to a shell. */
export function riskWithTexts(words: readonly string[]): KnownRisk {
  const own = riskOfWords(words);
  const all = worstOf(commandsStarted(words));
  return all !== undefined && isWorse(all.risk, own.risk) ? all : own;
}

const worstOf = (commands: readonly StartedCommand[]): KnownRisk | undefined =>
  commands
    .flatMap(each => {
      const row = effectRuleOf(each.words.slice(0, maxWords));
      return row === undefined ? [] : [{...each, risk: row.risk, does: row.does, otherwise: row.otherwise}];
    })
    .reduce<KnownRisk | undefined>(
      (worst, each) => (worst === undefined || isWorse(each.risk, worst.risk) ? each : worst),
      undefined,
    );

/** A command that another command runs, or that command itself. */
type StartedCommand = Pick<Layer, 'words' | 'where'>;

/** Returns the command and the commands that its wrappers run, each with its needs. */
export const reachesOf = (
  words: readonly string[],
): readonly (StartedCommand & {readonly reach: EffectRule['reach'] | 'unknown'})[] =>
  startedBy(words).map(each => ({...each, reach: effectRuleOf(each.words.slice(0, maxWords))?.reach ?? 'unknown'}));

/** Returns the command and the commands that its wrappers run. */
const startedBy = (words: readonly string[]): readonly StartedCommand[] =>
  layers(words)
    .slice(0, maxStarts)
    .map(layer => ({words: layer.words, where: layer.where}));

/** Returns the command, the commands that its wrappers run, and those in scripts that it passes to a shell. */
export function commandsStarted(words: readonly string[]): readonly StartedCommand[] {
  const started = startedBy(words);
  const texts = started.flatMap(each =>
    shellTextsFrom(each.words, 0).map(text => ({
      text,
      where: each.where === 'elsewhere' || /\b(?:cd|pushd)\b/u.test(text) ? ('elsewhere' as const) : ('here' as const),
    })),
  );
  const inTexts = texts.flatMap(({text, where}) =>
    text
      .split(/[;&|\n(){}]+/u)
      .flatMap(piece =>
        startedBy(piece.trim().split(/\s+/u)).map(each => (where === 'here' ? each : {...each, where})),
      ),
  );
  return [...started, ...inTexts];
}

/** True if `a` is worse. `unknown` is milder than certain destruction. */
export const isWorse = (a: RiskLevel, b: RiskLevel): boolean => severity(a) > severity(b);

const severity = (risk: RiskLevel): number => bySeverity.indexOf(risk);

const bySeverity: readonly RiskLevel[] = [...riskLevels.filter(level => level !== 'destructive'), 'destructive'];

const maxStarts = 16;

/** The maximum number of words of a command that are examined. */
const maxWords = 200;

/** Returns the known effect rule of a command: the first that matches. Rules of a subcommand come before those of its program. */
function effectRuleOf([program = '', ...args]: readonly string[]): EffectRule | undefined {
  const name = programName(program)
    .toLowerCase()
    .replace(/^mkfs\..*/u, 'mkfs');
  for (const {words, row} of rowsOf(name)) {
    const found = isCalled(words.slice(1), args) ? row.does?.find(({when}) => isDone(when, args)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

const isDone = (when: RegExp, args: readonly string[]): boolean =>
  args.some(argument => fits(argument, when)) || (args.length === 0 && when.test(''));

/** True if the arguments begin with a subcommand. Options, perhaps with values, may precede it. */
function isCalled(subcommand: readonly string[], args: readonly string[]): boolean {
  let from = 0;
  return subcommand.every((word, at) => {
    const found = args.indexOf(word, from);
    const isNear =
      found >= 0 &&
      args
        .slice(from, found)
        .every(
          (each, index, between) => each.startsWith('-') || (at === 0 && between[index - 1]?.startsWith('-') === true),
        );
    from = found + 1;
    return isNear;
  });
}

/** True if some arguments make the program destroy something, or send to any host. */
export const dependsOnArguments = (name: string): boolean =>
  rowOf(name)?.does?.some(each => each.risk === 'destructive' || each === talksToMachine) === true;

/** True if an argument matches, or abbreviates a matching long option (`--rec` for `--recursive`). */
const fits = (argument: string, wanted: RegExp): boolean =>
  wanted.test(argument) ||
  (/^--\w/u.test(argument) &&
    (wanted.source.match(/--[a-z][a-z-]*/gu) ?? []).some(option => option.startsWith(argument.replace(/=.*$/su, ''))));
