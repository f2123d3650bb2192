import {afterEach, describe, expect, test, vi} from 'vitest';
import type {HostPorts} from '../../src/app/host-services.ts';
import type {ListedModel, ModelList, RequestedRuleChange, RuleRow} from '../../src/agent/client.ts';
import {failed, ok} from '../../src/base/outcome.ts';
import {rejected} from '../../src/domain/fault.ts';
import {findModel, modelPanel} from '../../src/tui/commands/model.ts';
import {blankHost} from '../support/blank-host.ts';
import {key, linesOf, opened, pressed, text} from './support/panels.tsx';
import {leaveStages, start} from './support/stage.ts';

afterEach(leaveStages);

const model = (name: string, more: Partial<ListedModel> = {}): ListedModel => ({
  model: name,
  defaultOf: '',
  contextWindow: 0,
  maxOutput: 0,
  price: 'unknown',
  efforts: [],
  effort: 'default',
  images: 'unknown',
  pdfs: 'unknown',
  about: '',
  from: 'nobody',
  ...more,
});

const list: ModelList = {
  models: [
    model('sonnet-5', {
      defaultOf: 'Anthropic',
      contextWindow: 1_000_000,
      price: {input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75},
      efforts: ['low', 'medium', 'high'],
    }),
    model('haiku-5-20260101', {contextWindow: 200_000, price: {input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25}}),
    model('own'),
  ],
  from: {kind: 'provider'},
};

const at = (current: string, contextTokens = 0) => ({
  model: current,
  usage: {models: {}, contextTokens, contextWindow: 0},
});

const withModels = (models: ModelList) => ({
  host: {models: {...blankHost.models, list: async () => ok(models)}},
});

test('another model costs the rereading of the conversation', () => {
  expect(
    linesOf(modelPanel(list, at('sonnet-5', 100_000)), {width: 110})
      .slice(1, 4)
      .map(line => line.slice(1, -1).trimEnd()),
  ).toEqual([
    ' ❯ 1  sonnet-5 ✓        auto effort  $3/M in, $15/M out                                     default',
    '   2  haiku-5-20260101               $1/M in, $5/M out   rereads about $0.13, cached $0.01',
    '   3  own                            price unknown       rereads about 100,000 tokens',
  ]);
});

test('what is typed into a list is deleted as in the composer', () => {
  const panel = modelPanel(list, at('own'));
  const typed = pressed(panel, text('haiku own 👩‍👩‍👧'));
  const left = (...keys: readonly Parameters<typeof key>[0][]) => pressed(opened(typed.panel), ...keys.map(key)).panel;
  expect([
    linesOf(left('delete-left')),
    linesOf(left('delete-left', 'delete-word')),
    linesOf(left('delete-to-start')),
  ]).toEqual([
    linesOf(pressed(panel, text('haiku own ')).panel),
    linesOf(pressed(panel, text('haiku ')).panel),
    linesOf(pressed(panel, text('x'), key('delete-left')).panel),
  ]);
});

