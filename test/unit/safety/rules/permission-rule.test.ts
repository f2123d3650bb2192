import {ruleKinds} from '../../../../src/actions/catalogue.ts';
import {describe, expect, test} from 'vitest';
import {ok} from '../../../../src/base/outcome.ts';
import {parseRule} from '../../../../src/safety/rules/permission-rule.ts';

describe('parseRule', () => {
  test('reads tools, commands and paths, ready to be compared', () => {
    expect(parseRule(' Read ', ruleKinds)).toEqual(
      ok({text: 'Read', tool: 'Read', ruleKind: 'reading', about: {kind: 'every-call'}}),
    );
    expect(parseRule('Bash(*)', ruleKinds)).toEqual(
      ok({text: 'Bash(*)', tool: 'Bash', ruleKind: 'command', about: {kind: 'every-call'}}),
    );
    expect(parseRule('Bash(git  rev-parse:*)', ruleKinds)).toEqual(
      ok({
        text: 'Bash(git  rev-parse:*)',
        tool: 'Bash',
        ruleKind: 'command',
        about: {
          kind: 'commands',
          pattern: {text: 'git  rev-parse', reach: 'beginning', elements: Array.from('git\0rev-parse')},
        },
      }),
    );
    expect(parseRule('Edit(~/a-b/*.ts)', ruleKinds)).toEqual(
      ok({
        text: 'Edit(~/a-b/*.ts)',
        tool: 'Edit',
        ruleKind: 'editing',
        about: {
          kind: 'paths',
          pattern: {
            from: 'home',
            parts: [
              {kind: 'name', name: 'a-b'},
              {kind: 'wild', pattern: '*.ts'},
            ],
          },
        },
      }),
    );
  });

  test.each(['mcp__server__tool', 'mcp__my-server', 'WebFetch', 'BashOutput', 'mcp__a__b(x)'])('%s is a rule', text => {
    expect(parseRule(text, ruleKinds).tag).toBe('ok');
  });

  test.each([
    [
      'Bash(git status',
      '"Bash(git status" is not a rule. A rule is Tool or Tool(pattern), such as Bash(git status:*) or Edit(src/**).',
    ],
    ['', '"" is not a rule. A rule is Tool or Tool(pattern), such as Bash(git status:*) or Edit(src/**).'],
    ['bash(rm:*)', 'The rule bash(rm:*) names an unknown tool. Did you mean Bash?'],
    ['Raed', 'The rule Raed names an unknown tool. Did you mean Read?'],
    ['todowrite', 'The rule todowrite names an unknown tool. Did you mean TodoWrite?'],
    [
      'Frobnicate',
      expect.stringMatching(
        /^The rule Frobnicate names an unknown tool\. Tools: Bash, .*Read, .*TodoWrite, .*\. Tools of MCP servers begin with mcp__, tools of harnesses with harness__\.$/u,
      ),
    ],
    ['Edit()', 'The rule Edit() cannot be used: the pattern is empty; leave the parentheses out to mean every path.'],
    ['Edit(/)', 'The rule Edit(/) cannot be used: "/" alone is not a pattern; write "/**" to mean the whole disk.'],
    ['Edit(../x)', 'The rule Edit(../x) cannot be used: ".." cannot be used; write the path from / or ~/.'],
    [
      'Edit(src/**.ts)',
      'The rule Edit(src/**.ts) cannot be used: "**" stands for whole folders and must be a part of its own, as in src/**/*.ts.',
    ],
    [
      'Bash()',
      'The rule Bash() cannot be used: the pattern names no command; leave the parentheses out to mean every command.',
    ],
    [
      'Bash(:*)',
      'The rule Bash(:*) cannot be used: the pattern names no command; leave the parentheses out to mean every command.',
    ],
    ['Trust', 'The rule Trust must name a source: Trust(domain:example.com) or Trust(mcp__SERVER).'],
    ['Trust(*)', 'The rule Trust(*) must name a source: Trust(domain:example.com) or Trust(mcp__SERVER).'],
    [
      'Trust(example.com)',
      'The rule Trust(example.com) cannot be used: write it as domain:example.com, or domain:*.example.com for all names below, or as mcp__SERVER.',
    ],
  ])('%s is refused with what to write', (text, error) => {
    const parsed = parseRule(text, ruleKinds);
    expect(parsed.tag === 'failed' ? parsed.error.message : parsed).toEqual(error);
  });

  test.each([
    ['Trust(domain:*.example.com)', {kind: 'domains', pattern: {kind: 'below', host: 'example.com'}}],
    ['Trust(mcp__tracker)', {kind: 'names', name: 'mcp__tracker'}],
  ])('%s trusts a source', (text, about) => {
    expect(parseRule(text, ruleKinds)).toMatchObject({tag: 'ok', value: {tool: 'Trust', about}});
  });

  test('a tool that weft has not is told apart from a near miss', () => {
    expect(parseRule('NotebookEdit', ruleKinds)).toMatchObject({tag: 'failed', error: {kind: 'unknown-tool'}});
    expect(parseRule('bash', ruleKinds)).toMatchObject({
      tag: 'failed',
      error: {kind: 'malformed', message: 'The rule bash names an unknown tool. Did you mean Bash?'},
    });
  });
});
