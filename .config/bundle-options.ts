import {fileURLToPath} from 'node:url';
import type {InputOptions, Plugin} from 'rolldown';
import {protoAsText} from './proto-as-text.ts';
import {toolSchemas} from './tool-schemas.ts';
import {wrapperWords} from './wrapper-words.ts';

/** Ink looks for its developers' tools by a top-level await, which CommonJS does not have. */
const inkInProduction: Plugin = {
  name: 'ink-in-production',
  transform: {
    filter: {id: /ink\/build\/reconciler\.js$/u},
    handler: code => code.replaceAll(/\bawait (?:import\('\.\/devtools\.js'\)|loadPackageJson\(\))/gu, '{}'),
  },
};

const sourceFile = (path: string): string => fileURLToPath(new URL(`../src/${path}`, import.meta.url));

/** The SDKs of the providers get the small `Headers` of `src/models/fetch-classes.ts`: the global loads all of undici when it is first used. */
const headersWithoutUndici: Plugin = {
  name: 'headers-without-undici',
  transform: {
    filter: {id: /node_modules\/(?:@anthropic-ai\/sdk|openai)\/.*\.m?js$/u, code: /\b(?:Headers|ReadableStream)\b/u},
    handler: code =>
      `import {HttpHeaders as Headers} from ${JSON.stringify(sourceFile('models/fetch-classes.ts'))};\n` +
      // Asked for before each request, whose body is a text here.
      code.replaceAll('globalThis.ReadableStream', 'undefined'),
  },
};

/**
 * The client of the Model Context Protocol writes warnings to stderr with names and errors as servers gave them, in the middle of a
 * screen or of an output that programs read. weft says what matters of them itself.
 */
const quietProtocol: Plugin = {
  name: 'quiet-protocol',
  transform: {
    filter: {id: /node_modules\/@modelcontextprotocol\/.*\.m?js$/u, code: /\bconsole\.\w+\(/u},
    handler: code => code.replaceAll(/\bconsole\.\w+\(/gu, 'void ('),
  },
};

/**
 * weft gives the client and the server of the Model Context Protocol its own validator, so their copies of Ajv are never reached. Nor are
 * the packages for the schedules of pg-boss, which weft turns off.
 */
const unreachedPackages: Plugin = {
  name: 'unreached-packages',
  resolveId: {
    filter: {id: /^(?:\.\/ajvProvider-|cron-parser$|rrule-temporal$)/u},
    handler: id => `\0${id}`,
  },
  load: {
    filter: {id: /^\0(?:\.\/ajvProvider-|cron-parser$|rrule-temporal$)/u},
    handler: () =>
      'export class n {}; export class t {}; export const r = undefined; export class CronExpressionParser {}; export class RRuleTemporal {};',
  },
};

/** How the sources and their packages become the program, whatever is written of it. */
export const bundleOptions: InputOptions = {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  input: {weft: 'src/cli/main.ts'},
  platform: 'node',
  // Its main file finds its parts by a `require` that bundlers do not see.
  resolve: {
    alias: {
      'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
      'yoga-layout/load': fileURLToPath(import.meta.resolve('yoga-layout/load')),
      'yoga-layout': sourceFile('tui/terminal/yoga.ts'),
      // Ink and weft measure alike. The package compiles tables that take a tenth of the time to the first frame.
      'string-width': sourceFile('tui/text/cell-width.ts'),
    },
  },
  // The program is not a library. Its entry may export what its chunks share.
  preserveEntrySignatures: 'allow-extension',
  treeshake: true,
  plugins: [
    headersWithoutUndici,
    quietProtocol,
    unreachedPackages,
    inkInProduction,
    protoAsText,
    toolSchemas,
    wrapperWords,
  ],
  // tree-sitter has branches with eval that its own grammars do not take.
  // A module that one file imports lazily and another by name lies behind another lazy import all the same.
  // Code of packages that needs `import.meta` (Ink's developers' tools, pictures of PDFs) is never reached.
  checks: {eval: false, ineffectiveDynamicImport: false, emptyImportMeta: false},
  external: [/^node:/u, '@lydell/node-pty'],
  transform: {
    target: 'node22',
    define: {
      'process.env.NODE_ENV': '"production"',
      'process.env.DEV': '"false"',
      // yoga (Ink's layout) would read its embedded WebAssembly through fetch, which loads all of undici.
      'typeof fetch': '"undefined"',
    },
    inject: {
      // Both load much of Node, or make tables, as soon as they are named: these do it when they are used.
      'performance.now': [sourceFile('app/clock-and-ids.ts'), 'now'],
      'Intl.Segmenter': [sourceFile('tui/text/grapheme-segmenter.ts'), 'LazySegmenter'],
    },
  },
};
