import {printError} from './say.ts';

/** Asks on stderr and reads one line from stdin; the end of stdin is a no. */
export async function saysYes(question: string): Promise<boolean> {
  printError(question);
  for await (const chunk of process.stdin) return /^\s*y(?:es)?\s*$/iu.test(String(chunk));
  return false;
}
