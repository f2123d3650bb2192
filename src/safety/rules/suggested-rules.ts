import type {JudgedInvocation} from '../commands/analyze-command.ts';
import {plainText} from '../commands/only-reads.ts';
import {
  hasSubcommand,
  hasTrait,
  isInterpreter,
  isShell,
  rowOf,
  takesCodeFromInput,
} from '../commands/known-programs.ts';
import {dependsOnArguments} from '../commands/risks.ts';
import {innerCommand, isWrapper} from '../commands/layers.ts';
import {exactPattern, parseCommandPattern} from './command-pattern.ts';
import {unrestrictedWrapper} from './unrestricted-wrapper.ts';
import {networkRuleTool, type PermissionRule, trustRuleTool} from './permission-rule.ts';
import type {RiskLevel} from '../../domain/risk.ts';

/** Longer commands are not offered as rules, in characters. */
const longestRule = 500;

/**
 * Returns rules that would allow this command next time, narrowest first. Rules wider than the command itself are offered only
 * for one plain program that neither destroys anything nor runs arbitrary programs.
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

/** Returns prefix rules such as `npm run test:*`: the wrappers, then the program and its next words, if they are plain names. */
function prefixesOf({words}: JudgedInvocation): readonly string[] {
  const texts = words.map(word => plainText(word) ?? '');
  const start = innerCommand(texts);
  if (start === undefined) return [];
  const before = texts.slice(0, start);
  const names = texts.slice(start, start + 3);
  const plain = names.findIndex(name => !/^[A-Za-z][\w.@:-]*$/u.test(name));
  const usable = plain < 0 ? names : names.slice(0, plain);
  const [name = ''] = usable;
  const takesSubcommand = hasTrait(name, 'verbs');
  if (
    !before.every(word => /^[\w./:=@+-]+$/u.test(word)) ||
    hasTrait(usable.slice(0, 2).join(' '), 'loses-work') ||
    usable.some((_, at) => hasTrait(usable.slice(0, at + 1).join(' '), 'runs-any')) ||
    isShell(name) ||
    (!takesSubcommand && texts.slice(start + 1).some(word => beforeAnotherProgram.test(word))) ||
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
 * True if the command is one run of the project's own tests or scripts. The project decides what these do, whatever their
 * arguments are. An approval for the session covers them as `npm test …`.
 */
export const runsProjectCode = (command: string): boolean => projectRun.test(command.trim());

/** Matches a command without shell operators, and with nothing before its arguments that would change what it runs. */
const projectRun =
  /^(?:(?:npm|pnpm|yarn|bun)\s+(?:test|t|run\s+[\w:-]+|run-script\s+[\w:-]+)|cargo\s+(?:test|build|check|clippy)|go\s+(?:test|vet|build)|dotnet\s+(?:test|build)|swift\s+(?:test|build)|mix\s+test|(?:pytest|vitest|jest|mocha|phpunit|rspec|ctest))(?:\s[^;&|<>`$()\n]*)?$/u;

/** Words after which a program that weft does not know probably takes a command to run. */
const beforeAnotherProgram = /^(?:--|exec|shell|enter|--(?:run|command|exec))$/u;

function isUseful(text: string): boolean {
  const read = parseCommandPattern(text);
  if (read.tag === 'failed') return false;
  return (
    read.value.reach === 'whole' ||
    broadRuleProblem({tool: 'Bash', about: {kind: 'commands', pattern: read.value}}) === undefined
  );
}

/** Returns the problem with an allow rule that would allow nearly anything, as half a sentence. Returns `undefined` if there is none. */
export function broadRuleProblem({tool, about}: Pick<PermissionRule, 'tool' | 'about'>): string | undefined {
  if (about.kind === 'every-call') {
    if (tool === networkRuleTool) return reachesEveryHost;
    return tool === 'Bash' ? 'it allows every command' : undefined;
  }
  if (about.kind === 'domains' && about.pattern.kind === 'every-host') {
    if (tool === networkRuleTool) return reachesEveryHost;
    if (tool === trustRuleTool) return 'text of every page then counts as yours';
  }
  if (about.kind !== 'commands') return undefined;
  const {text, reach} = about.pattern;
  const words = text.replaceAll(/["']/gu, '').split(/\s+/u);
  const isOpen = reach === 'beginning' || words.at(-1)?.includes('*') === true;
  const program = (words[0] ?? '').replaceAll('\\', '');
  if (program.includes('*')) return 'it allows any program';
  const name = program.slice(program.lastIndexOf('/') + 1).toLowerCase();
  const others = words.slice(1).filter(word => !word.startsWith('-') && word !== '*');
  if (!isOpen) return undefined;
  const wrapper = unrestrictedWrapper(about.pattern);
  if (wrapper !== undefined) return `${wrapper} runs any other program`;
  const [first] = others;
  const call = [name, ...others].join(' ');
  if (
    first === undefined &&
    (isShell(name) || isInterpreter(name) || hasTrait(name, 'runs-given') || runsArguments(name))
  )
    return `${name} runs whatever it is given`;
  if (hasTrait(call, 'runs-any') || runsArguments(call)) return `${call} runs any other program`;
  const abilities = rowOf(call)?.can;
  if (abilities !== undefined) return `${name} can ${abilities}`;
  return hasSubcommand(call, 'runs-any') ? `${call} can run any other program` : undefined;
}

const reachesEveryHost = 'commands in the sandbox may then send any file anywhere';

/** True if the arguments of the command are themselves a command. An allow rule must name such a command in full. */
export const runsArguments = (command: string): boolean => {
  const words = command.split(' ', 3);
  return words.some((_, at) => hasTrait(words.slice(0, at + 1).join(' '), 'runs-words'));
};
