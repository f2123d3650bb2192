import {openSync} from 'node:fs';

/*
 * The pty library leaves weft's end of each pseudo-terminal open in every process that weft starts later. The
 * descriptor is not close-on-exec, and Node has no call to make it so. On macOS, Node starts processes without it. Such
 * a process could type into another command's terminal, and would prevent its hangup. So long-lived children and
 * children that run other people's code get /dev/null instead of these files.
 */

const hidden = new Set<number>();
let devNull: number | 'ignore' = 'ignore';

/** Call this before opening a terminal. Throws if the system can't open another file. */
export function prepareHiding(): void {
  if (devNull === 'ignore') devNull = openSync('/dev/null', 'r+');
}

/** Hides this open file from children until the returned function is called. */
export function hideFromChildren(descriptor: number): () => void {
  hidden.add(descriptor);
  return () => void hidden.delete(descriptor);
}

/**
 * Returns a child's stdio: `given`, from descriptor 0 on, plus /dev/null instead of each hidden file. Adds nothing
 * while no terminal is open.
 */
export function withoutTerminals<const Given extends unknown[]>(given: Given): Given {
  const last = Math.max(...hidden);
  while (given.length <= last) given.push(hidden.has(given.length) ? devNull : 'ignore');
  return given;
}

/**
 * Bash code that closes all inherited files except stdin, stdout and stderr. It runs first in a bash that has a terminal. It must not
 * redirect anything, because bash saves the redirected original in one of these files. On a system without /proc, the code does nothing.
 */
export const closeInheritedFiles = `__weft_close() {
  local file
  for file in /proc/self/fd/*; do
    file=\${file##*/}
    case $file in [3-9]|[1-9][0-9]*) eval "exec $file>&-" ;; esac
  done
}
__weft_close; unset -f __weft_close
`;
