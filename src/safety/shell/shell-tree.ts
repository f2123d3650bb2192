import type {TextRange} from '../../domain/risk.ts';

/** What a text for the shell consists of. Only what weft is sure to read as bash does is in it: see `parseShell`. */
export type Script = readonly AndOr[];

/** `a && b || c`, and what ended it. */
export interface AndOr {
  readonly steps: readonly Step[];
  readonly runs: 'here' | 'in-background';
}

export interface Step {
  /** Under which end of what went before it runs; `always` for the first. */
  readonly when: 'always' | 'after-success' | 'after-failure';
  readonly pipeline: readonly Command[];
}

export type Command =
  | SimpleWords
  | ((
      | {readonly kind: 'group'; readonly body: Script; readonly scope: 'own' | 'shared'}
      /**
       * The scripts of an `if`, `while` or `case` in their order; each but the first may run or not, those of a loop more than
       * once. `words` are what a `case` compares; then the first may not run either.
       */
      | {
          readonly kind: 'branches';
          readonly scripts: readonly Script[];
          readonly words: readonly Word[];
          readonly runs: 'once' | 'again';
        }
      | {readonly kind: 'for'; readonly variable: string; readonly values: readonly Word[]; readonly body: Script}
      /** `span` is `[[ … ]]` without redirections. */
      | {readonly kind: 'test'; readonly words: readonly Word[]; readonly span: TextRange}
    ) & {readonly redirections: readonly Redirection[]; readonly range: TextRange});

export interface SimpleWords {
  readonly kind: 'simple';
  readonly assignments: readonly Word[];
  readonly words: readonly Word[];
  readonly redirections: readonly Redirection[];
  readonly range: TextRange;
}

export interface Redirection {
  /** The sign without a descriptor before it: `>`, `>>`, `<`, `>&`, `&>`, `<<`, `<<<`. */
  readonly sign: string;
  /** The word after the sign; the body of a here-document. */
  readonly target: Word;
  readonly range: TextRange;
}

export interface Word {
  readonly pieces: readonly Piece[];
  readonly range: TextRange;
}

/** What a word is put together of; `bare` is not quoted, so that the shell splits it and takes it for a pattern. */
export type Piece =
  | {readonly kind: 'text'; readonly text: string; readonly style: Style}
  /** `{a,b}` and `{1..3}`. */
  | {readonly kind: 'braces'; readonly alternatives: readonly string[]}
  /** `$name`; `changed` is for `${name%.ts}` and the like. */
  | {readonly kind: 'parameter'; readonly name: string; readonly form: 'plain' | 'changed'; readonly style: Style}
  | {readonly kind: 'substitution'; readonly script: Script; readonly style: Style}
  /** `<(…)`. */
  | {readonly kind: 'process'; readonly script: Script}
  /** Arithmetic on numbers alone. */
  | {readonly kind: 'number'}
  /** A leading `~`. */
  | {readonly kind: 'home'};

export type Style = 'bare' | 'quoted';
