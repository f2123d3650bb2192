/** What a draft does when it is entered. */
export type DraftMeaning =
  | {readonly kind: 'prompt'}
  /** A command of the user's own for the shell. */
  | {readonly kind: 'shell'; readonly command: string}
  | {readonly kind: 'note'; readonly note: string};

/** Reads the signs at the beginning: `!` runs the rest; `#` and a word, on one line, are a note. */
export function meaningOf(text: string): DraftMeaning {
  if (text.startsWith('!')) return {kind: 'shell', command: text.slice(1).trim()};
  const note = /^# ?(?=\p{Letter}|["'(`@])([^\n]+)$/u.exec(text.trimEnd());
  return note === null ? {kind: 'prompt'} : {kind: 'note', note: (note[1] ?? '').trim()};
}
