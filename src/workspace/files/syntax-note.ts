import {basename, extname} from 'node:path';
import type {ParserPlugin} from '@babel/parser';
import {firstLine} from '../../base/clip.ts';
import {causeText} from '../../domain/fault.ts';
import {decodeText} from './text-encoding.ts';

/** Throws if the text is invalid. */
type Parse = (text: string) => unknown;

/** A file type and its parsers. A file is judged by the first parser that accepted it before the edit. */
interface Language {
  readonly name: string;
  readonly parsers: () => Promise<readonly Parse[]>;
  /** The size of the largest file to parse, in bytes. */
  readonly maxBytes: number;
}

/**
 * Returns a note if an edit broke a file: the file parsed before and no longer does. Returns `undefined` otherwise, and
 * for file types without a parser here.
 */
export async function syntaxNote(
  path: string,
  before: Buffer | undefined,
  after: Buffer | undefined,
): Promise<string | undefined> {
  const language = languageOf(path);
  if (language === undefined || before === undefined || after === undefined) return undefined;
  if (Math.max(before.length, after.length) > language.maxBytes) return undefined;
  const parsers = await language.parsers();
  const parse = parsers.find(one => parseProblem(before, one) === undefined);
  const problem = parse === undefined ? undefined : parseProblem(after, parse);
  return problem === undefined
    ? undefined
    : `before the edit it was valid ${language.name}, now it is not: ${problem.replace(/\.$/u, '')}`;
}

function languageOf(path: string): Language | undefined {
  const name = basename(path).toLowerCase();
  return allowsComments(name, path) ? languages['.jsonc'] : languages[extname(name)];
}

/** True for .json files whose readers accept comments. */
const allowsComments = (name: string, path: string): boolean =>
  /^(?:ts|js)config(?:\..+)?\.json$|^\.(?:eslintrc|oxlintrc|oxfmtrc|swcrc|babelrc)(?:\.json)?$|^devcontainer\.json$/u.test(
    name,
  ) ||
  (name.endsWith('.json') && /[/\\]\.vscode[/\\][^/\\]+$/u.test(path));

function parseProblem(bytes: Buffer, parse: Parse): string | undefined {
  const decoded = decodeText(bytes);
  if (decoded.tag === 'failed') return 'it is binary';
  try {
    parse(decoded.value.text);
    return undefined;
  } catch (cause) {
    return firstLine(causeText(cause), 200);
  }
}

const parseJson: Parse = text => {
  JSON.parse(text);
};

const parseCommentedJson: Parse = text => {
  JSON.parse(jsonWithComments(text));
};

const maxJsonBytes = 1_000_000;

const yaml: Language = {
  name: 'YAML',
  maxBytes: 400_000,
  async parsers() {
    const {parseAllDocuments} = await import('yaml');
    return [
      text => {
        const documents = parseAllDocuments(text, {logLevel: 'silent', prettyErrors: true});
        const error = 'empty' in documents ? undefined : documents.find(({errors}) => errors.length > 0)?.errors[0];
        if (error !== undefined) throw error;
      },
    ];
  },
};

type Dialect = 'jsx' | 'flow' | 'typescript' | 'declarations';

/** Accepts a file if any of the dialects accepts it. */
const script = (name: string, ...dialects: readonly (readonly Dialect[])[]): Language => ({
  name,
  maxBytes: 500_000,
  async parsers() {
    const {parse} = await import('@babel/parser');
    const parseAs = (text: string, dialect: readonly Dialect[]): void => {
      parse(text, {
        sourceType: 'unambiguous',
        allowAwaitOutsideFunction: true,
        allowReturnOutsideFunction: true,
        allowUndeclaredExports: true,
        attachComment: false,
        plugins: [
          ...dialect.map((one): ParserPlugin => (one === 'declarations' ? ['typescript', {dts: true}] : one)),
          'decorators',
          'decoratorAutoAccessors',
        ],
      });
    };
    const readAs = (text: string, dialect: readonly Dialect[]): unknown => {
      try {
        parseAs(text, dialect);
        return undefined;
      } catch (cause) {
        return cause;
      }
    };
    return [
      text => {
        const [first, ...others] = dialects;
        const problem = readAs(text, first ?? []);
        if (problem !== undefined && others.every(other => readAs(text, other) !== undefined)) throw problem;
      },
    ];
  },
});

const javaScript = script('JavaScript', ['jsx'], ['jsx', 'flow']);
const typeScript = script('TypeScript', ['typescript'], ['declarations']);

const languages: Readonly<Record<string, Language>> = {
  // If a file already contains comments, its readers accept them.
  '.json': {name: 'JSON', maxBytes: maxJsonBytes, parsers: async () => [parseJson, parseCommentedJson]},
  '.jsonc': {name: 'JSON', maxBytes: maxJsonBytes, parsers: async () => [parseCommentedJson]},
  '.yaml': yaml,
  '.yml': yaml,
  '.ts': typeScript,
  '.mts': typeScript,
  '.cts': typeScript,
  '.tsx': script('TypeScript', ['jsx', 'typescript']),
  '.js': javaScript,
  '.jsx': javaScript,
  '.mjs': javaScript,
  '.cjs': javaScript,
};

/** Turns JSON with comments and trailing commas into plain JSON. Each removed character becomes a space, so that offsets stay the same. */
const jsonWithComments = (text: string): string =>
  blankTrailingCommas(text.replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\//gu, blankComment));

const blankTrailingCommas = (text: string): string =>
  text.replace(/"(?:[^"\\\n]|\\.)*"|,(?=\s*[\]}])/gu, part => (part === ',' ? ' ' : part));

const blankComment = (part: string): string => (part.startsWith('"') ? part : part.replaceAll(/[^\n]/gu, ' '));