describe('/model', () => {
  test('lists the models, the default first, with what is known of them', () => {
    expect(linesOf(modelPanel(list, at('own')), {width: 99})).toEqual([
      '╭ Choose a model ─────────────────────────────────────────────────────────────────────────────────╮',
      '│   1  sonnet-5          auto effort  $3/M in, $15/M out  default  1.0M context                   │',
      '│   2  haiku-5-20260101               $1/M in, $5/M out            200k context                   │',
      '│ ❯ 3  own ✓                          price unknown                                               │',
      '╰ Enter use · Esc cancel · ←→ effort · type to search ────────────────────────────────────────────╯',
    ]);
    expect(linesOf(modelPanel({...list, from: {kind: 'weft', why: 'offline'}}, at('other')), {width: 60})).toEqual([
      '╭ Choose a model ──────── built-in list, may be incomplete ╮',
      '│   1  sonnet-5          auto effort  $3/M in, $15/M out   │',
      '│   2  haiku-5-20260101               $1/M in, $5/M out    │',
      '│   3  own                            price unknown        │',
      '│ ❯ 4  other ✓                        price unknown        │',
      '╰ Enter use · Esc cancel · ←→ effort · type to search ─────╯',
    ]);
  });

  test('on a narrow screen the effort of the selected model stands beside the title', () => {
    const dated: ModelList = {
      ...list,
      models: [model('sonnet-5-20261018-with-long-name', {efforts: ['low', 'medium']}), model('own')],
    };
    const panel = modelPanel(dated, at('sonnet-5-20261018-with-long-name'));
    const higher = opened(pressed(panel, key('right'), key('right')).panel);
    expect(linesOf(higher, {width: 40})).toEqual([
      '╭ Choose a model ─────── effort medium ╮',
      '│ ❯ 1  sonnet-5-20261018-with-long-na… │',
      '│   2  own                             │',
      '╰ Enter use · Esc cancel · ←→ effort ──╯',
    ]);
    const own = opened(pressed(higher, key('down')).panel);
    expect(linesOf(own, {width: 40})[0]).toBe('╭ Choose a model ──────────────────────╮');
    expect(linesOf(higher, {width: 80})[0]).toBe(`╭ Choose a model ${'─'.repeat(62)}╮`);
  });

  test('choosing switches, and what is not the default can be kept', async () => {
    const {screen, engine} = await start([80, 24], withModels(list));
    await screen.type('/model\r');
    await screen.until(/Choose a model/u);
    await screen.type('haiku');
    await screen.until(/Choose a model: haiku/u);
    // Input methods open where the next letter appears.
    const y = (await screen.rows()).findIndex(row => row.includes('Choose a model'));
    expect(await screen.cursor()).toEqual({x: '╭ Choose a model: haiku'.length, y});
    await screen.type('\r');
    await screen.until(/Use this model in new sessions too\? ─+╮\n│ haiku-5-20260101 +│\n╰ y save · Esc cancel/u);
    await screen.type('\u001B');
    await screen.until(/Ask weft to do something/u);
    expect(engine.ops).toEqual([{op: 'set-model', model: 'haiku-5-20260101'}]);
  });

  test('Left and Right change the effort of a model that takes one', () => {
    const panel = modelPanel({...list, models: list.models.map(each => ({...each, effort: 'low'}))}, at('sonnet-5'));
    expect(linesOf(panel, {width: 99})[1]).toMatch(/^│ ❯ 1  sonnet-5 ✓ +effort low +\$3\/M in/u);
    const higher = opened(pressed(panel, key('right')).panel);
    expect(linesOf(higher, {width: 99})[1]).toMatch(/effort medium/u);
    expect(linesOf(higher, {width: 99}).at(-1)).toMatch(/Enter use · Esc cancel · ←→ effort · type to search/u);
    expect(pressed(higher, key('enter')).effects).toEqual([
      {do: 'query', request: {query: 'use-effort', model: 'sonnet-5', effort: 'medium'}},
    ]);
    const first = opened(pressed(panel, key('left'), key('left'), key('left')).panel);
    expect(linesOf(first, {width: 99})[1]).toMatch(/auto effort/u);
    expect(pressed(first, key('right'), key('enter')).effects).toEqual([
      {do: 'op', op: {op: 'set-model', model: 'sonnet-5'}},
      {do: 'notify', text: 'Model: sonnet-5'},
    ]);
    // A model that takes none stays as it is.
    expect(linesOf(pressed(panel, key('down'), key('right')).panel)).toEqual(
      linesOf(pressed(panel, key('down')).panel),
    );
  });

  test('an effort that was chosen stands in the status line; by name, too', async () => {
    const useEffort = vi.fn<HostPorts['models']['useEffort']>(async request =>
      ok({model: request.model, text: `Model: ${request.model}, effort ${request.effort}`}),
    );
    const {screen} = await start([80, 24], {
      host: {models: {...blankHost.models, list: async () => ok(list), useEffort}},
    });
    await screen.type('/model sonnet-5 high\r');
    await screen.until(/Model: sonnet-5, effort high/u);
    expect(useEffort.mock.calls.map(([request]) => request)).toEqual([
      {query: 'use-effort', model: 'sonnet-5', effort: 'high'},
    ]);
  });

  test('/effort lists the levels of the model, or takes one', async () => {
    const useEffort = vi.fn<HostPorts['models']['useEffort']>(async ({model: of, effort}) =>
      effort === 'huge' ? failed(rejected(`${of} has no effort "huge".`)) : ok({model: of, text: `Effort: ${effort}`}),
    );
    const levels = {...list, models: [model('test-model', {efforts: ['low', 'high'], effort: 'high'})]};
    const {screen} = await start([80, 24], {
      host: {models: {...blankHost.models, list: async () => ok(levels), useEffort}},
    });
    await screen.type('/effort huge\r');
    await screen.until(/test-model has no effort "huge"\./u);
    await screen.type('/effort\r');
    await screen.until(/1 {2}default +what the model uses by itself[^]*2 {2}low[^]*3 {2}high ✓/u);
    await screen.type('2');
    await screen.until(/Effort: low/u);
  });

  test('a provider that does not answer is named, in the list', async () => {
    const {screen} = await start([80, 24], {
      host: {models: {...blankHost.models, list: async () => failed(rejected('The wire is cut.'))}},
    });
    await screen.type('/model\r');
    await screen.until(/Choose a model ─+╮\n│ {3}The wire is cut\./u);
  });

  test.each([
    ['SONNET-5', list, {kind: 'listed', model: 'sonnet-5'}],
    ['haiku-5', list, {kind: 'listed', model: 'haiku-5'}],
    ['sonet-5', list, {kind: 'unknown', nearest: 'sonnet-5'}],
    ['zebra', list, {kind: 'unknown', nearest: undefined}],
    ['zebra', {...list, from: {kind: 'weft', why: ''}}, {kind: 'unsure', model: 'zebra'}],
  ] as const)('%s', (name, models, found) => {
    expect(findModel(name, models)).toEqual(found);
  });

  test('a name that is not known is refused before it is used', async () => {
    const {screen, engine} = await start([80, 24], withModels(list));
    await screen.type('/model sonnet-55');
    await screen.type('\r');
    await screen.until(/Unknown model sonnet-55\. Did you mean sonnet-5\?/u);
    expect(engine.ops).toEqual([]);
  });
});

