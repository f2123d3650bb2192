/**
 * The new text in the indentation of the file, where the old one stands there with another: `there` has the lines of
 * `oldText`, white space at their ends apart. Lines that did not change stay as the file has them. `undefined` where no rule
 * leads from the one indentation to the other.
 */
export function reindented(
  there: string,
  {oldText, newText}: {readonly oldText: string; readonly newText: string},
): string | undefined {
  const present = there.split('\n');
  const old = oldText.split('\n');
  const fresh = newText.split('\n');
  const rule = indentRule(present, old);
  if (rule === undefined) return undefined;

  let head = 0;
  while (head < Math.min(old.length, fresh.length, present.length) && old[head] === fresh[head]) head += 1;
  let tail = 0;
  const most = Math.min(old.length, fresh.length) - head;
  while (tail < most && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail += 1;

  const changed: string[] = [];
  for (const line of fresh.slice(head, fresh.length - tail)) {
    const indent = indentOf(line);
    const put = line === indent ? '' : rule(indent);
    if (put === undefined) return undefined;
    changed.push(put + line.slice(indent.length));
  }
  return [...present.slice(0, head), ...changed, ...present.slice(present.length - tail)].join('\n');
}

/** From an indentation of the old text to that of the file. */
function indentRule(
  present: readonly string[],
  old: readonly string[],
): ((indent: string) => string | undefined) | undefined {
  const pairs = new Map<string, string>();
  for (const [at, line] of old.entries()) {
    const from = indentOf(line);
    if (from === line) continue;
    const to = indentOf(present[at] ?? '');
    const known = pairs.get(from);
    // One indentation that stands for two: what the new lines should have cannot be told.
    if (known !== undefined && known !== to) return undefined;
    pairs.set(from, to);
  }
  const units = {old: unitOf([...pairs.keys()]), file: unitOf([...pairs.values()])};
  return indent => {
    const exact = pairs.get(indent);
    if (exact !== undefined) return exact;
    const base = nearestBase(indent, [...pairs.keys()]);
    if (base === undefined) return undefined;
    const to = pairs.get(base) ?? '';
    if (indent.length > base.length) return to + converted(indent.slice(base.length), units, to);
    const less = converted(base.slice(indent.length), units, to);
    return to.endsWith(less) ? to.slice(0, to.length - less.length) : undefined;
  };
}

/** The longest known indentation that `indent` begins with, else the shortest that begins with it. */
function nearestBase(indent: string, known: readonly string[]): string | undefined {
  const sorted = known.toSorted((a, b) => b.length - a.length);
  return sorted.find(each => indent.startsWith(each)) ?? sorted.findLast(each => each.startsWith(indent));
}

/** `part` of an old indentation, level by level where old text and file have different levels. */
function converted(
  part: string,
  units: {readonly old: string | undefined; readonly file: string | undefined},
  beside: string,
): string {
  const old = units.old ?? (part.startsWith('\t') ? '\t' : part.length % 4 === 0 ? '    ' : '  ');
  const file = units.file ?? (beside.includes('\t') ? '\t' : undefined);
  if (file === undefined || file === old || part.length % old.length !== 0) return part;
  return file.repeat(part.length / old.length);
}

/** One level: a tab, or the smallest step between two of the indentations. */
function unitOf(indents: readonly string[]): string | undefined {
  if (indents.some(indent => indent.includes('\t'))) return '\t';
  const lengths = [...new Set(indents.map(indent => indent.length))].toSorted((a, b) => a - b);
  const steps = lengths.slice(1).map((length, at) => length - (lengths[at] ?? 0));
  return steps.length === 0 ? undefined : ' '.repeat(Math.min(...steps));
}

const indentOf = (line: string): string => /^[ \t]*/u.exec(line)?.[0] ?? '';
