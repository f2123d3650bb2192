import {exitCode, type ExitCode} from '../app/exit-code.ts';
import {note, printJson, printRow} from '../app/output.ts';

interface Rows<Row> {
  readonly json: true | undefined;
  readonly rows: readonly Row[];
  /** Formats a row as text, in one line or several. */
  readonly line: (row: Row) => string;
  /** Converts a row for JSON. By default the row is printed unchanged. */
  readonly toJson?: (row: Row) => unknown;
  /** The notice on stderr if there are no rows; empty for none. */
  readonly none: string;
}

/** Prints a list: as one array with `--json`, otherwise row by row. */
export function printRows<Row>({rows, json, line, toJson = row => row, none}: Rows<Row>): ExitCode {
  if (json !== undefined) return printDocument(rows.map(toJson));
  if (rows.length === 0 && none !== '') note(none);
  for (const row of rows) printRow(line(row));
  return exitCode.done;
}

/** Prints a value as indented JSON. */
export function printDocument(value: unknown): ExitCode {
  printJson(`${JSON.stringify(value, undefined, 2)}\n`);
  return exitCode.done;
}
