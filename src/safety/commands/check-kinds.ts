import {type CheckKind, checkKinds} from '../../domain/receipt.ts';
import {rowOf} from './known-programs.ts';
import {isAssignment, programName} from './layers.ts';
import {wordsOf} from './program-table.ts';

/** Options with which a program checks nothing, ignores failures, or does not end. */
export const checksNothing =
  /^(?:-h|--(?:watch(?:All)?(?:=.*)?|help|version|list[\w-]*|collect-?only|co|dry(?:-run)?|just-print|showConfig|init|print-config.*|ui|(?:config\.)?script-?shell.*|node-options.*|userconfig.*|clear-?[cC]ache|exit-zero|issues-exit-code=0))$/u;

/** Options whose value is the next word, in programs whose first operand counts. */
const takesValue = /^(?:-[CFfw]|--(?:prefix|dir|cwd|filter|workspace|manifest-path|file|directory|config|project))$/u;

/** True if a word is one of a row, which may end with `*`, or a group of short options with it: `-ki` has `-i`. */
const isWordOf = (fact: string, word: string): boolean =>
  fact.endsWith('*')
    ? word.startsWith(fact.slice(0, -1))
    : word === fact ||
      (/^-\w$/u.test(fact) && /^-[a-zA-Z]+$/u.test(word) && bundles.test(word) && word.includes(fact.slice(1)));

/** Groups of short options without a value. Of others, such as `-run` of go, only the whole word counts. */
const bundles = /^-[bBdeikLnprRqsStw]+$/u;

/** True if only some words keep a command from being a check: `make -n test`, `vitest list`. */
export function isEmptied(words: readonly string[]): boolean {
  if (kindOf(words) !== undefined) return false;
  const facts = [...factsOf(words[0]), ...factsOf(words[words.indexOf('-m') + 1])];
  const excluded = ['!--if-present', ...facts]
    .filter(fact => fact.startsWith('!'))
    .map(fact => fact.replace(/^!(?:\w+:)?/u, ''))
    .flatMap(fact => [fact, fact.replace(/^(-[^=]*)=.*|^\w+=(?=\w+$)/u, '$1')]);
  const kept = words.filter(
    (word, at) => at === 0 || !(checksNothing.test(word) || excluded.some(fact => isWordOf(fact, word))),
  );
  return kindOf(kept) !== undefined;
}

/** Returns what the row of a program says about checks. */
function factsOf(program = ''): readonly string[] {
  const name = programName(program);
  return wordsOf((rowOf(name) ?? rowOf(name.replace(/-?\d[\d.]*$/u, '')))?.checks);
}

/** Returns the kind of check that a command without wrappers runs, by the rows of the table. */
export function kindOf([program = '', ...args]: readonly string[]): CheckKind | undefined {
  const facts = factsOf(program);
  const end = args.indexOf('--');
  const own = end < 0 ? args : args.slice(0, end);
  if (facts.length === 0 || args.some(word => checksNothing.test(word)) || mayRunNoScript(own)) return undefined;
  const pairs = own.map((word, at) => `${word}=${own[at + 1] ?? ''}`);
  const isGivenFact = (fact: string): boolean => own.some(given => isWordOf(fact, given)) || pairs.includes(fact);
  const isOperand = (word: string, at: number): boolean =>
    !/^[-+]/u.test(word) && !isAssignment(word) && !takesValue.test(own[at - 1] ?? '');
  const operands = own.filter(isOperand);
  for (const fact of facts) {
    const [what = '', word] = fact.split(':');
    if (what.startsWith('!')) {
      if (word === undefined && isGivenFact(what.slice(1))) return undefined;
      continue;
    }
    const isGiven = word?.startsWith('-') === true ? own.includes(word) : word === (operands[0] ?? '');
    if (word !== undefined && !isGiven) continue;
    if (what === 'module') {
      const module = own.slice(own.indexOf('-m') + 1);
      return module[0] === 'unittest' ? 'test' : kindOf(module);
    }
    const scripts = word === undefined || word.startsWith('-') ? operands : operands.slice(1);
    const kind =
      what === 'target'
        ? operands.map(kindOfTask).find(each => each !== undefined)
        : what === 'script'
          ? (kindOfTask(scripts[0] ?? '') ?? kindOf(own.slice(own.indexOf(scripts[0] ?? ''))))
          : checkKinds.find(each => each === what);
    if (kind === undefined) continue;
    return facts.some(other => other.startsWith(`!${kind}:`) && isGivenFact(other.slice(kind.length + 2)))
      ? undefined
      : kind;
  }
  return undefined;
}

/** True if a package tool ends well without a script of that name. In several packages some often have none. */
const mayRunNoScript = (words: readonly string[]): boolean =>
  words.includes('--if-present') &&
  !words.some(word => /^(?:-ws|-w|-r|--workspaces?(?:=.*)?|--recursive)$/u.test(word));

const taskWords: readonly (readonly [CheckKind, RegExp])[] = [
  ['types', /^(?:types?|typecheck|tsc|typing)$/u],
  ['test', /^(?:tests?|spec|specs|unit|e2e|integration|check|checks|verify|ci|validate)$/u],
  ['lint', /^(?:lint|eslint|clippy|vet)$/u],
  ['build', /^(?:build|compile|bundle|all|package|assemble)$/u],
];
const otherTask = /^(?:watch|dev|serve|server|start|ui|update|clean|deploy|publish|release|install|image|debug)$/u;

/** Returns the kind of check that a script or target is, by the words of its name: `test:unit`, `type-check`. */
function kindOfTask(name: string): CheckKind | undefined {
  const parts = name.toLowerCase().split(/[:_.\-/]+/u);
  if (parts.some(part => otherTask.test(part)) || /\.\w+$/u.test(name)) return undefined;
  return taskWords.find(([, words]) => parts.some(part => words.test(part)))?.[0];
}
