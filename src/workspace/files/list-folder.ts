import {readdirSync} from 'node:fs';
import type {FolderEntry} from '../../actions/ports.ts';

/** What lies in a folder; nothing when it cannot be read. */
export function listFolder(path: string): readonly FolderEntry[] {
  try {
    return readdirSync(path, {withFileTypes: true}).map(entry => ({
      name: entry.name,
      kind: entry.isSymbolicLink() ? 'link' : entry.isDirectory() ? 'folder' : 'file',
    }));
  } catch {
    return [];
  }
}
