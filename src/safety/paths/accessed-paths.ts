import type {Access} from '../../domain/access.ts';
import {editPaths} from '../../domain/file-edit.ts';
import {expandBraces} from '../../base/glob.ts';
import {unreachable} from '../../base/unreachable.ts';
import {isAbsolutePath} from './path-parts.ts';

/** The folders in which a search's patterns start, besides the folder that it names. */
interface GlobStarts {
  readonly folders: readonly string[];
  /** Patterns whose start cannot be determined. */
  readonly unclear: readonly string[];
}

/**
 * Finds the folders in which patterns start. A pattern starts at the path before its first wildcard: `/etc/*` in `/etc`, `../*`
 * above the folder.
 */
export function globStarts({path, patterns}: Pick<Extract<Access, {kind: 'search'}>, 'path' | 'patterns'>): GlobStarts {
  const folders = new Set<string>();
  const unclear: string[] = [];
  for (const pattern of patterns) {
    if (pattern.startsWith('!')) continue;
    const alternatives = expandBraces(pattern);
    const starts = alternatives.tag === 'ok' ? alternatives.value.map(plainBeginning) : ['unclear' as const];
    if (starts.includes('unclear')) unclear.push(pattern);
    for (const start of starts) {
      if (start === 'here' || start === 'unclear') continue;
      if (startsElsewhere(start.folder)) folders.add(start.folder);
      // A leading slash may also mean the search's folder, as in ignore files.
      if (!isFromHome(start.folder)) folders.add(`${path}/${start.folder}`);
    }
  }
  return {folders: [...folders], unclear};
}

const startsElsewhere = (folder: string): boolean => isAbsolutePath(folder) || isFromHome(folder);

const isFromHome = (folder: string): boolean => /^~(?:\/|$)/u.test(folder);

function plainBeginning(pattern: string): 'here' | 'unclear' | {readonly folder: string} {
  const parts = pattern.split('/');
  const wild = parts.findIndex(part => /[*?[\\{}]/u.test(part));
  if (wild >= 0 && parts.slice(wild).some(part => part.replaceAll('\\', '') === '..')) return 'unclear';
  // A pattern without wildcards names an entry in the folder before its last part.
  const end = wild >= 0 ? wild : parts.at(-1) === '..' ? parts.length : parts.length - 1;
  const plain = parts.slice(0, end).join('/');
  if (plain !== '') return {folder: plain};
  return pattern.startsWith('/') ? {folder: '/'} : 'here';
}

/** Returns the paths that an action would touch: files, and the folders in which a search starts. Empty for actions that touch no paths. */
export function accessedPaths(access: Access): readonly string[] {
  switch (access.kind) {
    case 'read':
      return access.paths;
    case 'edit':
      return access.edits.flatMap(editPaths);
    case 'search':
      return [access.path, ...globStarts(access).folders];
    case 'command':
    case 'terminal-input':
    case 'mcp-tool':
    case 'mcp-resource':
    case 'web-page':
    case 'web-query':
    case 'skill':
    case 'agent':
    case 'plan':
    case 'computer-request':
    case 'computer-steps':
    case 'none':
      return [];
    default:
      return unreachable(access);
  }
}
