/**
 * A path whose names may not be UTF-8. In this folder a path is a string with one character per byte (Latin-1), so that
 * no name changes on its way back to the system.
 */
export type PathBytes = string;

/** Returns the bytes of an ordinary path. */
export const toBytes = (path: string): PathBytes =>
  isAscii(path) ? path : Buffer.from(path, 'utf8').toString('latin1');

/** Returns the path in the form that Node's functions accept. */
export const toNative = (path: PathBytes): string | Buffer => (isAscii(path) ? path : Buffer.from(path, 'latin1'));

/** Returns the path for display. Bytes that are not UTF-8 become `\xNN`. */
export const toShown = (path: PathBytes): string =>
  isAscii(path)
    ? path
    : path.replaceAll(character, (text, stray: string | undefined) =>
        stray === undefined ? Buffer.from(text, 'latin1').toString('utf8') : `\\x${stray.charCodeAt(0).toString(16)}`,
      );

/** Joins two paths; either may be empty. */
export const joinBytes = (folder: PathBytes, name: PathBytes): PathBytes =>
  folder === '' || name === '' ? folder + name : folder.endsWith('/') ? folder + name : `${folder}/${name}`;

/** Returns the folder of a relative path; empty for a single name. */
export const folderOf = (path: PathBytes): PathBytes => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** Returns the last name of a path. */
export const nameOf = (path: PathBytes): PathBytes => path.slice(path.lastIndexOf('/') + 1);

/** Compares paths so that a folder comes directly before its content. */
export const byTree = (a: PathBytes, b: PathBytes): number => {
  const [left, right] = [a.replaceAll('/', '\0'), b.replaceAll('/', '\0')];
  return left < right ? -1 : left > right ? 1 : 0;
};

// oxlint-disable-next-line no-control-regex -- every character of ASCII counts
const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/u.test(text);

/** One UTF-8 character as bytes, or one byte that is not UTF-8. */
const character =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|([\x80-\xff])/gu;
