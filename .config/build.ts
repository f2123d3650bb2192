import * as crypto from 'node:crypto';
import {copyFile, mkdir, writeFile} from 'node:fs/promises';
import {fileURLToPath} from 'node:url';
import {rolldown, type OutputOptions, type Plugin, type RolldownOutput} from 'rolldown';
import {sourceStamp, stampFile} from './source-stamp.ts';
import {protoAsText} from './proto-as-text.ts';
import {toolSchemas} from './tool-schemas.ts';
import {thirdPartyNotices} from './third-party-notices.ts';

/**
 * yoga (Ink's layout) reads its own embedded WebAssembly through `fetch`, which costs the start of the terminal UI the loading of
 * all that fetch needs; without fetch it decodes it directly.
 */
const yogaWithoutFetch: Plugin = {
  name: 'yoga-without-fetch',
  transform: {
    filter: {id: /yoga-wasm-base64-esm/u},
    handler(code) {
      const without = code.replaceAll(/"function"\s*!=\s*typeof fetch/gu, 'true');
      if (without === code) throw new Error('yoga-layout has changed: look how it reads its WebAssembly now');
      return without;
    },
  },
};

/** tree-sitter asks where its own file lies, which is nowhere in a bundle; it is given its WebAssembly and needs no place. */
const treeSitterWithoutPlace: Plugin = {
  name: 'tree-sitter-without-place',
  transform: {
    filter: {id: /tree-sitter-wasm\/wasm\/tree-sitter\.js$/u},
    handler(code) {
      const without = code.replace(/(function getCurrentScriptUrl\(\) \{)/u, "$1 return 'file:///tree-sitter.js';");
      if (without === code) throw new Error('tree-sitter has changed: look how it finds its place now');
      return without;
    },
  },
};

/** What divides text into characters is slow to make, and packages would make one each as they are loaded. */
const lazySegmenters: Plugin = {
  name: 'lazy-segmenters',
  transform: {
    filter: {id: /node_modules\/.*\.js$/u, code: /^(?:export )?const \w+ = new Intl\.Segmenter\(/mu},
    handler: code =>
      `import {graphemeSegmenter as weftSegmenter} from ${JSON.stringify(graphemeSegmenter)};\n` +
      code.replaceAll(
        /(?<=const \w+ = )new Intl\.Segmenter\((?:undefined, \{\s*granularity: ['"]grapheme['"]\s*\})?\)/gu,
        'weftSegmenter',
      ),
  },
};

/**
 * string-width compiles tables for the first character that is not ASCII, which take a tenth of the time to the first frame. The
 * characters that weft itself draws with take one cell each.
 */
const plainWidths: Plugin = {
  name: 'plain-widths',
  transform: {
    filter: {id: /node_modules\/string-width\/index\.js$/u},
    handler(code) {
      const ascii = String.raw`/^[\u0020-\u007E]*$/.test(string)`;
      if (!code.includes(ascii)) throw new Error('string-width has changed: look how it finds plain text now');
      return `import {plain as weftPlain} from ${JSON.stringify(graphemeSegmenter)};\n${code.replace(ascii, 'weftPlain.test(string)')}`;
    },
  },
};

/** The SDKs of the providers get the small `Headers` of `src/models/fetch-classes.ts`: the global loads all of undici when it is first used. */
const headersWithoutUndici: Plugin = {
  name: 'headers-without-undici',
  transform: {
    filter: {id: /node_modules\/(?:@anthropic-ai\/sdk|openai)\/.*\.m?js$/u, code: /\b(?:Headers|ReadableStream)\b/u},
    handler: code =>
      `import {HttpHeaders as Headers} from ${JSON.stringify(fetchClasses)};\n` +
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

/** commander could run subcommands that are programs of their own. weft has none, so nothing of `node:child_process` is loaded for it. */
const commanderWithoutPrograms: Plugin = {
  name: 'commander-without-programs',
  transform: {
    filter: {id: /node_modules\/commander\/lib\/command\.js$/u},
    handler(code) {
      const without = code.replace(
        "import childProcess from 'node:child_process';",
        "const childProcess = {spawn() { throw new Error('weft has no subcommands that are programs'); }};",
      );
      if (without === code) throw new Error('commander has changed: look how it imports node:child_process now');
      return without;
    },
  },
};

/**
 * Node's own modules are taken as they are, not as ECMAScript modules: to import `node:fs` that way reads each of its exports, and some
 * of them (streams, WebCrypto, WebSocket) load much that nobody asked for.
 */
const builtinsAsTheyAre: Plugin = {
  name: 'builtins-as-they-are',
  renderChunk: code => {
    const without = code.replaceAll(
      /^import (?:(?<whole>[\w$]+)|\* as (?<space>[\w$]+))?(?:, )?(?:\{(?<names>[^}]*)\})? from "(?<module>node:[\w/]+)";$/gmu,
      (_, whole, space, names, module) =>
        module === 'node:crypto' && whole === undefined && space === undefined
          ? lazyCrypto(names)
          : [whole, space, names === undefined ? undefined : `{${names.replaceAll(' as ', ': ')}}`]
              .filter(left => left !== undefined)
              .map(left => `const ${left} = globalThis.process.getBuiltinModule("${module}");`)
              .join(' '),
    );
    if (/^import [^(]* from "node:/mu.test(without))
      throw new Error("an import of one of Node's modules is written in a new way");
    // The same clock without the eight modules behind `performance`.
    return {code: without.replaceAll(/\bperformance\.now\(\)/gu, '(globalThis.process.uptime() * 1000)'), map: null};
  },
};

/** node:crypto takes a third of the time that Node itself takes to start: the first call of one of its functions loads it. */
function lazyCrypto(names: string): string {
  const imported = names.split(',').map(name => name.trim().split(' as '));
  return imported
    .map(([name = '', own = name]) => {
      if (!/^[a-z]/u.test(name) || typeof Reflect.get(crypto, name) !== 'function')
        throw new Error(`${name} of node:crypto is no function that could be loaded when it is called`);
      return `const ${own} = (...given) => globalThis.process.getBuiltinModule("node:crypto").${name}(...given);`;
    })
    .join(' ');
}

/** A source of ASCII alone is read in less time and takes half the memory: one other character makes two bytes of each. */
const asciiOnly: Plugin = {
  name: 'ascii-only',
  generateBundle(_options, files) {
    for (const file of Object.values(files)) {
      if (file.type === 'chunk') file.code = asciiOf(file.code, file.fileName);
    }
  },
};

/** Strings, templates and regular expressions mean the same with escapes; what is read raw or escaped already would not. */
function asciiOf(code: string, name: string): string {
  if (/\\\P{ASCII}/u.test(code)) throw new Error(`${name}: a backslash before a character that is not ASCII`);
  if (/\.raw`[^`]*\P{ASCII}/u.test(code)) throw new Error(`${name}: a raw template with a character that is not ASCII`);
  return code.replaceAll(/\P{ASCII}/gu, character =>
    Array.from(
      {length: character.length},
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

const fetchClasses = fileURLToPath(new URL('../src/models/fetch-classes.ts', import.meta.url));

const graphemeSegmenter = fileURLToPath(new URL('../src/tui/text/grapheme-segmenter.ts', import.meta.url));

const output: OutputOptions = {
  dir: 'dist',
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  minify: true,
  plugins: [builtinsAsTheyAre, asciiOnly],
  cleanDir: true,
};

/** What every answer in a script loads; providers and the store are loaded where they are used. */
const answerStarts = /src\/cli\/run-(?:main|print)\.ts$/u;

/** What is to load little: the command line itself, and filters of the task protocol. */
const lightStarts = /src\/(?:cli\/(?:main|commands\/tasks\/[\w-]+)|protocol\/task\/[\w-]+)\.ts$/u;

/** What the terminal UI begins with. */
const terminalStarts = /src\/(?:tui\/run-tui\.tsx|cli\/run-terminal\.ts)$/u;

/** Taken before the sources are read: what changes while they are built makes the next start build again. */
const stamp = sourceStamp();

/** One run for the whole program. Dynamic imports become chunks, so that each way of running weft loads only what it uses. */
const bundle = await rolldown({
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  input: {weft: 'src/cli/main.ts'},
  platform: 'node',
  // Its main file finds its parts by a `require` that bundlers do not see.
  resolve: {alias: {'jsonc-parser': 'jsonc-parser/lib/esm/main.js'}},
  // Nobody imports the program; its entry may export what its chunks share.
  preserveEntrySignatures: 'allow-extension',
  treeshake: true,
  plugins: [
    headersWithoutUndici,
    commanderWithoutPrograms,
    quietProtocol,
    yogaWithoutFetch,
    lazySegmenters,
    plainWidths,
    treeSitterWithoutPlace,
    protoAsText,
    toolSchemas,
  ],
  // tree-sitter has branches with eval that its own grammars do not take.
  // What is imported lazily here and by name there lies behind another lazy import all the same.
  checks: {eval: false, ineffectiveDynamicImport: false},
  external: [/^node:/u, 'react-devtools-core', '@lydell/node-pty'],
  transform: {target: 'node22', define: {'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"'}},
});
const alone = await bundle.generate(output);
const answering = modulesBehind(alone, answerStarts);
const light = modulesBehind(alone, lightStarts);
const anthropic = modulesBehind(alone, /src\/models\/anthropic\.ts$/u);
const openai = modulesBehind(alone, /src\/models\/openai\.ts$/u);
// The terminal UI is connected to a provider long before the first request, which needs the SDK.
const anthropicSdk = modulesBehind(alone, /@anthropic-ai\/sdk\/client\.m?js$/u);
const openaiSdk = modulesBehind(alone, /\/openai\/client\.m?js$/u);
const judging = modulesBehind(alone, /src\/(?:safety\/judge|workspace\/impact\/file-effect)\.ts$/u);
const watching = modulesBehind(alone, /src\/workspace\/exec\/watchdog\.ts$/u);
const running = modulesBehind(
  alone,
  /(?:src\/workspace\/exec\/(?:shell|run-tag|watchdog|shell-start)\.ts|node_modules\/execa\/index\.js)$/u,
);
const offering = modulesBehind(
  alone,
  /src\/(?:app\/mcp-servers|extensions\/mcp\/(?:server-set|connector|manifests|server-prompts))\.ts$/u,
);
const terminal = modulesBehind(alone, terminalStarts);
const tasks = modulesBehind(alone, /src\/tasks\/task-view\.ts$/u);
const beside = modulesBehind(alone, entriesOf(alone, /^(?!.*src\/(?:tui\/|cli\/run-terminal\.ts))/u));
const spoken = modulesBehind(alone, entriesOf(alone, /src\/tui\/(?!run-tui|transcript-reader)/u));
const written = await bundle.write({
  ...output,
  codeSplitting: {
    // Only what is named goes together: what it imports and others need too stays in chunks of their own.
    includeDependenciesRecursively: false,
    groups: [
      {name: 'shared', test: module => answering.has(module) && light.has(module)},
      {name: 'answer', test: module => answering.has(module) && !light.has(module)},
      {name: 'provider', test: module => anthropic.has(module) && openai.has(module)},
      {name: 'anthropic', test: module => anthropic.has(module)},
      {name: 'openai', test: module => openai.has(module)},
      {name: 'anthropic-sdk', test: module => anthropicSdk.has(module)},
      {name: 'openai-sdk', test: module => openaiSdk.has(module)},
      // What offers the tools of MCP servers before one of them runs.
      {name: 'mcp', test: module => offering.has(module)},
      // Opening fifty small files would take longer than running them. Screen-reader mode needs what draws text, but not Ink.
      {name: 'terminal-text', test: module => terminal.has(module) && spoken.has(module) && !beside.has(module)},
      {name: 'terminal', test: module => terminal.has(module) && !beside.has(module)},
      // Small parts that the terminal UI begins with and commands use, too: each file by itself takes longer to open than to run.
      {name: 'terminal-shared', test: module => terminal.has(module) && isPlain(module) && !tasks.has(module)},
      // Both are loaded with the first command.
      {name: 'judge', test: module => judging.has(module)},
      // The terminal UI starts with a watchdog, long before the first command.
      {name: 'watchdog', test: module => watching.has(module) && !answering.has(module)},
      {name: 'shell', test: module => running.has(module)},
    ],
  },
});
await bundle.close();
await writeFile(
  new URL('../THIRD-PARTY-NOTICES', import.meta.url),
  thirdPartyNotices(written.output.flatMap(file => (file.type === 'chunk' ? file.moduleIds : []))),
);

/**
 * The modules that are loaded with those that `starts` names. What every answer in a script loads would lie in some hundred chunks
 * by itself, since the terminal UI and the commands share some of it with each other, and opening so many files costs more than
 * running what is in them.
 */
function modulesBehind({output: found}: RolldownOutput, starts: RegExp | ReadonlySet<string>): ReadonlySet<string> {
  const chunks = new Map(found.flatMap(file => (file.type === 'chunk' ? [[file.fileName, file] as const] : [])));
  const isStart = (id: string): boolean => (starts instanceof RegExp ? starts.test(id) : starts.has(id));
  const waiting = [...chunks.values()].filter(({moduleIds}) => moduleIds.some(isStart));
  const seen = new Set(waiting);
  for (let chunk = waiting.pop(); chunk !== undefined; chunk = waiting.pop()) {
    for (const name of chunk.imports) {
      const next = chunks.get(name);
      if (next === undefined || next.isEntry || seen.has(next)) continue;
      seen.add(next);
      waiting.push(next);
    }
  }
  return new Set([...seen].flatMap(({moduleIds}) => moduleIds));
}

/** Ours, and nothing of Ink. */
function isPlain(module: string): boolean {
  return !/\/node_modules\/|\/tui\/terminal\/|\.tsx$/u.test(module);
}

/** The modules that `import()` names, of those whose path is as `where` says. */
function entriesOf({output: found}: RolldownOutput, where: RegExp): ReadonlySet<string> {
  return new Set(
    found.flatMap(file =>
      file.type === 'chunk' && file.isDynamicEntry && file.facadeModuleId !== null && where.test(file.facadeModuleId)
        ? [file.facadeModuleId]
        : [],
    ),
  );
}

/** The grammar of bash and what runs it, read with the first command: of the package's many grammars only this one. */
await mkdir(new URL('../dist/grammar/', import.meta.url), {recursive: true});
for (const name of ['tree-sitter.wasm', 'tree-sitter-bash.wasm']) {
  // oxlint-disable-next-line no-await-in-loop -- two files
  await copyFile(
    fileURLToPath(import.meta.resolve(`@vscode/tree-sitter-wasm/wasm/${name}`)),
    new URL(`../dist/grammar/${name}`, import.meta.url),
  );
}

/** What makes markdown of web pages, read with the first page. */
await mkdir(new URL('../dist/web/', import.meta.url), {recursive: true});
await copyFile(
  fileURLToPath(import.meta.resolve('mdream/wasm/mdream_edge_bg.wasm')),
  new URL('../dist/web/mdream_edge_bg.wasm', import.meta.url),
);

/** For programs that drive weft. */
await copyFile(
  new URL('../src/protocol/rpc/messages.schema.json', import.meta.url),
  new URL('../dist/messages.schema.json', import.meta.url),
);

await writeFile(stampFile, stamp);