describe('arguments', () => {
  test('complete: those that are known at once, and those that are asked for', async () => {
    const {screen, engine} = await start([80, 24], withModels(list));
    await screen.type('/mode ');
    await screen.until(/❯ default +Ask before editing[^]*plan +Read and plan/u);
    await screen.type('pl');
    await screen.type('\r');
    expect(engine.ops).toEqual([{op: 'set-mode', mode: 'plan'}]);
    await screen.type('/model ');
    await screen.until(/❯ sonnet-5 +default\n +haiku-5-20260101/u);
    await screen.type('ha');
    await screen.until(/❯ haiku-5-20260101/u);
    await screen.type('\t');
    await screen.until(/› \/model haiku-5-20260101/u);
    // Without a letter, Enter opens the list.
    await screen.type('\u0015');
    await screen.type('/mode ');
    await screen.type('\r');
    await screen.until(/Choose a mode ─+╮\n│ ❯ 1 {2}asks first ✓/u);
  });
});

describe('/permissions', () => {
  test('rules are shown by source, removed after a yes, and added', async () => {
    const changes: RequestedRuleChange[] = [];
    const rules: readonly RuleRow[] = [
      {list: 'allow', rule: 'Bash(npm test:*)', source: 'session', reason: ''},
      {list: 'deny', rule: 'Read(.env)', source: 'environment', reason: ''},
    ];
    const {screen} = await start([80, 24], {
      host: {
        permissionRules: async () => rules,
        async changeRule(rule) {
          changes.push(rule);
          return ok(`Changed ${rule.rule}`);
        },
      },
    });
    await screen.type('/permissions\r');
    await screen.until(/Permission rules ─+╮\n│ ❯ 1 {2}Bash\(npm test:\*\) +allow +session/u);
    await screen.type('\r');
    await screen.until(/Remove this rule\? ─+╮\n│ allow Bash\(npm test:\*\) \(session\)/u);
    await screen.type('y');
    await screen.until(/Changed Bash/u);
    await screen.type('/permissions allow Read\r');
    await screen.until(/allow Read ─+╮\n│ ❯ 1 {2}This session/u);
    await screen.type('\r');
    await screen.until(/Changed Read/u);
    expect(changes).toEqual([
      {change: 'remove', list: 'allow', rule: 'Bash(npm test:*)', scope: 'session'},
      {change: 'add', list: 'allow', rule: 'Read', scope: 'session'},
    ]);
    await screen.type('/permissions\r');
    await screen.until(/Read\(\.env\)/u);
    await screen.type('2');
    await screen.until(/Can't remove Read\(\.env\): it comes from environment/u);
    await screen.type('/permissions allow Tr');
    await screen.until(/Trust\(domain:[^]*Trust\(mcp__/u);
    await screen.type('\t');
    await screen.until(/› \/permissions allow Trust\(domain:\n/u);
    await screen.type('docs.example.com)\r');
    await screen.until(/allow Trust\(domain:docs\.example\.com\) ─+╮\n│ ❯ 1 {2}This session/u);
    await screen.type('\u001B');
    await screen.until(/Ask weft to do something/u);
  });
});
