import {copyFile, mkdir} from 'node:fs/promises';
import {fileURLToPath} from 'node:url';
import {rolldown, type OutputOptions, type Plugin, type RolldownOutput} from 'rolldown';
import {protoAsText} from './proto-as-text.ts';

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

const graphemeSegmenter = fileURLToPath(new URL('../src/tui/text/grapheme-segmenter.ts', import.meta.url));

const output: OutputOptions = {
  dir: 'dist',
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  minify: true,
  cleanDir: true,
};

/** What every answer in a script loads; providers and the store are loaded where they are used. */
const answerStarts = /src\/cli\/run-(?:main|print)\.ts$/u;

/** What is to load little: the command line itself, and filters of the task protocol. */
const lightStarts = /src\/(?:cli\/(?:main|tasks\/[\w-]+|commands\/tasks)|protocol\/task\/[\w-]+)\.ts$/u;

/** One run for the whole program. Dynamic imports become chunks, so that each way of running weft loads only what it uses. */
const bundle = await rolldown({
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  input: {weft: 'src/cli/start.ts'},
  platform: 'node',
  // Nobody imports the program; its entry may export what its chunks share.
  preserveEntrySignatures: 'allow-extension',
  treeshake: true,
  plugins: [yogaWithoutFetch, lazySegmenters, treeSitterWithoutPlace, protoAsText],
  // tree-sitter has branches with eval that its own grammars do not take.
  // What is imported lazily here and by name there lies behind another lazy import all the same.
  checks: {eval: false, ineffectiveDynamicImport: false},
  external: [/^node:/u, 'react-devtools-core', '@lydell/node-pty'],
  transform: {target: 'node22', define: {'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"'}},
});
const alone = await bundle.generate(output);
const answering = modulesBehind(alone, answerStarts);
const light = modulesBehind(alone, lightStarts);
await bundle.write({
  ...output,
  codeSplitting: {
    // Only what is named goes together: what it imports and others need too stays in chunks of their own.
    includeDependenciesRecursively: false,
    groups: [
      {name: 'shared', test: module => answering.has(module) && light.has(module)},
      {name: 'answer', test: module => answering.has(module) && !light.has(module)},
    ],
  },
});
await bundle.close();

/**
 * The modules that are loaded with those that `starts` names. What every answer in a script loads would lie in some hundred chunks
 * by itself, since the terminal UI and the commands share some of it with each other, and opening so many files costs more than
 * running what is in them.
 */
function modulesBehind({output: found}: RolldownOutput, starts: RegExp): ReadonlySet<string> {
  const chunks = new Map(found.flatMap(file => (file.type === 'chunk' ? [[file.fileName, file] as const] : [])));
  const waiting = [...chunks.values()].filter(({moduleIds}) => moduleIds.some(id => starts.test(id)));
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

/** The grammar of bash and what runs it, read with the first command: of the package's many grammars only this one. */
await mkdir(new URL('../dist/grammar/', import.meta.url), {recursive: true});
for (const name of ['tree-sitter.wasm', 'tree-sitter-bash.wasm']) {
  // oxlint-disable-next-line no-await-in-loop -- two files
  await copyFile(
    fileURLToPath(import.meta.resolve(`@vscode/tree-sitter-wasm/wasm/${name}`)),
    new URL(`../dist/grammar/${name}`, import.meta.url),
  );
}

/** For programs that drive weft. */
await copyFile(
  new URL('../src/protocol/rpc/messages.schema.json', import.meta.url),
  new URL('../dist/messages.schema.json', import.meta.url),
);
