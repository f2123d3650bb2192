import {appendFileSync, readFileSync} from 'node:fs';
import {dirname} from 'node:path';
import {makeFolders} from '../config/make-folders.ts';
import {isJsonObject, parseJson} from '../base/json.ts';

/** Prompts that are offered again, of this folder and of the others each; older ones stay in the file. */
const mostPrompts = 1000;

/**
 * The user's earlier prompts, one JSON value a line, so that many weft processes can add to it: those of this folder are the latest
 * ones, those of other folders come behind them. Trouble with the file stops nothing.
 */
export function openHistory(file: string, directory: string): {load(): readonly string[]; add(prompt: string): void} {
  return {
    load() {
      try {
        const entries = readFileSync(file, 'utf8').split('\n').flatMap(entryOf);
        const here = entries.filter(entry => entry.directory === directory);
        const elsewhere = entries.filter(entry => entry.directory !== directory);
        return [...elsewhere.slice(-mostPrompts), ...here.slice(-mostPrompts)].map(({prompt}) => prompt);
      } catch {
        return [];
      }
    },
    add(prompt) {
      try {
        makeFolders(dirname(file));
        appendFileSync(file, `${JSON.stringify({prompt, directory})}\n`, {mode: 0o600});
      } catch {
        // A full disk or a read-only home costs the history, not the prompt.
      }
    },
  };
}

interface Entry {
  readonly prompt: string;
  /** Empty where it is not known: lines were bare prompts once. */
  readonly directory: string;
}

function entryOf(line: string): readonly Entry[] {
  const read = parseJson(line);
  if (read.tag === 'failed') return [];
  if (typeof read.value === 'string') return [{prompt: read.value, directory: ''}];
  if (!isJsonObject(read.value)) return [];
  const {prompt, directory} = read.value;
  return typeof prompt === 'string' && typeof directory === 'string' ? [{prompt, directory}] : [];
}
