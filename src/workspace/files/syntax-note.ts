import {basename, extname} from 'node:path';
import type {ParserPlugin} from '@babel/parser';
import {firstLine} from '../../base/clip.ts';
import {causeText} from '../../domain/fault.ts';
import {decodeText} from './text-encoding.ts';

/** Throws where the text cannot be read. */
type Parse = (text: string) => unknown;

/** One way to read files of a kind; a file is judged by the first way in which it could be read before. */
interface Language {
  readonly name: string;
  readonly parsers: () => Promise<readonly Parse[]>;
  /** Bytes of a file that is still parsed. */
  readonly largest: number;
}

/**
 * Says that an edit broke a file: it parsed before and does not any more. `undefined` where it did not, or where nobody here
 * can parse such files.
 */
export async function syntaxNote(
  path: string,
  before: Buffer | undefined,
  after: Buffer | undefined,
): Promise<string | undefined> {
  const language = languageOf(path);
  if (language === undefined || before === undefined || after === undefined) return undefined;
  if (Math.max(before.length, after.length) > language.largest) return undefined;
  const parsers = await language.parsers();
  const parse = parsers.find(one => troubleOf(before, one) === undefined);
  const trouble = parse === undefined ? undefined : troubleOf(after, parse);
  return trouble === undefined
    ? undefined
    : `before the edit it was valid ${language.name}, now it is not: ${trouble.replace(/\.$/u, '')}`;
}

function languageOf(path: string): Language | undefined {
  const name = basename(path).toLowerCase();
  return isCommented(name, path) ? languages['.jsonc'] : languages[extname(name)];
}

/** Files that end in .json and whose readers take comments. */
const isCommented = (name: string, path: string): boolean =>
  /^(?:ts|js)config(?:\..+)?\.json$|^\.(?:eslintrc|oxlintrc|oxfmtrc|swcrc|babelrc)(?:\.json)?$|^devcontainer\.json$/u.test(
    name,
  ) ||
  (name.endsWith('.json') && /[/\\]\.vscode[/\\][^/\\]+$/u.test(path));

function troubleOf(bytes: Buffer, parse: Parse): string | undefined {
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

const million = 1_000_000;

const yaml: Language = {
  name: 'YAML',
  largest: 400_000,
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

/** Read if one of the dialects reads it. */
const script = (name: string, ...dialects: readonly (readonly Dialect[])[]): Language => ({
  name,
  largest: 500_000,
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
        const trouble = readAs(text, first ?? []);
        if (trouble !== undefined && others.every(other => readAs(text, other) !== undefined)) throw trouble;
      },
    ];
  },
});

const javaScript = script('JavaScript', ['jsx'], ['jsx', 'flow']);
const typeScript = script('TypeScript', ['typescript'], ['declarations']);

const languages: Readonly<Record<string, Language>> = {
  // One that holds comments anyhow has readers who take them.
  '.json': {name: 'JSON', largest: million, parsers: async () => [parseJson, parseCommentedJson]},
  '.jsonc': {name: 'JSON', largest: million, parsers: async () => [parseCommentedJson]},
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

/** Plain JSON of JSON with comments and trailing commas, character for character: what is left out becomes a space. */
const jsonWithComments = (text: string): string =>
  withoutTrailingCommas(text.replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\//gu, blankComment));

const withoutTrailingCommas = (text: string): string =>
  text.replace(/"(?:[^"\\\n]|\\.)*"|,(?=\s*[\]}])/gu, part => (part === ',' ? ' ' : part));

const blankComment = (part: string): string => (part.startsWith('"') ? part : part.replaceAll(/[^\n]/gu, ' '));
