import {appendFileSync, mkdirSync, readFileSync} from 'node:fs';
import {dirname} from 'node:path';
import {parseJson} from '../base/json.ts';

/** Prompts that are offered again; older ones stay in the file. */
const mostPrompts = 1000;

/** The user's earlier prompts, one JSON string a line, so that many weft processes can add to it. Trouble with it stops nothing. */
export function openHistory(file: string): {load(): readonly string[]; add(prompt: string): void} {
  return {
    load() {
      try {
        const lines = readFileSync(file, 'utf8')
          .split('\n')
          .slice(-mostPrompts - 1);
        return lines.flatMap(line => {
          const read = parseJson(line);
          return read.tag === 'ok' && typeof read.value === 'string' ? [read.value] : [];
        });
      } catch {
        return [];
      }
    },
    add(prompt) {
      try {
        mkdirSync(dirname(file), {recursive: true, mode: 0o700});
        appendFileSync(file, `${JSON.stringify(prompt)}\n`, {mode: 0o600});
      } catch {
        // A full disk or a read-only home costs the history, not the prompt.
      }
    },
  };
}
