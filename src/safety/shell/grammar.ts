import {existsSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {fileURLToPath} from 'node:url';
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
  await treeSitter.Parser.init(options);
  const parser = new treeSitter.Parser();
  parser.setLanguage(await treeSitter.Language.load(grammar));
  return parser;
}

/** The built program has the two files beside its chunks; from its sources it reads those of the package. */
async function binary(name: string): Promise<Uint8Array> {
  const beside = fileURLToPath(new URL(`../grammar/${name}`, import.meta.url));
  return readFile(
    existsSync(beside) ? beside : fileURLToPath(import.meta.resolve(`@vscode/tree-sitter-wasm/wasm/${name}`)),
  );
}
