import {defineConfig} from 'rolldown';

/** One run for the whole program. Dynamic imports become chunks, so that each way of running weft loads only what it uses. */
export default defineConfig({
  input: {weft: 'src/cli/start.ts'},
  platform: 'node',
  treeshake: true,
  external: [/^node:/u, 'react-devtools-core'],
  transform: {target: 'node22', define: {'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"'}},
  output: {
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    minify: {compress: true, mangle: false, codegen: {removeWhitespace: false}},
    cleanDir: true,
  },
});
