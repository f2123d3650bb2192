import type {Emitter} from 'highlight.js';
import type {SyntaxRole} from '../theme/palette.ts';

/** A stretch of code in one look; `plain` for what has none of its own. */
export interface CodeToken {
  readonly text: string;
  readonly role: SyntaxRole | 'plain';
}

interface Emitted {
  readonly text: string;
  /** `outer` is for the scopes that were open before this line. */
  readonly role: SyntaxRole | 'plain' | 'outer';
  /** How many of those had ended. */
  readonly ended: number;
}

/** What highlight.js tells of one line. Scopes may end here that began on an earlier line. */
export class TokenEmitter implements Emitter {
  readonly #emitted: Emitted[] = [];
  readonly #scopes: string[] = [];
  #ended = 0;

  startScope(name: string): void {
    this.#scopes.push(name);
  }

  endScope(): void {
    if (this.#scopes.pop() === undefined) this.#ended++;
  }

  /** The names that highlight.js itself uses for the same. */
  openNode(name: string): void {
    this.startScope(name);
  }

  closeNode(): void {
    this.endScope();
  }

  addText(text: string): void {
    if (text !== '') this.#emitted.push({text, role: innermost(this.#scopes), ended: this.#ended});
  }

  __addSublanguage(emitter: Emitter): void {
    if (!(emitter instanceof TokenEmitter)) return;
    for (const {text, role} of emitter.#emitted) {
      this.#emitted.push({text, role: role === 'outer' ? 'plain' : role, ended: this.#ended});
    }
  }

  finalize(): void {}

  toHTML(): string {
    return '';
  }

  /** The line's tokens, where `before` were open at its start. */
  tokens(before: readonly string[]): readonly CodeToken[] {
    return this.#emitted.map(({text, role, ended}) => {
      if (role !== 'outer') return {text, role};
      const found = innermost(before.slice(0, Math.max(0, before.length - ended)));
      return {text, role: found === 'outer' ? 'plain' : found};
    });
  }

  /** The scopes that are open at the end of the line. */
  open(before: readonly string[]): readonly string[] {
    return [...before.slice(0, Math.max(0, before.length - this.#ended)), ...this.#scopes];
  }
}

function innermost(scopes: readonly string[]): Emitted['role'] {
  for (let at = scopes.length - 1; at >= 0; at--) {
    const scope = scopes[at] ?? '';
    const role = roleOf.get(scope) ?? roleOf.get(scope.split('.')[0] ?? '');
    if (role !== undefined) return role;
  }
  return 'outer';
}

const roleOf: ReadonlyMap<string, SyntaxRole | 'plain'> = new Map([
  ['keyword', 'syntax-keyword'],
  ['built_in', 'syntax-type'],
  ['type', 'syntax-type'],
  ['literal', 'syntax-number'],
  ['number', 'syntax-number'],
  ['symbol', 'syntax-number'],
  ['bullet', 'syntax-number'],
  ['string', 'syntax-string'],
  ['regexp', 'syntax-string'],
  ['char', 'syntax-string'],
  ['code', 'syntax-string'],
  ['addition', 'syntax-string'],
  ['deletion', 'syntax-number'],
  ['subst', 'plain'],
  ['comment', 'syntax-comment'],
  ['quote', 'syntax-comment'],
  ['doctag', 'syntax-meta'],
  ['meta', 'syntax-meta'],
  ['attr', 'syntax-name'],
  ['attribute', 'syntax-name'],
  ['property', 'syntax-name'],
  ['title', 'syntax-name'],
  ['title.class', 'syntax-type'],
  ['section', 'syntax-name'],
  ['link', 'syntax-string'],
  ['name', 'syntax-keyword'],
  ['selector-tag', 'syntax-keyword'],
  ['selector-id', 'syntax-name'],
  ['selector-class', 'syntax-name'],
  ['selector-attr', 'syntax-meta'],
  ['selector-pseudo', 'syntax-meta'],
  ['variable', 'syntax-meta'],
  ['template-variable', 'syntax-meta'],
  ['template-tag', 'syntax-meta'],
]);
