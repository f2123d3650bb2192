import {copyFile, mkdir, readFile, rm, writeFile} from 'node:fs/promises';
import {basename} from 'node:path';
import {fileURLToPath} from 'node:url';
import {brotliCompressSync} from 'node:zlib';
import {rolldown, type OutputOptions, type Plugin, type RolldownOutput} from 'rolldown';
import packageFile from '../package.json' with {type: 'json'};
import {bundleOptions} from './bundle-options.ts';
import messagesSchema from '../src/protocol/rpc/messages.schema.json' with {type: 'json'};
import {settingsJsonSchema} from './settings-json-schema.ts';
import {sourceStamp, stampFile} from './source-stamp.ts';
import {thirdPartyNotices} from './third-party-notices.ts';

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

const output: OutputOptions = {
  dir: 'dist',
  // V8's compiled code can be kept for CommonJS alone (src/cli/run-program.ts), and it takes Node's modules as they are.
  format: 'cjs',
  dynamicImportInCjs: false,
  entryFileNames: 'chunks/[name]-[hash].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  minify: true,
  // THIRD-PARTY-NOTICES has the licenses.
  comments: false,
  plugins: [asciiOnly],
  cleanDir: true,
};

/** The sources that every answer in a script loads. Providers and the store are loaded where they are used. */
const answerStarts = /src\/cli\/run-(?:main|print)\.ts$/u;

/** The sources that must load little: the command line itself, and filters of the task protocol. */
const lightStarts = /src\/(?:cli\/(?:main|commands\/tasks[\w/-]*)|protocol\/task\/[\w-]+)\.ts$/u;

/** The sources that the terminal UI begins with. */
const terminalStarts = /src\/(?:tui\/run-tui\.tsx|cli\/run-terminal\.ts)$/u;

/** The sources that start a thread with their own file. */
const startsThread = /src\/(?:workspace\/web\/pdf-text|store\/postgres\/connection-thread)\.ts$/u;

/** Taken before the sources are read: what changes while they are built makes the next start build again. */
const stamp = sourceStamp();

/** One run for the whole program. Dynamic imports become chunks, so that each way of running weft loads only what it uses. */
const bundle = await rolldown(bundleOptions);
const alone = await bundle.generate(output);
const answering = modulesBehind(alone, answerStarts);
const light = modulesBehind(alone, lightStarts);
const anthropic = modulesBehind(alone, /src\/models\/anthropic\.ts$/u);
const openai = modulesBehind(alone, /src\/models\/openai\.ts$/u);
// The terminal UI is connected to a provider long before the first request, which needs the SDK.
const anthropicSdk = modulesBehind(alone, /@anthropic-ai\/sdk\/client\.m?js$/u);
const openaiSdk = modulesBehind(alone, /\/openai\/client\.m?js$/u);
const repository = modulesBehind(alone, /src\/workspace\/repository-state\.ts$/u);
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
const layout = modulesBehind(alone, /src\/tui\/terminal\/yoga\.ts$/u);
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
      // Ink's layout is there before Ink.
      {name: 'layout', test: module => layout.has(module)},
      {name: 'openai-sdk', test: module => openaiSdk.has(module)},
      // The modules that offer the tools of MCP servers before one of them runs.
      {name: 'mcp', test: module => offering.has(module)},
      // Opening fifty small files would take longer than running them. Screen-reader mode needs what draws text, but not Ink.
      {name: 'terminal-text', test: module => terminal.has(module) && spoken.has(module) && !beside.has(module)},
      {name: 'terminal', test: module => terminal.has(module) && !beside.has(module)},
      // Small parts that the terminal UI begins with and commands use, too: each file by itself takes longer to open than to run.
      {name: 'terminal-shared', test: module => terminal.has(module) && isPlain(module) && !tasks.has(module)},
      // The first prompt in a repository needs little of what runs commands.
      {name: 'repository', test: module => repository.has(module)},
      // Both are loaded with the first command.
      {name: 'judge', test: module => judging.has(module)},
      // The terminal UI starts with a watchdog, long before the first command.
      {name: 'watchdog', test: module => watching.has(module) && !answering.has(module)},
      {name: 'shell', test: module => running.has(module)},
    ],
  },
});
await bundle.close();
const entry = written.output.find(file => file.type === 'chunk' && file.isEntry);
const builtChunks = await packChunks(written);
const loader = await rolldown({
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  input: {weft: 'src/cli/run-program.ts'},
  platform: 'node',
  transform: {
    target: 'node22',
    define: {builtEntry: JSON.stringify(entry && basename(entry.fileName)), builtChunks: JSON.stringify(builtChunks)},
  },
});
await loader.write({...output, entryFileNames: '[name].js', cleanDir: false});
await loader.close();
await writeFile(new URL('../dist/package.json', import.meta.url), '{"type": "commonjs"}\n');

