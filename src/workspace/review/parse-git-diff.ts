import type {DiffHunk, DiffLine, FileDiff} from '../../actions/preview.ts';

/**
 * Reads what `git diff` prints, with the prefixes `a/` and `b/`: the files in their order. What it does not understand it passes
 * over, so that no text makes it fail. Lines are without their ends; binary files have no hunks and a note.
 */
export function parseGitDiff(text: string): readonly FileDiff[] {
  const files: FileDiff[] = [];
  let file: Reading | undefined;
  let hunk: OpenHunk | undefined;
  const close = (): void => {
    if (file !== undefined && file.path !== '') files.push(fileOf(file));
  };
  for (const line of text.split('\n')) {
    if (hunk !== undefined && (hunk.oldLeft > 0 || hunk.newLeft > 0) && addLine(hunk, line)) continue;
    const [, oldStart = '', oldCount = '1', newStart = '', newCount = '1'] = hunkHead.exec(line) ?? [];
    if (file !== undefined && oldStart !== '') {
      const lines: DiffLine[] = [];
      file.hunks.push({oldStart: Math.max(1, Number(oldStart)), newStart: Math.max(1, Number(newStart)), lines});
      hunk = {lines, oldLeft: Number(oldCount), newLeft: Number(newCount)};
    } else if (line.startsWith('diff --git ')) {
      close();
      hunk = undefined;
      file = {path: samePath(line), from: '', before: 'there', after: 'there', hunks: [], notes: []};
    } else if (file !== undefined) readHeader(file, line);
  }
  close();
  return files;
}

interface Reading {
  path: string;
  /** The path before, where it was renamed; else empty. */
  from: string;
  before: 'there' | 'absent';
  after: 'there' | 'absent';
  readonly hunks: DiffHunk[];
  readonly notes: string[];
}

interface OpenHunk {
  readonly lines: DiffLine[];
  oldLeft: number;
  newLeft: number;
}

const hunkHead = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/u;

/** Whether the line belongs to the hunk; a note about a missing line end does. */
function addLine(hunk: OpenHunk, line: string): boolean {
  const kind = kinds[line[0] ?? ' '];
  if (line.startsWith('\\')) return true;
  if (kind === undefined) return false;
  if (kind !== 'added') hunk.oldLeft -= 1;
  if (kind !== 'removed') hunk.newLeft -= 1;
  hunk.lines.push({kind, text: line.slice(1).replace(/\r$/u, ''), changed: []});
  return true;
}

const kinds: Readonly<Record<string, DiffLine['kind']>> = {' ': 'context', '+': 'added', '-': 'removed'};

function readHeader(file: Reading, line: string): void {
  const [, word = '', rest = ''] =
    /^(---|\+\+\+|rename from|rename to|new file mode|deleted file mode|Binary files) (.*)$/u.exec(line) ?? [];
  switch (word) {
    case '---':
      if (rest === '/dev/null') file.before = 'absent';
      else if (file.path === '') file.path = withoutPrefix(rest);
      return;
    case '+++':
      if (rest === '/dev/null') file.after = 'absent';
      else file.path = withoutPrefix(rest);
      return;
    case 'rename from':
      file.from = unquoted(rest);
      return;
    case 'rename to':
      file.path = unquoted(rest);
      return;
    case 'new file mode':
      file.before = 'absent';
      return;
    case 'deleted file mode':
      file.after = 'absent';
      return;
    case 'Binary files':
      file.notes.push('binary file');
      return;
    default:
  }
}

/** The path of a header that names it twice, as it does for a file that was not renamed; empty where it names two. */
function samePath(line: string): string {
  const names = line.slice('diff --git '.length);
  const half = (names.length - 1) / 2;
  const [one, other] = [names.slice(0, half), names.slice(half + 1)];
  return Number.isInteger(half) && withoutPrefix(one) === withoutPrefix(other) ? withoutPrefix(one) : '';
}

const withoutPrefix = (name: string): string => unquoted(name.replace(/\t$/u, '')).replace(/^[ab]\//u, '');

/** Git writes names with quotes, line ends and control characters as C does; octal escapes are bytes. */
function unquoted(name: string): string {
  if (!/^".*"$/u.test(name)) return name;
  const bytes: number[] = [];
  for (const [, octal, letter, plain = ''] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\])/gsu)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) & 255);
    else bytes.push(...new TextEncoder().encode(letter === undefined ? plain : (escapes[letter] ?? letter)));
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

const escapes: Readonly<Record<string, string>> = {n: '\n', t: '\t', r: '\r', a: '\u0007', b: '\b', f: '\f', v: '\v'};

function fileOf({path, from, before, after, hunks, notes}: Reading): FileDiff {
  const count = (kind: DiffLine['kind']): number =>
    hunks.reduce((sum, {lines}) => sum + lines.filter(line => line.kind === kind).length, 0);
  return {
    path,
    before: before === 'absent' ? 'absent' : 'present',
    after: after === 'absent' ? 'absent' : 'present',
    movedFrom: from === '' || from === path ? undefined : from,
    added: count('added'),
    removed: count('removed'),
    hunks,
    notes,
  };
}
