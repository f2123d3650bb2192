import {exitCode, type ExitCode} from '../app/exit-code.ts';
import {note, print, printJson} from '../app/output.ts';

interface Rows<Row> {
  readonly json: true | undefined;
  readonly rows: readonly Row[];
  /** A row for people, in one line or several. */
  readonly line: (row: Row) => string;
  /** A row as JSON; without it the row as it is. */
  readonly toJson?: (row: Row) => unknown;
  /** Said on stderr when there is no row; empty for nothing. */
  readonly none: string;
}

/** Prints a list: with `--json` as one array, else row by row. */
export function printRows<Row>({rows, json, line, toJson = row => row, none}: Rows<Row>): ExitCode {
  if (json !== undefined) return printDocument(rows.map(toJson));
  if (rows.length === 0 && none !== '') note(none);
  for (const row of rows) print(`${line(row)}\n`);
  return exitCode.done;
}

/** Prints a value as JSON of several lines. */
export function printDocument(value: unknown): ExitCode {
  printJson(`${JSON.stringify(value, undefined, 2)}\n`);
  return exitCode.done;
}
