import type {CommandReading, FileChange} from '../../domain/risk.ts';
import {rowFor} from './known-programs.ts';
import {programName} from './layers.ts';
import {optionTable, type ProgramRow, type Role, roleOf, wordsOf} from './program-table.ts';
import {type FoundOption, readWords} from './read-words.ts';

/** The effect of a program on a word of its command. */
export interface Effect {
  readonly role: Role;
  /** The operand, or the value of an option; empty for an option without a value. */
  readonly word: string;
  /** The words after `word`. */
  readonly rest: readonly string[];
}

interface Effects extends Omit<CommandReading, 'changes'> {
  readonly effects: readonly Effect[];
  /** The roles of the program's operands, whether they are given or not. */
  readonly roles: readonly string[];
}

/** Returns what a program does with each of its words, as far as its row gives them roles. */
export const effectsOf = (words: readonly string[]): readonly Effect[] => rolesIn(words).effects;

function rolesIn([program = '', ...given]: readonly string[]): Effects {
  const found = rowFor([programName(program), ...given]);
  const row = found?.row;
  const args = given.slice((found?.words.length ?? 1) - 1);
  const table = optionTable(row?.options, row?.is.has('digits'));
  const read = readWords(args, {...table, unlisted: {value: 'none', role: 'text'}});
  const valueOf = ({attached, values: [at]}: FoundOption<Role> & {readonly values: readonly number[]}) =>
    attached ?? (at === undefined ? undefined : (args[at] ?? ''));
  const options = read.flatMap(word => (word.kind === 'option' ? [{...word, value: valueOf(word)}] : []));
  const places = read.flatMap(word => (word.kind === 'operand' ? [word.at] : []));
  const roles = operandRoles(row, options);
  const star = roles.findIndex(role => role.endsWith('*'));
  const behind = star < 0 ? 0 : roles.length - star - 1;
  const roleAt = (index: number): string | undefined =>
    index >= places.length - behind
      ? roles.at(index - places.length)
      : star >= 0 && index > star
        ? roles[star]
        : roles[index];
  const operands = places.map((at, index) => ({at, word: args[at] ?? '', role: roleAt(index)}));
  return {
    options,
    roles,
    operands: operands.map(({word}) => word),
    effects: [
      ...options.map(({rule: {role}, value = '', at, values}) => ({role, word: value, at: values[0] ?? at})),
      ...operands.flatMap(({at, word, role}) => {
        // `of=write*` is for operands that begin with `of=`.
        const [, beginning = '', name = ''] = /^(\w+=)?([\w-]+)\*?$/u.exec(role ?? '') ?? [];
        return name === '' || !word.startsWith(beginning)
          ? []
          : [{role: roleOf(name), word: word.slice(beginning.length), at}];
      }),
    ].map(({role, word, at}) => ({role, word, rest: args.slice(at + 1)})),
  };
}

/** Returns the roles of the remaining operands after options have taken some. */
function operandRoles(row: ProgramRow | undefined, options: readonly FoundOption<Role>[]): readonly string[] {
  const isReplaced = wordsOf(row?.instead).some(option => options.some(({name}) => name === option));
  const isAimed = options.some(({rule}) => rule.role === 'target');
  return wordsOf(row?.operands)
    .slice(isReplaced ? 1 : 0)
    .filter(role => role !== 'target' || !isAimed);
}

/** Reads a simple command with its program's row: its options, and the files that it changes. */
export function readingOf(words: readonly string[]): CommandReading {
  const {effects, options, operands, roles} = rolesIn(words);
  const all = (role: Role): readonly string[] => effects.flatMap(each => (each.role === role ? [each.word] : []));
  const has = (role: Role): boolean => effects.some(each => each.role === role);
  const each = (role: Role, does: 'creates' | 'writes' | 'truncates' | 'renames' | 'edits'): readonly FileChange[] =>
    all(role).map(word => ({does, word}));
  const target = all('target').at(-1) ?? '';
  const keeps = has('keeps') || all('when').includes('none');
  const into = has('exact') ? 'never' : has('no-links') ? 'a real folder' : 'a folder';
  const put = (role: Role, does: 'moves' | 'copies' | 'links'): readonly FileChange[] =>
    all(role).map(word => ({does, word, target, into, folders: has('deep') ? 'laid-over' : 'left-out'}));
  const extent = has('deep') ? 'trees' : has('folders') ? 'folders' : 'files';
  const removed = [
    ...all('remove').map(word => ({does: 'removes', word, extent}) as const),
    ...all('remove-empty').map(word => ({does: 'removes', word, extent: 'empty folders'}) as const),
    ...all('shred').map(word =>
      has('folders') ? ({does: 'removes', word, extent: 'folders'} as const) : ({does: 'shreds', word} as const),
    ),
    ...(has('edit') ? each('path', 'edits') : []),
  ];
  const folder = all('into').at(-1);
  const outputs = [...all('output'), ...(has('named') ? all('url').flatMap(nameInUrl) : [])]
    .filter(file => !/^(?:-|\/dev\/(?:null|stdout|stderr|tty))$/u.test(file))
    .map(file => (folder === undefined || file.startsWith('/') ? file : `${folder}/${file}`));
  const changes: readonly FileChange[] = [
    ...each('create', 'creates'),
    ...each('overwrite', has('append') ? 'creates' : 'writes'),
    ...outputs.map(word => ({does: 'writes', word}) as const),
    ...each('truncate', 'truncates'),
    ...(has('force') ? [] : each('rename', 'renames')),
    ...put('from', 'moves'),
    ...put('source', 'copies'),
    ...(has('force') || !roles.includes('link*')
      ? put('link', 'links')
      : [...each('link', 'creates'), ...each('target', 'creates')]),
    ...removed,
  ];
  const isKnown =
    roles.some(role => changing.test(role)) && !(has('force') && /^(?:link|rename)/u.test(roles[0] ?? ''));
  return {options, operands, changes: keeps ? [] : changes.length > 0 || isKnown ? changes : undefined};
}

/** Matches the operand roles of programs that change only those operands. */
const changing = /^(?:\w+=)?(?:create|overwrite|truncate|rename|from|source|link)\*$/u;

const nameInUrl = (url: string): readonly string[] =>
  /[^/]\/(?:[^?#]*\/)?([^/?#]+)(?:[?#].*)?$/u.exec(url)?.slice(1) ?? [];
