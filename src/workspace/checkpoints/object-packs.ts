import {closeSync, openSync, readSync, renameSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {randomUUID} from 'node:crypto';
import {join} from 'node:path';
import {makeFolders} from '../../config/make-folders.ts';
import {namesIn} from '../names-in.ts';

/*
 * Many small objects in one file: a first checkpoint has more than a thousand of them, and a file for each would cost ten times
 * what they are. A pack says at its beginning how long it is: one of another length counts as not there.
 */

/** Objects in packs, by their place: 64 hexadecimal digits. They are stored as they are given. */
export interface ObjectPacks {
  /** The length of the object; `undefined` where no pack holds it. */
  sizeOf(place: string): number | undefined;
  read(place: string): Buffer | undefined;
  /** Looks for packs that other processes have added. */
  lookAgain(): void;
  add(objects: ReadonlyMap<string, Buffer>): void;
  /** Removes what is not to be kept. A pack stays until what is needed of it is in another one. */
  sweep(keep: ReadonlySet<string>): void;
}

interface PackedAt {
  readonly pack: string;
  readonly at: number;
  readonly length: number;
}

export function openPacks(folder: string, temporary: () => string): ObjectPacks {
  let packs = new Map<string, ReadonlyMap<string, PackedAt>>();
  let state: 'unread' | 'read' = 'unread';

  const look = (): void => {
    const found = new Map<string, ReadonlyMap<string, PackedAt>>();
    for (const name of namesIn(folder)) {
      const path = join(folder, name);
      const objects = packs.get(path) ?? objectsOf(path);
      if (objects !== undefined) found.set(path, objects);
    }
    packs = found;
    state = 'read';
  };
  const find = (place: string): PackedAt | undefined => {
    if (state === 'unread') look();
    for (const objects of packs.values()) {
      const found = objects.get(place);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const add = (objects: ReadonlyMap<string, Buffer>): void => {
    if (state === 'unread') look();
    makeFolders(folder);
    const from = temporary();
    const path = join(folder, randomUUID());
    try {
      writeFileSync(from, packOf(objects), {flag: 'wx', mode: 0o600});
      renameSync(from, path);
    } catch (cause) {
      rmSync(from, {force: true});
      throw cause;
    }
    const written = objectsOf(path);
    if (written !== undefined) packs.set(path, written);
  };

  return {
    add,
    sizeOf: place => find(place)?.length,
    read(place) {
      const found = find(place);
      return found === undefined ? undefined : bytesAt(found);
    },
    lookAgain: look,
    sweep(keep) {
      look();
      for (const name of namesIn(folder)) {
        const path = join(folder, name);
        const objects = packs.get(path) ?? new Map<string, PackedAt>();
        const needed = [...objects].filter(([place]) => keep.has(place));
        if (needed.length > 0 && needed.length === objects.size) continue;
        const stays = new Map<string, Buffer>();
        for (const [place, packed] of needed) {
          const bytes = bytesAt(packed);
          if (bytes !== undefined) stays.set(place, bytes);
        }
        if (stays.size > 0) add(stays);
        rmSync(path, {force: true});
        packs.delete(path);
      }
    },
  };
}

const magic = 'WEFTPK01';
const rowsAt = magic.length + 4;
const placeBytes = 32;
const rowBytes = placeBytes + 4;

function packOf(objects: ReadonlyMap<string, Buffer>): Buffer {
  const head = Buffer.alloc(rowsAt + objects.size * rowBytes);
  head.write(magic, 'latin1');
  head.writeUInt32BE(objects.size, magic.length);
  let at = rowsAt;
  for (const [place, bytes] of objects) {
    head.write(place, at, 'hex');
    head.writeUInt32BE(bytes.length, at + placeBytes);
    at += rowBytes;
  }
  return Buffer.concat([head, ...objects.values()]);
}

/** `undefined` for what is no pack, and for one that is not whole. */
function objectsOf(pack: string): ReadonlyMap<string, PackedAt> | undefined {
  const size = statSync(pack, {throwIfNoEntry: false})?.size ?? 0;
  const start = piece(pack, 0, rowsAt);
  if (start === undefined || start.toString('latin1', 0, magic.length) !== magic) return undefined;
  const count = start.readUInt32BE(magic.length);
  const rows = size < rowsAt + count * rowBytes ? undefined : piece(pack, rowsAt, count * rowBytes);
  if (rows === undefined) return undefined;
  const objects = new Map<string, PackedAt>();
  let at = rowsAt + rows.length;
  for (let row = 0; row < rows.length; row += rowBytes) {
    const length = rows.readUInt32BE(row + placeBytes);
    objects.set(rows.toString('hex', row, row + placeBytes), {pack, at, length});
    at += length;
  }
  return at === size ? objects : undefined;
}

const bytesAt = ({pack, at, length}: PackedAt): Buffer | undefined => piece(pack, at, length);

function piece(path: string, at: number, length: number): Buffer | undefined {
  let handle: number | undefined;
  try {
    handle = openSync(path, 'r');
    const bytes = Buffer.alloc(length);
    return readSync(handle, bytes, 0, length, at) === length ? bytes : undefined;
  } catch {
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
