import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

export interface Case {
  readonly file: string;
  readonly command: string;
}

const corpora = fileURLToPath(new URL('../../../corpus', import.meta.url));

/** The commands of a corpus: one a line; a line that begins with a double quote is a JSON string, `# ` begins a remark. */
export function readCorpus(name: 'everyday' | 'bypass' | 'on-disk'): readonly Case[] {
  return readdirSync(join(corpora, name))
    .toSorted()
    .flatMap(file =>
      readFileSync(join(corpora, name, file), 'utf8')
        .split('\n')
        .filter(line => line !== '' && !line.startsWith('# '))
        .map(line => ({file, command: line.startsWith('"') ? String(JSON.parse(line)) : line})),
    );
}