await writeFile(
  new URL('../THIRD-PARTY-NOTICES', import.meta.url),
  thirdPartyNotices(written.output.flatMap(file => (file.type === 'chunk' ? file.moduleIds : []))),
);

/**
 * Puts all chunks into one file, each as a function, and returns where they are. A running program keeps the file open, so an update
 * can't take chunks away from it. The chunks that start threads keep a file, which loads them.
 */
async function packChunks({output: files}: RolldownOutput): Promise<string> {
  let places = '\n';
  const texts: string[] = [];
  let at = 0;
  await rm(new URL('../dist/chunks', import.meta.url), {recursive: true});
  await mkdir(new URL('../dist/chunks', import.meta.url));
  for (const file of files) {
    if (file.type !== 'chunk') continue;
    const name = basename(file.fileName);
    const text = `(function(module,exports,require,__filename){${file.code}\n})`;
    places += `${name} ${at} ${text.length}\n`;
    texts.push(text);
    at += text.length + 2;
    if (file.moduleIds.some(id => startsThread.test(id)))
      await writeFile(
        new URL(`../dist/chunks/${name}`, import.meta.url),
        `require('../weft.js').loadInThread('${name}');\n`,
      );
  }
  await writeFile(new URL('../dist/chunks.js', import.meta.url), `${texts.join(';\n')};\n`);
  return places;
}

/**
 * The modules that are loaded with those that `starts` names. The bundler alone would put the modules of an answer in a script into
 * some hundred chunks, since the terminal UI and the commands share some of them. Opening so many files costs more than running them.
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
for (const name of ['tree-sitter.wasm', 'tree-sitter-bash.wasm'])
  await writeCompressed(`@vscode/tree-sitter-wasm/wasm/${name}`, `grammar/${name}.br`);

// weft reads this program, which makes markdown of web pages, with the first page.
await mkdir(new URL('../dist/web/', import.meta.url), {recursive: true});
await writeCompressed('mdream/wasm/mdream_edge_bg.wasm', 'web/mdream_edge_bg.wasm.br');

/** Writes a package's file with a third less than gzip would leave of it. */
async function writeCompressed(from: string, to: string): Promise<void> {
  const bytes = await readFile(fileURLToPath(import.meta.resolve(from)));
  await writeFile(new URL(`../dist/${to}`, import.meta.url), brotliCompressSync(bytes));
}

/** The extension that pi loads from its file, and the policy of Gemini CLI. */
await mkdir(new URL('../dist/harnesses/', import.meta.url), {recursive: true});
for (const name of ['pi-gate.ts', 'gemini-policy.toml'])
  await copyFile(
    new URL(`../src/extensions/harnesses/${name}`, import.meta.url),
    new URL(`../dist/harnesses/${name}`, import.meta.url),
  );

const writeCompact = (path: string, value: unknown): Promise<void> =>
  writeFile(new URL(`../dist/${path}`, import.meta.url), `${JSON.stringify(value)}\n`);

/** For programs that drive weft. */
await writeCompact('messages.schema.json', messagesSchema);

/** For editors of settings files. */
await writeCompact('settings.schema.json', settingsJsonSchema());

/** The entry of weft in the registry of the Agent Client Protocol. */
const {name, version, description, license} = packageFile;
const registryEntry = {
  id: 'weft',
  name: 'weft',
  version,
  description,
  repository: packageFile.repository.url.replace(/^git\+(.*)\.git$/u, '$1'),
  authors: ['The weft authors'],
  license,
  distribution: {npx: {package: `${name}@${version}`, args: ['acp']}},
};
await writeFile(new URL('../dist/agent.json', import.meta.url), `${JSON.stringify(registryEntry, undefined, 2)}\n`);

await writeFile(stampFile, stamp);
