import type {RiskLevel} from '../domain/risk.ts';
import {broadness} from './broad-rule.ts';
import {exactPattern} from './command-pattern.ts';
import {plainText} from './programs/judge-program.ts';
import {programName} from './wrappers.ts';
import {parseRule} from './rules.ts';
import type {JudgedCall} from './walk-script.ts';

/** Commands longer than this are kept as no rule. */
const longestRule = 500;

/**
 * Rules that would let this command through next time, narrowest first. Wider ones than the command itself are offered only for
 * one plain program that neither destroys nor runs whatever it is given.
 */
export function suggestedRules(
  command: string,
  {asked, alone, risk}: {readonly asked: readonly JudgedCall[]; readonly alone: boolean; readonly risk: RiskLevel},
): readonly string[] {
  if (command.length > longestRule) return [];
  const [call] = asked;
  const wider = alone && asked.length === 1 && call !== undefined && risk !== 'destructive' ? prefixesOf(call) : [];
  return [...new Set([`Bash(${exactPattern(command)})`, ...wider])].filter(isUseful);
}

/** `npm run test:*`, `npm run:*`: the program with one or two words, when they are plain names. */
function prefixesOf({words}: JudgedCall): readonly string[] {
  const texts = words.map(plainText);
  const [program = ''] = texts;
  const names = texts.slice(0, 3).map((text, at) => (at === 0 ? programName(text ?? '') : (text ?? '')));
  const plain = names.findIndex(name => !/^[A-Za-z][\w.@:-]*$/u.test(name));
  const usable = plain < 0 ? names : names.slice(0, plain);
  if (program !== usable[0] || runners.has(usable[0] ?? '')) return [];
  const longest = Math.min(usable.length, bySubcommand.has(usable[0] ?? '') ? 3 : 1);
  const shortest = bySubcommand.has(usable[0] ?? '') ? 2 : 1;
  const prefixes: string[] = [];
  for (let length = longest; length >= shortest; length -= 1)
    prefixes.push(`Bash(${usable.slice(0, length).join(' ')}:*)`);
  return prefixes;
}

/** Programs whose first word says what they do. */
const bySubcommand: ReadonlySet<string> = new Set(
  'git npm pnpm yarn bun cargo go docker podman kubectl helm terraform gh glab aws gcloud az pip pip3 uv poetry bundle gem brew apt apt-get systemctl make just rake gradle mvn dotnet swift zig mix task rustup conda'.split(
    ' ',
  ),
);

/** Programs that run others or whatever they are given, or delete: for them no rule is drawn wider than the command. */
const runners: ReadonlySet<string> = new Set(
  'rm rmdir unlink shred mv dd chmod chown kill pkill killall find fd sudo doas su env xargs ssh curl wget nc time timeout nice nohup watch parallel eval exec source sed awk perl tee cp ln install npx bunx uvx pipx'.split(
    ' ',
  ),
);

function isUseful(text: string): boolean {
  const rule = parseRule(text);
  return rule.tag === 'ok' && (!text.endsWith(':*)') || broadness(rule.value) === undefined);
}
