/** Bytes of a file, and lines changed in it, beyond which changes are not merged. */
const mostBytes = 4 * 1024 * 1024;
const mostEdits = 2000;

/** Lines `from` to `to` (half open) of the common text are replaced by `lines`. */
interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/**
 * Both changes of a text in one, byte by byte; `undefined` where they touch the same lines or neighbouring ones, and for what is
 * no text.
 */
export async function mergeText(texts: {
  readonly common: Uint8Array;
  readonly ours: Uint8Array;
  readonly theirs: Uint8Array;
}): Promise<Uint8Array | undefined> {
  const all = [texts.common, texts.ours, texts.theirs];
  if (all.some(bytes => bytes.length > mostBytes || bytes.includes(0))) return undefined;
  const common = linesOf(texts.common);
  const ours = await replacements(common, linesOf(texts.ours));
  const theirs = await replacements(common, linesOf(texts.theirs));
  if (ours === undefined || theirs === undefined) return undefined;
  const merged: string[] = [];
  let at = 0;
  for (const next of inOrder([...ours, ...theirs])) {
    if (next.kind === 'clash') return undefined;
    const {from, to, lines} = next.replacement;
    merged.push(...common.slice(at, from), ...lines);
    at = to;
  }
  return Buffer.from([...merged, ...common.slice(at)].join(''), 'latin1');
}

/** Latin-1 has a character for every byte. */
const linesOf = (bytes: Uint8Array): readonly string[] =>
  Buffer.from(bytes)
    .toString('latin1')
    .match(/[^\n]*\n|[^\n]+$/gu) ?? [];

async function replacements(
  before: readonly string[],
  after: readonly string[],
): Promise<readonly Replacement[] | undefined> {
  const {diffArrays} = await import('diff');
  const parts = diffArrays([...before], [...after], {maxEditLength: mostEdits});
  if (parts === undefined) return undefined;
  const found: Replacement[] = [];
  let at = 0;
  let open: {from: number; to: number; lines: string[]} | undefined;
  for (const part of parts) {
    if (!part.added && !part.removed) {
      if (open !== undefined) found.push(open);
      open = undefined;
      at += part.value.length;
      continue;
    }
    open ??= {from: at, to: at, lines: []};
    if (part.added) open.lines.push(...part.value);
    else {
      at += part.value.length;
      open.to = at;
    }
  }
  if (open !== undefined) found.push(open);
  return found;
}

type Placed = {readonly kind: 'apply'; readonly replacement: Replacement} | {readonly kind: 'clash'};

/** From top to bottom; the same replacement made by both counts once. */
function inOrder(all: readonly Replacement[]): readonly Placed[] {
  const sorted = all.toSorted((a, b) => a.from - b.from || a.to - b.to);
  const placed: Placed[] = [];
  let last: Replacement | undefined;
  for (const next of sorted) {
    if (last !== undefined && isSame(last, next)) continue;
    placed.push(last !== undefined && next.from <= last.to ? {kind: 'clash'} : {kind: 'apply', replacement: next});
    last = next;
  }
  return placed;
}

const isSame = (a: Replacement, b: Replacement): boolean =>
  a.from === b.from && a.to === b.to && a.lines.join('') === b.lines.join('');
