import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {PlainMarkdown} from '../../../src/tui/accessible/plain-markdown.ts';
import {loadMarkdownLexer} from '../../../src/tui/scrollback/render-markdown.ts';
import {markdownStart, splitMarkdown} from '../../../src/tui/scrollback/split-markdown.ts';

const lexer = await loadMarkdownLexer();

function spoken(source: string): string {
  const markdown = new PlainMarkdown(lexer);
  return [...markdown.lines(splitMarkdown(source, markdownStart, 'whole').pieces), ...markdown.close()]
    .join('\n')
    .replace(/^\n/u, '');
}

describe('markdown as lines that are read aloud', () => {
  test.each([
    ['# A **title**', 'Heading: A title'],
    ['One *soft*\nline with `code`.', 'One soft\nline with code.'],
    ['[text](https://example.com)', 'text (https://example.com)'],
    ['- one\n- two\n  - inner', '- one\n- two\n  - inner'],
    ['3. three\n4. four', '3. three\n4. four'],
    ['- [x] over\n- [ ] open', '- done: over\n- to do: open'],
    ['> wise\n> words', 'Quote: wise\nwords'],
    ['```js\nlet a;\n```', 'Code:\nlet a;\nEnd of code.'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', 'Table of 1 row, columns: a, b.\nRow 1. a: 1; b: 2'],
    ['above\n\n---\n\nbelow', 'above\n\n\nbelow'],
  ])('%j', (source, said) => {
    expect(spoken(source)).toBe(said);
  });

  test('nothing draws, and every word is said, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({unit: 'binary', maxLength: 60}), source => {
        // oxlint-disable-next-line no-control-regex -- what a terminal would take as more than letters
        expect(spoken(source)).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/u);
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{2,6}$/u), {minLength: 1, maxLength: 12}), words => {
        const source = `# ${words.join(' ')}\n\n- ${words.join('\n- ')}\n\n\`\`\`\n${words.join('\n')}\n\`\`\``;
        for (const word of words) expect(spoken(source).split(word).length).toBeGreaterThan(3);
      }),
    );
  });
});
