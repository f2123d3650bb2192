import {extname} from 'node:path';
import {firstLine} from '../../base/clip.ts';
import {causeText} from '../../domain/fault.ts';
import {decodeText} from './text-form.ts';

/** Bytes of a file that is still parsed. */
const largestParsed = 1_000_000;

/**
 * Says that an edit broke a file: it parsed before and does not any more. `undefined` where it did not, or where nobody here
 * can parse such files.
 */
export async function syntaxNote(
  path: string,
  before: Buffer | undefined,
  after: Buffer | undefined,
): Promise<string | undefined> {
  if (before === undefined || after === undefined || Math.max(before.length, after.length) > largestParsed)
    return undefined;
  const language = languages[extname(path).toLowerCase()];
  if (language === undefined) return undefined;
  const parse = language === 'JSON' ? parseJson : await scriptParser();
  if (parse === undefined) return undefined;
  const trouble = troubleOf(after, parse);
  if (trouble === undefined || troubleOf(before, parse) !== undefined) return undefined;
  return `before the edit it was valid ${language}, now it is not: ${trouble}`;
}

const languages: Readonly<Record<string, 'JSON' | 'TypeScript' | 'JavaScript'>> = {
  '.json': 'JSON',
  '.ts': 'TypeScript',
  '.mts': 'TypeScript',
  '.cts': 'TypeScript',
  '.js': 'JavaScript',
  '.mjs': 'JavaScript',
  '.cjs': 'JavaScript',
};

function troubleOf(bytes: Buffer, parse: (text: string) => void): string | undefined {
  const decoded = decodeText(bytes);
  if (decoded.tag === 'failed') return 'it is binary';
  try {
    parse(decoded.value.text);
    return undefined;
  } catch (cause) {
    return firstLine(causeText(cause), 200).replace(/\.$/u, '');
  }
}

const parseJson = (text: string): void => {
  JSON.parse(text);
};

/** Node's own remover of types, which reads scripts and modules of both languages; `undefined` where this Node has none. */
async function scriptParser(): Promise<((text: string) => void) | undefined> {
  const {stripTypeScriptTypes} = await import('node:module');
  // oxlint-disable-next-line typescript/no-unnecessary-condition -- Node before 22.13 and builds without it lack the function
  if (stripTypeScriptTypes === undefined) return undefined;
  return text => {
    // oxlint-disable-next-line typescript/unbound-method -- put back as it was
    const emitWarning = process.emitWarning;
    // Node calls the function an experiment each time a program uses it first; that is no news for the user.
    process.emitWarning = () => {};
    try {
      stripTypeScriptTypes(text, {mode: 'transform'});
    } finally {
      process.emitWarning = emitWarning;
    }
  };
}
