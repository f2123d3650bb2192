import {argumentKinds, type ArgumentKind} from './program-table.ts';

export interface FlagRule {
  /** `two` values: `--arg name text`. */
  readonly value: 'none' | 'attached' | 'required' | 'two';
  readonly kind: ArgumentKind;
}

/** Reads the options of a row, see `ProgramRow.flags`. */
export function readFlags(written: string): ReadonlyMap<string, FlagRule> {
  const cached = known.get(written);
  if (cached !== undefined) return cached;
  const flags = new Map<string, FlagRule>();
  for (const flag of written.split(/\s+/u)) {
    const [, name = '', sign, kind = 'text'] = /^(--?[^=?]+?)(?:(\??=|==)(\w+))?$/u.exec(flag) ?? [];
    if (name === '') continue;
    if (!isKind(kind)) throw new Error(`No kind of argument: ${flag}`);
    // `--color` and `--color?=name` are one option.
    if (sign === undefined && flags.get(name)?.value === 'attached') continue;
    flags.set(name, {value: sign === undefined ? 'none' : (valueOfSign[sign] ?? 'attached'), kind});
  }
  known.set(written, flags);
  return flags;
}

const valueOfSign: Readonly<Partial<Record<string, FlagRule['value']>>> = {'=': 'required', '==': 'two'};

const known = new Map<string, ReadonlyMap<string, FlagRule>>();

const isKind = (kind: string): kind is ArgumentKind => argumentKinds.some(each => each === kind);
