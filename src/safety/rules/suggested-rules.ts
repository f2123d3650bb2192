import type {JudgedInvocation} from '../commands/analyze-command.ts';
import {plainText} from '../commands/only-reads.ts';
import {hasSubcommand, isA, isInterpreter, isShell, rowOf, takesCodeFromInput} from '../commands/known-programs.ts';
import {dependsOnArguments} from '../commands/risks.ts';
import {innerCommand, isWrapper} from '../commands/layers.ts';
import {exactPattern, parseCommandPattern} from './command-pattern.ts';
import {openWrapper} from './open-wrapper.ts';
import {networkRules, type PermissionRule} from './permission-rule.ts';
import type {RiskLevel} from '../../domain/risk.ts';

/** Commands longer than this are kept as no rule. */
const longestRule = 500;

/**
 * Rules that would let this command through next time, narrowest first. Wider ones than the command itself are offered only for
 * one plain program that neither destroys nor runs whatever it is given.
 */
export function suggestedRules(
  command: string,
  {
    asked,
    alone,
    risk,
  }: {readonly asked: readonly JudgedInvocation[]; readonly alone: boolean; readonly risk: RiskLevel},
): readonly string[] {
  if (command.length > longestRule) return [];
  const [call] = asked;
  const prefixRules =
    alone && asked.length === 1 && call !== undefined && risk !== 'destructive' ? prefixesOf(call) : [];
  return [...new Set([exactPattern(command), ...prefixRules])].filter(isUseful).map(text => `Bash(${text})`);
}

/** `npm run test:*`, `npm run:*`: the program with one or two words, when they are plain names, behind the wrappers that run it. */
function prefixesOf({words}: JudgedInvocation): readonly string[] {
  const texts = words.map(word => plainText(word) ?? '');
  const start = innerCommand(texts);
  if (start === undefined) return [];
  const before = texts.slice(0, start);
  const names = texts.slice(start, start + 3);
  const plain = names.findIndex(name => !/^[A-Za-z][\w.@:-]*$/u.test(name));
  const usable = plain < 0 ? names : names.slice(0, plain);
  const [name = ''] = usable;
  const takesSubcommand = isA(name, 'verbs');
  if (
    !before.every(word => /^[\w./:=@+-]+$/u.test(word)) ||
    isA(usable.slice(0, 2).join(' '), 'loses-work') ||
    usable.some((_, at) => isA(usable.slice(0, at + 1).join(' '), 'runs-any')) ||
    isShell(name) ||
    (!takesSubcommand && texts.slice(start + 1).some(word => runsAnother.test(word))) ||
    (!takesSubcommand && (isWrapper(name) || takesCodeFromInput(name) || dependsOnArguments(name)))
  )
    return [];
  const longest = Math.min(usable.length, takesSubcommand ? 3 : 1);
  const shortest = takesSubcommand ? 2 : 1;
  const prefixes: string[] = [];
  for (let length = longest; length >= shortest; length -= 1)
    prefixes.push(`${[...before, ...usable.slice(0, length)].join(' ')}:*`);
  return prefixes;
}

/**
 * Whether the command is one run of the project's own tests or scripts: what it may do is the project's to say, whatever arguments
 * follow. An approval for the session covers these as `npm test …`.
 */
export const runsProjectCode = (command: string): boolean => projectRun.test(command.trim());

/** No operator of the shell, and nothing before the arguments that would change what is run. */
const projectRun =
  /^(?:(?:npm|pnpm|yarn|bun)\s+(?:test|t|run\s+[\w:-]+|run-script\s+[\w:-]+)|cargo\s+(?:test|build|check|clippy)|go\s+(?:test|vet|build)|dotnet\s+(?:test|build)|swift\s+(?:test|build)|mix\s+test|(?:pytest|vitest|jest|mocha|phpunit|rspec|ctest))(?:\s[^;&|<>`$()\n]*)?$/u;

/** Words behind which a program that weft does not know is likely to take the command that it runs. */
const runsAnother = /^(?:--|exec|shell|enter|--(?:run|command|exec))$/u;

function isUseful(text: string): boolean {
  const read = parseCommandPattern(text);
  if (read.tag === 'failed') return false;
  return (
    read.value.reach === 'whole' ||
    whyRuleIsBroad({tool: 'Bash', about: {kind: 'commands', pattern: read.value}}) === undefined
  );
}

/** Why a rule that allows would let nearly anything through, as half a sentence; `undefined` when it would not. */
export function whyRuleIsBroad({tool, about}: Pick<PermissionRule, 'tool' | 'about'>): string | undefined {
  if (about.kind === 'every-call') {
    if (tool === networkRules) return reachesAll;
    return tool === 'Bash' ? 'it lets every command through' : undefined;
  }
  if (about.kind === 'domains' && tool === networkRules && about.pattern.kind === 'every-host') return reachesAll;
  if (about.kind !== 'commands') return undefined;
  const {text, reach} = about.pattern;
  const words = text.replaceAll(/["']/gu, '').split(/\s+/u);
  const isOpen = reach === 'beginning' || words.at(-1)?.includes('*') === true;
  const program = (words[0] ?? '').replaceAll('\\', '');
  if (program.includes('*')) return 'it lets any program through';
  const name = program.slice(program.lastIndexOf('/') + 1).toLowerCase();
  const others = words.slice(1).filter(word => !word.startsWith('-') && word !== '*');
  if (!isOpen) return undefined;
  const wrapper = openWrapper(about.pattern);
  if (wrapper !== undefined) return `${wrapper} runs any other program`;
  const [first] = others;
  const call = [name, ...others].join(' ');
  if (first === undefined && (isShell(name) || isInterpreter(name) || isA(name, 'runs-given') || runsArguments(name)))
    return `${name} runs whatever it is given`;
  if (isA(call, 'runs-any') || runsArguments(call)) return `${call} runs any other program`;
  const abilities = rowOf(call)?.can;
  if (abilities !== undefined) return `${name} can ${abilities}`;
  return hasSubcommand(call, 'runs-any') ? `${call} can run any other program` : undefined;
}

const reachesAll = 'commands in the sandbox may then send any file anywhere';

/** True for a command whose arguments are a command: an allow rule must name that one to its end. */
export const runsArguments = (command: string): boolean => {
  const words = command.split(' ', 3);
  return words.some((_, at) => isA(words.slice(0, at + 1).join(' '), 'runs-words'));
};
