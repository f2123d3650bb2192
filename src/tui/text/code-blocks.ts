/** The code in the fences of a text in markdown, in order; a fence that is never closed goes to the end. */
export function codeBlocks(markdown: string): readonly string[] {
  const blocks: string[] = [];
  let open: {readonly fence: string; readonly margin: number; readonly lines: string[]} | undefined;
  for (const line of markdown.split('\n')) {
    if (open === undefined) {
      const [, margin = '', fence] = /^(\s*(?:(?:[-*+]|\d+[.)])\s+)?)(`{3,}(?!.*`)|~{3,})/u.exec(line) ?? [];
      if (fence !== undefined) open = {fence, margin: margin.length, lines: []};
      continue;
    }
    const end = /^\s*(`{3,}|~{3,})\s*$/u.exec(line)?.[1];
    if (end !== undefined && end.startsWith(open.fence)) {
      blocks.push(open.lines.join('\n'));
      open = undefined;
    } else {
      open.lines.push(withoutMargin(line, open.margin));
    }
  }
  if (open !== undefined && open.lines.length > 0) blocks.push(open.lines.join('\n'));
  return blocks;
}

const withoutMargin = (line: string, margin: number): string =>
  line.slice(Math.min(margin, line.length - line.trimStart().length));
