import {coreutils} from './coreutils.ts';
import {git} from './git.ts';
import type {ProgramRow} from './program-table.ts';
import {search} from './search.ts';
import {system} from './system.ts';
import {text} from './text.ts';
import {toolchains} from './toolchains.ts';

export const allPrograms: readonly ProgramRow[] = [...coreutils, ...text, ...search, ...git, ...toolchains, ...system];

interface NamedRow {
  /** The words that lead up to its arguments, the program first. */
  readonly words: readonly string[];
  readonly row: ProgramRow;
}

/** The rows of a program, those with the longest names first. */
export const rowsOf = (name: string): readonly NamedRow[] => rows.get(name) ?? [];

const rows = new Map<string, NamedRow[]>();
for (const row of allPrograms) {
  for (const name of row.names.split(',')) {
    const words = name.trim().split(' ');
    const [first = ''] = words;
    rows.set(
      first,
      [...(rows.get(first) ?? []), {words, row}].toSorted((a, b) => b.words.length - a.words.length),
    );
  }
}
