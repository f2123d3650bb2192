import {statSync} from 'node:fs';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {rejected, type Fault} from '../domain/fault.ts';
import {missingText} from './files/file-snapshot.ts';
import {pathTrouble, type Paths} from './files/resolve-path.ts';

/** Where a search starts: the real path, and the form in which ripgrep is given it. */
export interface SearchPlace {
  readonly kind: 'file' | 'folder';
  readonly real: string;
  readonly shown: string;
}

export async function findPlace(path: string, paths: Paths): Promise<Outcome<SearchPlace, Fault>> {
  const trouble = pathTrouble(path);
  if (trouble !== undefined) return failed(rejected(trouble));
  const real = paths.resolve(path).path;
  const kind = kindOf(real);
  const shown = paths.show(real);
  if (kind === 'neither') return failed(rejected(`${shown}: ${await missingText(real, paths.show)}`));
  return ok({kind, real, shown});
}

export function kindOf(path: string): 'file' | 'folder' | 'neither' {
  try {
    const stats = statSync(path);
    return stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'neither';
  } catch {
    return 'neither';
  }
}
