/** The files that a program writes by its options, as written: `curl -o`, `curl -O`, `wget -O`, `sort -o`. */
export function optionOutputs([program = '', ...words]: readonly string[]): readonly string[] {
  const writer = writers.get(program);
  if (writer === undefined) return [];
  const found: string[] = [];
  const operands: string[] = [];
  let folder = '';
  let isByUrl = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const [, long = '', value] = /^(--[^=]+)(?:=([\s\S]*))?$/u.exec(word) ?? [];
    if (long === writer.long || long === '--output-dir') {
      const path = value ?? words[(at += 1)] ?? '';
      if (long === writer.long) found.push(path);
      else folder = `${path}/`;
    } else if (long === '--remote-name') isByUrl = true;
    else if (/^-[^-]/u.test(word)) {
      for (let letter = 1; letter < word.length; letter += 1) {
        const name = word.charAt(letter);
        if (name === 'O' && program === 'curl') isByUrl = true;
        if (name !== writer.letter && !writer.valued.includes(name)) continue;
        const given = letter + 1 < word.length ? word.slice(letter + 1) : (words[(at += 1)] ?? '');
        if (name === writer.letter) found.push(given);
        break;
      }
    } else if (!word.startsWith('-')) operands.push(word);
  }
  const byUrl = isByUrl
    ? operands.flatMap(url => /[^/]\/(?:[^?#]*\/)?([^/?#]+)(?:[?#].*)?$/u.exec(url)?.[1] ?? [])
    : [];
  return [...found, ...byUrl]
    .filter(path => !/^(?:-|\/dev\/(?:null|stdout|stderr|tty))$/u.test(path))
    .map(path => (path.startsWith('/') ? path : folder + path));
}

interface Writer {
  readonly letter: string;
  readonly long: string;
  /** Other letters that take a value. */
  readonly valued: string;
}

const writers: ReadonlyMap<string, Writer> = new Map([
  ['curl', {letter: 'o', long: '--output', valued: 'AbcCdDeEFhHKmPQrtTuUwxXyYz'}],
  ['wget', {letter: 'O', long: '--output-document', valued: 'aABDeiIloPQRtTUwX'}],
  ['sort', {letter: 'o', long: '--output', valued: 'kStT'}],
]);
