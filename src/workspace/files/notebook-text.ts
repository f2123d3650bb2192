import * as z from 'zod/mini';

/**
 * The cells of a Jupyter notebook as text, each under a heading, with the text its outputs have; `undefined` for what is no
 * notebook.
 */
export function notebookText(json: string): string | undefined {
  const parsed = notebook.safeParse(tryParse(json));
  if (!parsed.success) return undefined;
  const cells = parsed.data.cells.map((cell, at) => cellText(cell, at + 1));
  return cells.length === 0 ? '(a notebook without cells)\n' : cells.join('\n');
}

const lines = z.union([z.string(), z.array(z.string())]);

const output = z.looseObject({
  text: z.optional(lines),
  ename: z.optional(z.string()),
  evalue: z.optional(z.string()),
  data: z.optional(z.record(z.string(), z.unknown())),
});

const cell = z.looseObject({
  cell_type: z.string(),
  id: z.optional(z.string()),
  source: lines,
  outputs: z.optional(z.array(output)),
});

const notebook = z.looseObject({cells: z.array(cell)});

function cellText({cell_type, id, source, outputs}: z.infer<typeof cell>, number: number): string {
  const name = id === undefined ? '' : `, id ${id}`;
  const shown = (outputs ?? []).map(outputText).filter(text => text !== '');
  return [`=== cell ${number} (${cell_type}${name})`, joined(source), ...shown.map(text => `--- output\n${text}`), '']
    .join('\n')
    .replaceAll(/\n{3,}$/gu, '\n\n');
}

function outputText({text, ename, evalue, data}: z.infer<typeof output>): string {
  if (text !== undefined) return joined(text).trimEnd();
  if (ename !== undefined) return `${ename}: ${evalue ?? ''}`;
  const plain = lines.safeParse(data?.['text/plain']);
  const pictures = Object.keys(data ?? {}).filter(type => type.startsWith('image/'));
  return [...(plain.success ? [joined(plain.data).trimEnd()] : []), ...pictures.map(type => `[${type}]`)].join('\n');
}

const joined = (text: string | readonly string[]): string => (typeof text === 'string' ? text : text.join(''));

function tryParse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
