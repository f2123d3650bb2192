import {copyFileSync, cpSync, lstatSync, readdirSync, readFileSync} from 'node:fs';
import {homedir} from 'node:os';
import {dirname, join} from 'node:path';
import {tryOr} from '../../../base/outcome.ts';
import {withTilde} from '../../../base/shown-path.ts';
import {visibleExactLine} from '../../../base/visible.ts';
import type {ExtensionPart} from '../../../config/extension-places.ts';
import {instructionFileNames} from '../../../config/instructions.ts';
import {makeFolders} from '../../../config/make-folders.ts';
import {printRow} from '../../../app/output.ts';
import {claudeFolder, userPlaces} from '../../../app/user-data.ts';

/** The kinds of files that weft copies unchanged, because it reads the same form. */
export type CopiedPart = 'instructions' | Exclude<ExtensionPart, 'agents'>;

/** A file or a folder of another agent, and its copy in weft's settings folder. `why` is empty if weft copies it. */
interface Copy {
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

/** Copies instructions, commands and skills, and prints each. Existing ones stay without `replace`. Changes nothing with `dryRun`. */
export function copyFiles(
  sources: readonly {readonly path: string; readonly part: CopiedPart}[],
  {replace, dryRun}: {readonly replace?: true; readonly dryRun?: true},
): void {
  const done = new Set<string>();
  for (const {from, to, why} of sources.flatMap(source => copiesOf(source, replace))) {
    const left = done.has(to) ? 'another agent has one too' : why;
    done.add(to);
    if (left === '' && dryRun === undefined) {
      makeFolders(dirname(to));
      if (isOwnFolder(from)) cpSync(from, to, {recursive: true, filter: path => !lstatSync(path).isSymbolicLink()});
      else copyFileSync(from, to);
    }
    const words = dryRun === undefined ? 'copied to' : 'would be copied to';
    const end = left === '' ? `${words} ${withTilde(to, homedir())}` : `left out: ${left}`;
    printRow(visibleExactLine(`file  ${withTilde(from, homedir())}  ${end}`));
  }
}

function copiesOf({path, part}: {readonly path: string; readonly part: CopiedPart}, replace?: true): readonly Copy[] {
  const {config} = userPlaces();
  if (part === 'instructions') {
    const existing = [...instructionFileNames.map(name => join(config, name)), join(claudeFolder(), 'CLAUDE.md')];
    const to = join(config, 'AGENTS.md');
    return [{from: path, to, why: reasonToSkip({from: path, text: path, to, existing}, replace)}];
  }
  return tryOr(() => readdirSync(path).toSorted(), [])
    .filter(name => !name.startsWith('.') && (part === 'skills' ? isOwnFolder(join(path, name)) : name.endsWith('.md')))
    .map(name => {
      const from = join(path, name);
      const to = join(config, part, name);
      const text = part === 'skills' ? join(from, 'SKILL.md') : from;
      // weft reads all three, and a copy would hide one of the same name.
      const existing = [config, join(homedir(), '.agents'), join(homedir(), '.claude')].map(root =>
        join(root, part, name),
      );
      return {from, to, why: reasonToSkip({from, text, to, existing}, replace)};
    });
}

/** Returns why weft does not copy a file or a skill, or an empty string. `text` is the Markdown file of it. */
function reasonToSkip(
  {
    from,
    text,
    to,
    existing,
  }: {readonly from: string; readonly text: string; readonly to: string; readonly existing: readonly string[]},
  replace?: true,
): string {
  const content = fileText(text);
  if (lstatSync(from).isSymbolicLink() || content === undefined) return 'it is a link, or has no readable file';
  if (/^(?:allowed-tools|hooks)\s*:/mu.test(content)) return 'it allows tools or has hooks: copy it yourself';
  if (from === text && fileText(to) === content) return 'it already exists';
  if (replace === undefined && existing.some(path => lstatSync(path, {throwIfNoEntry: false}) !== undefined)) {
    return 'it already exists';
  }
  return '';
}

/** True for a folder, but not for a link to one. */
const isOwnFolder = (path: string): boolean => lstatSync(path, {throwIfNoEntry: false})?.isDirectory() === true;

const fileText = (path: string): string | undefined =>
  tryOr(() => (lstatSync(path).isFile() ? readFileSync(path, 'utf8') : undefined), undefined);
