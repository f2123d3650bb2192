import {type CheckKind, checkKinds} from '../../domain/receipt.ts';
import {programFolders} from './check-variables.ts';
import {actingOptionsOf, allPrograms, rowFor} from './known-programs.ts';
import {isAssignment, programName} from './layers.ts';
import {type ProgramRow, wordsOf} from './program-table.ts';

/** Options with which a program checks nothing, ignores failures, or does not end. */
export const checksNothing =
  /^(?:-h|--(?:watch(?:All)?(?:=.*)?|help|version|list[\w-]*|collect-?only|co|dry(?:-run)?|just-print|showConfig|init|print-config.*|ui|(?:config\.)?script-?shell.*|node-options.*|userconfig.*|clear-?[cC]ache|exit-zero|issues-exit-code=0))$/u;

/** Options whose value is the next word, in programs whose first operand counts. */
const takesValue =
  /^(?:-[CFfw]|--(?:preload|require|import|prefix|dir|cwd|filter|workspace|manifest-path|file|directory|config|project))$/u;

/** True if a word is one of a row, which may end with `*`, or a group of short options with it: `-ki` has `-i`. */
const isWordOf = (fact: string, word: string): boolean =>
  fact.endsWith('*')
    ? word.startsWith(fact.slice(0, -1))
    : word === fact ||
      (/^-\w$/u.test(fact) && /^-[a-zA-Z]+$/u.test(word) && bundles.test(word) && word.includes(fact.slice(1)));

/** Groups of short options without a value. Of others, such as `-run` of go, only the whole word counts. */
const bundles = /^-[bBdeikLnprRqsStvwx]+$/u;

/** True if only some words keep a command from running something: `make -n test`, `vitest list`, `bash -n a.sh`, `npx --version`. */
export function isEmptied(words: readonly string[]): boolean {
  if (kindOf(words) !== undefined) return false;
  const facts = [...factsOf(words[0]), ...factsOf(words[words.indexOf('-m') + 1])];
  const row = rowNamed(words[0] ?? '');
  if (/^--(?:version|help)$/u.test(words[1] ?? '') && (facts.length > 0 || row?.is.has('packages') === true))
    return true;
  const excluded = ['!--if-present', ...facts]
    .filter(fact => fact.startsWith('!'))
    .map(fact => fact.replace(/^!(?:\w+:)?/u, ''))
    .flatMap(fact => [fact, fact.replace(/^(-[^=]*)=.*|^\w+=(?=\w+$)/u, '$1')]);
  // A shell or an interpreter that only reads its script.
  const script = words.findIndex((word, at) => at > 0 && !word.startsWith('-'));
  const runsScript = row?.is.has('shell') === true || row?.is.has('code') === true;
  if (runsScript && words.slice(1, script).some(word => excluded.some(fact => isWordOf(fact, word)))) return true;
  const kept = words.filter(
    (word, at) => at === 0 || !(checksNothing.test(word) || excluded.some(fact => isWordOf(fact, word))),
  );
  return kindOf(kept) !== undefined;
}

/** Returns the row of a program, also if a path may lead to another one. */
const rowNamed = (program: string): ProgramRow | undefined => rowFor([programName(program)])?.row;

/** Returns what the row of a program says about checks. Empty if a path may lead to another program. */
const factsOf = (program = ''): readonly string[] => (isItself(program) ? wordsOf(rowNamed(program)?.checks) : []);

/** True if a word calls the program of that name: the shell finds it by PATH, or it lies where installers and projects put it. */
export function isItself(program: string): boolean {
  const path = program.replaceAll(/["']/gu, '');
  return (
    !path.includes('/') ||
    programFolders.test(path.slice(0, path.lastIndexOf('/') + 1)) ||
    wordsOf(rowNamed(path)?.checks).some(fact => fact.startsWith('@') && `/${path}`.endsWith(`/${fact.slice(1)}`))
  );
}

/** True if a command may load other code before its check: `node -r ./x.cjs --test`, but not `--import tsx`. */
export const preloads = (words: readonly string[]): boolean =>
  actingOptionsOf(words).some(({act, value = ''}) => act === 'runs' && codeFile.test(value));

const codeFile = /^(?:data|file):|^[^=]*\.(?:[cm]?[jt]sx?|node|so|sh|py|rb|php)$|^(?:~|\.{1,2})?\/[\w@/-]+$/u;

/** True if an option chooses tests by their names. A script passes its options on to a runner. */
export function choosesTests([program = '', ...words]: readonly string[]): boolean {
  const filters = filtersOf(program);
  const script = passesOn(program)
    ? words.findIndex(word => !word.startsWith('-') && kindOfTask(word) !== undefined)
    : -1;
  return words.slice(script + 1).some(word => filters.includes(word.split('=', 1)[0] ?? ''));
}

/** Returns the options of a program, or of the runners that it starts, that choose tests by their names. */
export const filtersOf = (program: string): readonly string[] =>
  passesOn(program) ? allFilters : wordsOf(rowNamed(program)?.filters);

/** True if a program gives its options to a runner: a script of npm, a module of Python. */
const passesOn = (program: string): boolean => /\b(?:script|module|test:test)\b/u.test(rowNamed(program)?.checks ?? '');

const allFilters = allPrograms.flatMap(({filters}) => wordsOf(filters));

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
    if (what.startsWith('@')) continue;
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
