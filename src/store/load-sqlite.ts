import type * as sqlite from 'node:sqlite';

/**
 * Node's own SQLite, loaded where it is first needed. Node 22 says at load that it is experimental, which is no business of a
 * user of weft: that one warning is held back while the module loads, all others pass.
 */
export function loadSqlite(): typeof sqlite {
  // oxlint-disable-next-line typescript/unbound-method -- put back as it was, and called on `process`
  const emitWarning = process.emitWarning;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]): void => {
    const message = typeof warning === 'string' ? warning : warning.message;
    if (!message.startsWith('SQLite is an experimental feature'))
      Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}
