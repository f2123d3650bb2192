import {basename, resolve} from 'node:path';
import type {SimpleCommand} from '../../domain/risk.ts';
import {deletedFiles} from './deleted-files.ts';
import {kindOf, mostCounted} from './count-tree.ts';
import {expandPaths} from './operands.ts';
import {runQuietly} from './run-quietly.ts';
import {untouched, type Victim, type VictimGround} from './victim.ts';

/** What `find` may be given when it is run to look: these only choose. */
const choosing: ReadonlySet<string> = new Set(
  (
    '-name -iname -path -ipath -wholename -regex -iregex -regextype -type -xtype -maxdepth -mindepth -size -empty -mtime -mmin ' +
    '-atime -amin -ctime -cmin -newer -anewer -cnewer -user -group -uid -gid -nouser -nogroup -perm -links -inum -samefile ' +
    '-not -a -and -o -or -depth -d -xdev -mount -prune -true -false -daystart -readable -writable -executable -lname -print'
  ).split(' '),
);

/** `find … -delete` and `find … -exec rm …`: the same search, printing instead. A search with anything else is not run. */
export async function findVictims({argv, directory}: SimpleCommand, ground: VictimGround): Promise<Victim> {
  const words = argv.slice(1);
  const search: string[] = [];
  let deletes: 'nothing' | 'entries' | 'trees' = 'nothing';
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '-delete') {
      deletes = 'entries';
      search.push('-print0');
    } else if (/^-(?:exec|execdir|ok|okdir)$/u.test(word)) {
      const end = words.findIndex((each, place) => place > at && (each === ';' || each === '\\;' || each === '+'));
      const run = words.slice(at + 1, end < 0 ? words.length : end);
      if (end < 0 || !/^(?:rm|unlink|shred|rmdir)$/u.test(basename(run[0] ?? ''))) return untouched;
      deletes = run.some(each => /^-\w*[rR]|^--recursive$/u.test(each)) ? 'trees' : 'entries';
      search.push('-print0');
      at = end;
    } else if (word.startsWith('-') && search.length > 0 && !choosing.has(word) && !/^-\d+$/u.test(word)) {
      return untouched;
    } else {
      search.push(word);
    }
  }
  if (deletes === 'nothing' || !search.every(isPlain)) return untouched;
  const first = search.findIndex(word => /^[-(!]/u.test(word) && !/^-[HLP]$/u.test(word));
  const starts = expandPaths(
    search.slice(0, first).filter(word => !word.startsWith('-')),
    {directory, home: ground.home},
  );
  const flags = search.slice(0, first).filter(word => word.startsWith('-'));
  const order = deletes === 'entries' && !search.includes('-depth') ? ['-depth'] : [];
  const output = await runQuietly(
    {
      program: 'find',
      words: [...flags, ...(starts.length === 0 ? ['.'] : starts), ...order, ...search.slice(first)],
      directory,
    },
    ground,
  );
  if (output === undefined) return untouched;
  const found = output
    .split('\0', mostCounted)
    .filter(path => path !== '')
    .map(path => resolve(directory, path));
  if (deletes === 'trees') return deletedFiles(found, ground);
  // Of folders only empty ones are taken, and nobody misses those.
  return deletedFiles(
    found.filter(path => kindOf(path) === 'other'),
    ground,
  );
}

const isPlain = (word: string): boolean => !/^-(?:fprint|fls|ls|printf|fprintf|quit)/u.test(word);
