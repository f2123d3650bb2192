/** How an option takes its values, and the role of a value. */
export interface OptionRule<Role extends string = string> {
  /** `attached`: only after `=`, or directly after the letter. `two`: the next two words. */
  readonly value: 'none' | 'attached' | 'required' | 'two';
  readonly role: Role;
}

/** The options of a program, as its row in the table lists them. */
export interface OptionTable<Role extends string = string> {
  readonly options: ReadonlyMap<string, OptionRule<Role>>;
  /** Whether `-5` is a number of lines. */
  readonly digits: boolean;
  /** Whether the first operand ends the options, as in programs that run another program. */
  readonly stopsAtOperand: boolean;
  /**
   * The rule for unlisted options. Without it, a word with an unlisted option is `unlisted` as a whole. With it, long options may
   * be abbreviated.
   */
  readonly unlisted?: OptionRule<Role>;
}

/** One word of a command, or an option in it. `at` is its position. */
export type ReadWord<Role extends string = string> =
  | (FoundOption<Role> & {
      readonly kind: 'option';
      readonly at: number;
      /** The positions of the option's values that are separate words. A missing value's position is after the last word. */
      readonly values: readonly number[];
    })
  | {readonly kind: 'operand'; readonly at: number}
  /**
   * `unlisted`: an option that the table does not list. `unknown`: a word whose text is not known, which may be any option or
   * operand.
   */
  | {readonly kind: 'unlisted' | 'unknown'; readonly at: number}
  /** The `--` after which all words are operands. */
  | {readonly kind: 'end'; readonly at: number};

/** Classifies each word of a command. Only this function reads options. A word is `undefined` if its text is not known. */
export function readWords<Role extends string>(
  words: readonly (string | undefined)[],
  table: OptionTable<Role>,
): readonly ReadWord<Role>[] {
  const read: ReadWord<Role>[] = [];
  let isOver = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (isOver || word === '-' || word?.startsWith('-') === false) {
      read.push({kind: 'operand', at});
      if (table.stopsAtOperand) isOver = true;
    } else if (word === undefined) read.push({kind: 'unknown', at});
    else if (word === '--') {
      read.push({kind: 'end', at});
      isOver = true;
    } else {
      const options = optionsIn(word, table);
      if (options === undefined) read.push({kind: 'unlisted', at});
      const from = at;
      for (const option of options ?? []) {
        const values = option.attached === undefined ? valuesOf(option.rule, at) : [];
        read.push({kind: 'option', at: from, ...option, values});
        at += values.length;
      }
    }
  }
  return read;
}

function valuesOf({value}: OptionRule, at: number): readonly number[] {
  return value === 'two' ? [at + 1, at + 2] : value === 'required' ? [at + 1] : [];
}

export interface FoundOption<Role extends string = string> {
  readonly name: string;
  readonly rule: OptionRule<Role>;
  /** The value in the same word. */
  readonly attached: string | undefined;
}

/** Returns the options in a word such as `-la`, `-n5` or `--color=never`, or `undefined` if one of them is not listed. */
export function optionsIn<Role extends string>(
  word: string,
  {options, digits, unlisted}: Pick<OptionTable<Role>, 'options' | 'digits' | 'unlisted'>,
): readonly FoundOption<Role>[] | undefined {
  if (digits && /^-\d+$/u.test(word)) return [];
  const whole = options.get(word);
  if (whole !== undefined && (word.startsWith('--') || word.length === 2))
    return [{name: word, rule: whole, attached: undefined}];
  if (word.startsWith('--') && unlisted !== undefined) {
    const [written = '', ...values] = word.split('=');
    const name = options.has(written)
      ? written
      : ([...options.keys()].find(each => each.startsWith(written)) ?? written);
    const attached = values.length === 0 ? undefined : values.join('=');
    return [{name, rule: options.get(name) ?? unlisted, attached}];
  }
  if (word.startsWith('--')) {
    const equals = word.indexOf('=');
    const name = word.slice(0, Math.max(equals, 0));
    const rule = options.get(name);
    return rule === undefined || rule.value === 'none' || rule.value === 'two'
      ? undefined
      : [{name, rule, attached: word.slice(equals + 1)}];
  }
  const found: FoundOption<Role>[] = [];
  for (let at = 1; at < word.length; at += 1) {
    const name = `-${word.charAt(at)}`;
    const rule = options.get(name) ?? unlisted;
    if (rule === undefined) return undefined;
    const rest = word.slice(at + 1);
    if (rule.value !== 'none') return [...found, {name, rule, attached: rest === '' ? undefined : rest}];
    found.push({name, rule, attached: undefined});
  }
  return found;
}
