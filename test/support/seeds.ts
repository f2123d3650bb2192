import {readFileSync} from 'node:fs';
import type {Json} from '../../src/base/json.ts';

export type SeedName =
  | 'plan-execute-flow'
  | 'rpc-message-format'
  | 'task-protocol-analysis'
  | 'task-stack-api'
  | 'typed-tool-protocol';

/** The text of a seed document, as it was given. */
export const seedText = (name: SeedName): string =>
  readFileSync(new URL(`../golden/seeds/${name}.txt`, import.meta.url), 'utf8');

export interface SeedExample {
  /** The nearest heading before the example. */
  readonly heading: string;
  readonly language: string;
  readonly code: string;
}

/** The fenced examples of a seed document, in order. */
export function seedExamples(name: SeedName): readonly SeedExample[] {
  let heading = '';
  let open: {readonly language: string; readonly lines: string[]} | undefined;
  const found: SeedExample[] = [];
  for (const line of seedText(name).split('\n')) {
    const fence = /^```(?<language>\w*)/u.exec(line)?.groups?.['language'];
    if (fence === undefined) {
      if (open !== undefined) open.lines.push(line);
      else heading = /^#+ (?<words>.*)$/u.exec(line)?.groups?.['words'] ?? heading;
    } else if (open === undefined) open = {language: fence, lines: []};
    else {
      found.push({heading, language: open.language, code: open.lines.join('\n')});
      open = undefined;
    }
  }
  return found;
}

/** The JSON values of an example, without its comments. `{...}` and a list's `...` stand for what the example leaves out. */
export const jsonIn = (code: string): readonly Json[] =>
  code
    .replaceAll(/ *\/\/.*$/gmu, '')
    .replaceAll(/\{\.\.\.\}/gu, '{"...": true}')
    .replaceAll(/,?\s*\.\.\.\s*(?=[}\]])/gu, '')
    .split(/\n(?=[[{])/u)
    .filter(part => part.trim() !== '')
    .map(part => JSON.parse(part));
