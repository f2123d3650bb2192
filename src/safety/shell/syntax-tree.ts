import type {TextRange} from '../../domain/risk.ts';

/** The syntax tree of a shell script. It contains only what weft certainly reads as bash does, see `parseShell`. */
export type Script = readonly AndOr[];

/** An and-or list, `a && b || c`, and whether `&` ended it. */
export interface AndOr {
  readonly steps: readonly AndOrStep[];
  readonly runs: 'here' | 'in-background';
}

export interface AndOrStep {
  /** The exit of the previous step after which this one runs. `always` for the first. */
  readonly when: 'always' | 'after-success' | 'after-failure';
  readonly pipeline: readonly Command[];
}

export type Command =
  | SimpleCommand
  | ((
      | {readonly kind: 'group'; readonly body: Script; readonly scope: 'own' | 'shared'}
      /**
       * An `if`, `while`, `until` or `case` with its scripts in order. All but the first are optional, and those of a loop may
       * run more than once. `words` are what a `case` compares. In a `case` the first script is optional too.
       */
      | {
          readonly kind: 'branches';
          readonly scripts: readonly Script[];
          readonly words: readonly Word[];
          readonly runs: 'once' | 'again';
        }
      | {readonly kind: 'for'; readonly variable: string; readonly values: readonly Word[]; readonly body: Script}
      /** `[[ … ]]`; `span` is its range without redirections. */
      | {readonly kind: 'test'; readonly words: readonly Word[]; readonly span: TextRange}
    ) & {readonly redirections: readonly Redirection[]; readonly range: TextRange});

export interface SimpleCommand {
  readonly kind: 'simple';
  readonly assignments: readonly Word[];
  readonly words: readonly Word[];
  readonly redirections: readonly Redirection[];
  readonly range: TextRange;
}

export interface Redirection {
  /** The operator without the file descriptor before it: `>`, `>>`, `<`, `>&`, `&>`, `<<`, `<<<`. */
  readonly operator: string;
  /** The word after the operator; of a here-document, its body. */
  readonly target: Word;
  readonly range: TextRange;
}

export interface Word {
  readonly parts: readonly WordPart[];
  readonly range: TextRange;
}

/** A part of a word. A `bare` part is not quoted: the shell splits it at blanks and expands file name patterns in it. */
export type WordPart =
  | {readonly kind: 'text'; readonly text: string; readonly style: Quoting}
  /** A brace expansion, `{a,b}` or `{1..3}`. */
  | {readonly kind: 'braces'; readonly alternatives: readonly string[]}
  /** A parameter, `$name`. `changed` means `${name%.ts}` and the like. */
  | {readonly kind: 'parameter'; readonly name: string; readonly form: 'plain' | 'changed'; readonly style: Quoting}
  | {readonly kind: 'substitution'; readonly script: Script; readonly style: Quoting}
  /** A process substitution, `<(…)`. */
  | {readonly kind: 'process'; readonly script: Script}
  /** An arithmetic expansion of only numbers. */
  | {readonly kind: 'number'}
  /** A leading `~`, the home folder. */
  | {readonly kind: 'home'};

export type Quoting = 'bare' | 'quoted';
