import type {FormScan, FoundSecret} from './scan-forms.ts';
import {kindOf} from './stated-name.ts';
import {isPassword} from './telling-value.ts';

/** What was found in a table, and how far it reaches. */
interface TableScan extends FormScan {
  readonly readTo: number;
}

/** The values below the columns of a table that are named like passwords; its cells are separated by commas, semicolons or tabs. */
export function scanTable(text: string, at: number): TableScan {
  const found: FoundSecret[] = [];
  let openFrom = text.length;
  const lead = text.slice(Math.max(0, at - longestHeader), at);
  const begin = at - lead.length + lead.lastIndexOf('\n') + 1;
  const header = lineAt(text, begin);
  let readTo = begin + header.length;
  const none = {found, openFrom, readTo};
  const separator = [',', ';', '\t'].find(sign => header.includes(sign));
  if (separator === undefined || header.length > longestHeader) return none;
  const titles = header.split(separator).map(cell => cell.trim().replaceAll(/^"|"$/gu, ''));
  if (!titles.every(name => /^(?:[\w.-]{1,40}|(?!SELECT )[A-Z][\w .-]{1,39})$/u.test(name))) return none;
  const columns = [...titles.entries()].filter(([, name]) => kindOf(name) === 'password');
  let from = begin + header.length + 1;
  for (let rows = 0; rows < mostRows && from < text.length; rows += 1) {
    const row = lineAt(text, from);
    const cells = row.split(separator);
    if (cells.length !== titles.length) break;
    readTo = from + row.length;
    for (const [column, name] of columns) {
      const cell = (cells[column] ?? '').replace(/\r$/u, '');
      const value = cell.replaceAll(/^[ "]+|[ "]+$/gu, '');
      const place = from + cells.slice(0, column).join(separator).length + (column === 0 ? 0 : 1) + cell.indexOf(value);
      if (place + value.length === text.length) openFrom = Math.min(openFrom, place);
      if (isPassword(value)) found.push({from: place, to: place + value.length, name: name.replaceAll(/\W/gu, '_')});
    }
    from += row.length + 1;
  }
  return {found, openFrom, readTo};
}

function lineAt(text: string, at: number): string {
  const line = text.slice(at, at + longestRow);
  const end = line.indexOf('\n');
  return end < 0 ? line : line.slice(0, end);
}

/** Units of a table's first line and of each other, and lines. */
const longestHeader = 400;
const longestRow = 4096;
const mostRows = 10_000;
