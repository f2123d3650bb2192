import {argumentKinds, type ArgumentKind} from './program-table.ts';

export interface FlagRule {
  readonly value: 'none' | 'attached' | 'required';
  readonly kind: ArgumentKind;
}

/** Reads the options of a row, see `ProgramRow.flags`. */
export function readFlags(written: string): ReadonlyMap<string, FlagRule> {
  const cached = known.get(written);
  if (cached !== undefined) return cached;
  const flags = new Map<string, FlagRule>();
  for (const flag of written.split(/\s+/u)) {
    const [, name = '', sign, kind = 'text'] = /^(--?[^=?]+?)(?:(\??=)(\w+))?$/u.exec(flag) ?? [];
    if (name === '') continue;
    if (!isKind(kind)) throw new Error(`No kind of argument: ${flag}`);
    // `--color` and `--color?=name` are one option.
    if (sign === undefined && flags.get(name)?.value === 'attached') continue;
    flags.set(name, {value: sign === undefined ? 'none' : sign === '=' ? 'required' : 'attached', kind});
  }
  known.set(written, flags);
  return flags;
}

const known = new Map<string, ReadonlyMap<string, FlagRule>>();

const isKind = (kind: string): kind is ArgumentKind => argumentKinds.some(each => each === kind);
