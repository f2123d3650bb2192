import {spawn} from 'node:child_process';
import {lstatSync} from 'node:fs';
import {once} from 'node:events';
import {text} from 'node:stream/consumers';
import {findProgram} from '../../exec/trusted-path.ts';
import type {ViewLayer} from '../sandbox.ts';
import {joinBytes, type PathBytes, toBytes, toNative} from './path-bytes.ts';

/** Names of a folder that are looked for. A name may be removed meanwhile, so one alone would not tell. */
const mostNames = 4;

/**
 * Returns those of the folders that hide everything in the real folder of the same path (opaque folders). Overlayfs notes that in an
 * attribute, which Node cannot read. So the kernel is asked: a name that only the real folder has is visible through an ordinary one.
 */
export async function findOpaque(
  layer: ViewLayer,
  folders: readonly {readonly at: PathBytes; readonly missing: readonly PathBytes[]}[],
  signal: AbortSignal,
): Promise<ReadonlySet<PathBytes>> {
  const asked = folders.flatMap(({at, missing}) =>
    missing.slice(0, mostNames).map(name => ({folder: at, path: joinBytes(at, name)})),
  );
  const answers = await lookThrough(
    layer,
    asked.map(({path}) => path),
    signal,
  );
  const visible = new Set(asked.filter((_one, index) => answers[index] === '1').map(({folder}) => folder));
  const lower = toBytes(layer.lower);
  const isThere = (path: PathBytes): boolean =>
    lstatSync(toNative(joinBytes(lower, path)), {throwIfNoEntry: false}) !== undefined;
  return new Set(asked.filter(({folder, path}) => !visible.has(folder) && isThere(path)).map(({folder}) => folder));
}

/** Mounts the layer read-only in namespaces of its own, and answers with a 1 for every path that is there and a 0 for the others. */
async function lookThrough(layer: ViewLayer, paths: readonly PathBytes[], signal: AbortSignal): Promise<string> {
  const [unshare, mount] = [findProgram('unshare'), findProgram('mount')];
  if (unshare === undefined || mount === undefined) throw new Error('unshare and mount (util-linux) are not installed');
  let complaint = '';
  // A user's own namespace mounts no folder that holds mounts of others.
  for (const namespaces of process.getuid?.() === 0 ? ['-m', '-Urm'] : ['-Urm']) {
    const child = spawn(unshare, [namespaces, '/bin/sh', '-c', script, 'weft', mount, layer.upper, layer.lower], {
      stdio: ['pipe', 'pipe', 'pipe'],
      signal,
      killSignal: 'SIGKILL',
    });
    child.stdin.on('error', () => {});
    child.stdin.end(Buffer.from(paths.map(path => `./${escaped(path)}\n`).join(''), 'latin1'));
    const [answers, printed] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    signal.throwIfAborted();
    if (answers.length === paths.length) return answers;
    complaint = printed.trim();
  }
  throw new Error(`the view could not be mounted again: ${complaint}`);
}

/** The folders are opened in the new namespace: the kernel takes no folder of another one. Each line is a path. */
const script = `
exec 3<"$2" 4<"$3"
"$1" -t overlay weft -o lowerdir=/proc/self/fd/3:/proc/self/fd/4,userxattr "$2" || exit 1
cd "$2" || exit 1
while IFS= read -r path; do
  case $path in *\\\\*) path=$(printf '%b_' "$path"); path=\${path%_};; esac
  if [ -e "$path" ] || [ -L "$path" ]; then printf 1; else printf 0; fi
done`;

/** Writes line ends, and the backslash that marks them, for printf. */
const escaped = (path: PathBytes): string => path.replaceAll('\\', '\\0134').replaceAll('\n', '\\0012');
