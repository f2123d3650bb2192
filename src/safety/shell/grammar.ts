import {existsSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {fileURLToPath} from 'node:url';
import {setFlagsFromString} from 'node:v8';
import type {Parser} from '@vscode/tree-sitter-wasm';

let loading: Promise<Parser> | undefined;

/** tree-sitter's grammar of bash, loaded with the first command: some 35 ms. */
export const bashGrammar = (): Promise<Parser> => (loading ??= load());

async function load(): Promise<Parser> {
  const [{default: treeSitter}, runtime, grammar] = await Promise.all([
    import('@vscode/tree-sitter-wasm'),
    binary('tree-sitter.wasm'),
    binary('tree-sitter-bash.wasm'),
  ]);
  const options = {wasmBinary: runtime, locateFile: (file: string) => file};
  return withoutOptimising(async () => {
    await treeSitter.Parser.init(options);
    const parser = new treeSitter.Parser();
    parser.setLanguage(await treeSitter.Language.load(grammar));
    // A function is compiled when it is first called.
    parser.parse('ls')?.delete();
    return parser;
  });
}

/**
 * What of WebAssembly is compiled meanwhile stays as the quick first compiler made it. The second one takes 500 MB and
 * most of a second for the grammar's tables, and gains nothing on commands.
 */
async function withoutOptimising<T>(compile: () => Promise<T>): Promise<T> {
  const flags = ['wasm-tier-up', 'wasm-dynamic-tiering'];
  for (const flag of flags) setFlagsFromString(`--no-${flag}`);
  try {
    return await compile();
  } finally {
    for (const flag of flags) setFlagsFromString(`--${flag}`);
  }
}

/** The built program has the two files beside its chunks; from its sources it reads those of the package. */
async function binary(name: string): Promise<Uint8Array> {
  const beside = fileURLToPath(new URL(`../grammar/${name}`, import.meta.url));
  return readFile(
    existsSync(beside) ? beside : fileURLToPath(import.meta.resolve(`@vscode/tree-sitter-wasm/wasm/${name}`)),
  );
}
