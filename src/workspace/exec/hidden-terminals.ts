import {openSync} from 'node:fs';

/*
 * The library that opens pseudo-terminals leaves weft's end of each open in every process that is started later (it is not
 * close-on-exec, and Node has no call to make it so; on macOS Node starts processes without it). Such a process could type into the
 * terminal of another command, and would keep it from being hung up. So wherever something is started for long, or for others,
 * /dev/null takes the place of these files in the child.
 */

const open = new Set<number>();
let nowhere: number | 'ignore' = 'ignore';

/** To be called before a terminal is opened. Throws when the system has no room for one more open file. */
export function prepareToHide(): void {
  if (nowhere === 'ignore') nowhere = openSync('/dev/null', 'r+');
}

/** From now on children do not get this open file of weft's, until the returned function is called. */
export function hideFromChildren(descriptor: number): () => void {
  open.add(descriptor);
  return () => void open.delete(descriptor);
}

/**
 * What a child is to have as its open files: `given`, from 0 on, to which /dev/null is added in the place of each hidden one. Nothing is
 * added while no terminal is open.
 */
export function withoutTerminals<const Given extends unknown[]>(given: Given): Given {
  const last = Math.max(...open);
  while (given.length <= last) given.push(open.has(given.length) ? nowhere : 'ignore');
  return given;
}

/**
 * For the start of a bash that is given a terminal: closes whatever it has beyond stdin, stdout and stderr, before anything else
 * runs. Nothing of it may be redirected: bash keeps the original of what it redirects in one of these files. Where there is no /proc nothing
 * is closed.
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
