import {fileURLToPath} from 'node:url';
import {rolldown, type OutputOptions, type Plugin} from 'rolldown';

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

const output: OutputOptions = {
  dir: 'dist',
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  minify: true,
  cleanDir: true,
};

/** One run for the whole program. Dynamic imports become chunks, so that each way of running weft loads only what it uses. */
const bundle = await rolldown({
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  input: {weft: 'src/cli/start.ts'},
  platform: 'node',
  treeshake: true,
  plugins: [yogaWithoutFetch],
  external: [/^node:/u, 'react-devtools-core', '@lydell/node-pty'],
  transform: {target: 'node22', define: {'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"'}},
});
await bundle.write(output);
await bundle.close();
