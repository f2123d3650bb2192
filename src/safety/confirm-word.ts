/** What a person types to accept a destructive command: the name of what it hits last, else the program's. */
export function confirmWord(words: readonly string[]): string {
  const [program = '', ...given] = words;
  const target = given.filter(word => !word.startsWith('-') && !/^[.*?/~]*$/u.test(word)).at(-1) ?? '';
  const name = lastPart(target);
  return /^[\p{L}\p{N}._@+-]{1,60}$/u.test(name) ? name : lastPart(program);
}

const lastPart = (path: string): string => path.replace(/\/+$/u, '').replace(/^.*\//u, '');
