import {expect, test} from 'vitest';
import {exportJsonl, exportMarkdown} from '../../../../../src/app/export-session.ts';
import {sampleRecords, sampleSummary} from './sample-session.ts';

test('JSON lines are complete and hold no character that ends a line or steers a terminal', () => {
  const text = exportJsonl(sampleRecords);
  expect(text).not.toMatch(/[^\n\u0020-\u007e]/u);
  const expected = sampleRecords.map(record =>
    record.kind === 'todo-frames' ? {kind: record.kind, frames: ['AQID']} : record,
  );
  expect(
    text
      .split('\n')
      .slice(0, -1)
      .map(line => JSON.parse(line)),
  ).toEqual(expected);
  expect(exportJsonl([])).toBe('');
});

test('Markdown keeps the words, fences what came from elsewhere and leaves thinking out', () => {
  expect(exportMarkdown(sampleSummary, sampleRecords)).toBe(`# mend the \\*test\\*

- Session: 6ba7b810-9dad-41d1-80b4-00c04fd430c8
- Started: 2026-01-02T03:04:05.000Z
- Folder: /work/some\\_project
- Model: m-1

## User

mend the *test*
please ^[[2J

*\\[image/png, 12 kB\\]*

## Assistant

I look.

**Bash**

\`\`\`json
{
  "command": "npm test\\nls",
  "timeout": 3
}
\`\`\`

**Read**

\`\`\`json
"not json"
\`\`\`

*(allowed by you: Run npm test)*

Result (error):

\`\`\`\`text
\`\`\`
code\\u{202e}
\`\`\`
\`\`\`\`

Result (success, exit 1):

\`\`\`text
ok\\u{2028}
\`\`\`

## Assistant

Done, al

*(interrupted)*
`);
});
