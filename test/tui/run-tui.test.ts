/* oxlint-disable no-control-regex -- these tests look for control characters */
import {afterEach, describe, expect, test} from 'vitest';
import {messageId, parseSessionId} from '../../src/domain/ids.ts';
import {openVirtualScreen} from '../support/virtual-screen.ts';
import {delta, finished} from './support/events.ts';
import {opening, scriptedEngine, sessionInfo, type TestHost} from './support/scripted-engine.ts';
import type {SessionSummary} from '../../src/domain/journal.ts';
import {blankHost} from '../support/blank-host.ts';
import {begin, finishedText, leaveStages, start} from './support/stage.ts';
import {blankOptions} from './support/blank-options.ts';
import {runTui} from '../../src/tui/run-tui.tsx';

afterEach(leaveStages);

describe('the composer', () => {
  test('sends a prompt, remembers it and shows it once', async () => {
    const {screen, engine, remembered} = await start();
    await screen.type('hello');
    await screen.until(/› hello/u);
    await screen.type('\r');
    await screen.until(/queued: hello/u);
    engine.emit({event: 'prompt-accepted', id: messageId('p1'), text: 'hello', attached: []}, finished({kind: 'done'}));
    await screen.until(/▌ hello\n[^]*Ask weft to do something/u);
    expect(engine.ops).toEqual([{op: 'prompt', id: expect.any(String), text: 'hello', images: [], when: 'queued'}]);
    expect(remembered).toEqual(['hello']);
    expect((await screen.everything()).filter(row => row.includes('hello'))).toEqual(['▌ hello']);
  });

  test('keeps typed line breaks and expands a long paste on sending', async () => {
    const {screen, engine} = await start();
    const long = Array.from({length: 120}, (_, at) => `line ${at}`).join('\n');
    await screen.type('one\n');
    await screen.type('two\u001B\r');
    await screen.type('three\\');
    await screen.type('\r');
    await screen.paste(long);
    await screen.until(/› one\n {3}two\n {3}three\n {3}\[pasted 120 lines\]/u);
    await screen.type('\r');
    await screen.until(/Ask weft/u);
    expect(engine.ops).toEqual([
      {
        op: 'prompt',
        id: expect.any(String),
        text: `one\ntwo\nthree\n${long}`,
        images: [],
        when: 'queued',
      },
    ]);
  });

  test('Shift+Enter begins a line in terminals with the kitty protocol', async () => {
    const {screen, engine} = await start();
    expect(screen.written()).toContain('\u001B[?u');
    await screen.type('\u001B[?0u');
    await screen.type('one');
    await screen.type('\u001B[13;2u');
    await screen.type('two');
    await screen.until(/› one\n {3}two/u);
    expect(screen.written()).toContain('\u001B[>1u');
    expect(engine.ops).toEqual([]);
  });

  test('answers of the terminal that come late count, and are no text', async () => {
    const {screen, engine, exit} = await start();
    await new Promise(resolve => setTimeout(resolve, 600));
    await screen.type('a\u001B[?0u\u001B]11;rgb:ffff/ffff/ffff\u001B\\\u001B[>1;10;0cb');
    await screen.until(/› ab\n/u);
    expect(screen.written()).toContain('\u001B[>1u');
    await screen.type('\u001B[13;2uc');
    await screen.until(/› ab\n {3}c/u);
    expect(engine.ops).toEqual([]);
    await screen.type('\u0003\u0003\u0003');
    await exit;
    expect(screen.written()).toMatch(/\u001B\[<u[^]*$/u);
  });

  test('a terminal that has said that it is no tmux is sent plain erasings', async () => {
    const {screen} = await start();
    await screen.type('\u001B[>41;390;0c');
    const before = screen.written().length;
    await screen.type('more and more');
    await screen.until(/› more and more/u);
    expect(screen.written().slice(before)).not.toMatch(/\u001B7|\u001B\[C/u);
  });

  test('takes text and Enter that arrive in one piece', async () => {
    const {screen, engine} = await start();
    await screen.type('typed ahead\r');
    await screen.until(/queued: typed ahead/u);
    expect(engine.ops).toHaveLength(1);
  });

  test('puts the terminal cursor behind what is typed, wide characters counted double', async () => {
    const {screen} = await start();
    await screen.type('日本x');
    await screen.until(/日本x/u);
    const row = (await screen.rows()).findIndex(line => line.includes('日本x'));
    expect(await screen.cursor()).toEqual({x: 8, y: row});
  });

  test('brings back the earlier prompt and the own draft', async () => {
    const {screen} = await start();
    await screen.type('draft');
    await screen.type('\u001B[A');
    await screen.until(/› an earlier prompt/u);
    await screen.type('\u001B[B');
    await screen.until(/› draft/u);
  });

  test('an unknown command is answered here, with the nearest, and never sent', async () => {
    const {screen, engine} = await start();
    await screen.type('/hlep');
    await screen.type('\r');
    await screen.until(/Unknown command \/hlep. Did you mean \/help\?/u);
    expect(engine.ops).toEqual([]);
  });

  test('offers commands while a slash word is typed', async () => {
    const {screen, engine} = await start();
    await screen.type('/cl');
    await screen.until(/❯ \/clear +Start a new session/u);
    await screen.type('\r');
    await screen.until(/Ask weft to do something/u);
    expect(engine.ops).toEqual([{op: 'open-session', session: {kind: 'new'}}]);
  });
});

describe('scrollback', () => {
  test.each([
    [80, 24],
    [40, 12],
  ] as const)(
    '500 streamed lines at %i×%i stand there once, in order, without a clear screen',
    async (columns, rows) => {
      const {screen, engine} = await start([columns, rows]);
      engine.emit(...begin);
      const expected = Array.from({length: 500}, (_, at) => `row number ${at}`);
      for (const [at, line] of expected.entries()) {
        engine.emit(delta(`${line}\n\n`));
        if (at % 50 === 0) await screen.until(new RegExp(`row number ${at}(?!\\d)`, 'u'));
        expect(await screen.rows()).toHaveLength(rows);
      }
      engine.emit(finishedText, finished({kind: 'done'}));
      await screen.until(/row number 499[^]*Ask weft to do something/u);
      const all = await screen.everything();
      expect(all.filter(row => /^(?:●| ) row number/u.test(row)).map(row => row.slice(2))).toEqual(expected);
      expect(screen.written()).not.toMatch(/\u001B\[[23]J|\u001B\[\?1049h/u);
    },
  );

  test('a block longer than the screen keeps the live region shorter than the screen', async () => {
    const {screen, engine} = await start([40, 12]);
    engine.emit(...begin, delta(Array.from({length: 100}, (_, at) => `| cell ${at} | b |`).join('\n')));
    await screen.until(/cell 99/u);
    const rows = await screen.rows();
    expect(rows).toHaveLength(12);
    expect(rows.join('\n')).toMatch(/Enter: now[^\n]*\n─+\n {2}asks first[^\n]*\n$/u);
  });

  test('a frame that changes nothing writes nothing', async () => {
    const {screen, engine} = await start();
    // Its echo comes after all that the start had to draw.
    await screen.type('a');
    await screen.until(/› a/u);
    const before = screen.written();
    engine.emit({event: 'mode-changed', mode: 'default'});
    await new Promise(resolve => setTimeout(resolve, 150));
    expect(screen.written().slice(before.length)).toBe('');
  });

  test('control and bidi characters of a model come out visible', async () => {
    const {screen, engine} = await start();
    engine.emit(...begin, delta('a\u001B]0;title\u0007b\u202Ec\u009Bd\n\n'));
    await screen.until(/a\^\[\]0;title\^Gb\\u\{202e\}c\\x9bd/u);
    expect(screen.written()).not.toContain('title\u0007');
  });

  test('no styling without colour', async () => {
    const {screen, engine} = await start();
    engine.emit(...begin, delta('# Head\n\n**bold** and `code`\n\n'), finishedText, finished({kind: 'done'}));
    await screen.until(/bold and code/u);
    expect(screen.written()).not.toMatch(/\u001B\[[\d;]*m/u);
  });
});

const other = parseSessionId('00000000-0000-4000-8000-000000000002') ?? sessionInfo.id;

/** A host with these sessions. */
const keeping = (sessions: readonly SessionSummary[]): TestHost => ({
  sessions: {...blankHost.sessions, list: () => sessions},
});

describe('resuming', () => {
  test('the session is picked from a list, latest first, without the one that is open', async () => {
    const summary = {directory: '', model: '', createdAt: 0, updatedAt: 0, messages: 4};
    const {screen, engine} = await start([80, 24], {
      host: keeping([
        {...summary, id: sessionInfo.id, title: 'this one'},
        {...summary, id: other, title: 'the other one'},
      ]),
    });
    await screen.type('/resume\r');
    await screen.until(/Resume a session ─+╮\n│ ❯ 1 {2}the other one {2}12 min ago {2}4 messages/u);
    await screen.type('\r');
    expect(engine.ops).toEqual([{op: 'open-session', session: {kind: 'resume', id: other}}]);
  });

  test('`--resume` without an id begins with the list', async () => {
    const summary = {directory: '', model: '', createdAt: 0, updatedAt: 0, messages: 4};
    const {screen, engine} = await start([80, 24], {
      opening: 'sessions',
      host: keeping([{...summary, id: other, title: 'the one from yesterday'}]),
    });
    await screen.until(/Resume a session ─+╮\n│ ❯ 1 {2}the one from yesterday/u);
    await screen.type('\u001B');
    await screen.until(/Ask weft to do something/u);
    expect(engine.ops).toEqual([]);
  });
});

describe('the list of sessions', () => {
  const many = Array.from({length: 12}, (_, at) => ({
    directory: '',
    model: '',
    createdAt: 0,
    updatedAt: 0,
    messages: at + 1,
    title: `session ${at + 1}`,
    id: parseSessionId(`00000000-0000-4000-8000-${String(100 + at).padStart(12, '0')}`) ?? sessionInfo.id,
  }));

  test('shows ten rows, numbers in a column, and moves with the pointer', async () => {
    const {screen} = await start([80, 24], {host: keeping(many)});
    await screen.type('/resume\r');
    await screen.until(
      /Resume a session ─+╮\n│ ❯ 1 {2}session 1 {3}12 min ago {2}1 message +│\n│ {3}2 {2}.*\n[^]*\n│ {6}session 10 .*\n╰ Enter resume/u,
    );
    await screen.type('\u001B[A');
    await screen.until(
      /Resume a session ─+╮\n│ {3}3 {2}[^]*\n│ ❯ {4}session 12 {2}12 min ago {2}12 messages +│\n╰ Enter/u,
    );
  });

  test('typing narrows it; what is chosen is what is shown', async () => {
    const {screen, engine} = await start([80, 24], {host: keeping(many)});
    await screen.type('/resume\r');
    await screen.until(/Resume a session/u);
    await screen.type('session 1');
    await screen.until(/Resume a session: session 1 ─+╮\n│ ❯ 1 {2}session 1 .*\n│ {3}2 {2}session 10 .*\n│ {3}3 {2}/u);
    await screen.type('x');
    await screen.until(/No match/u);
    await screen.type('\r');
    await screen.type('\u007F');
    await screen.type('\u001B[B');
    await screen.type('\r');
    expect(engine.ops).toEqual([{op: 'open-session', session: {kind: 'resume', id: many[9]?.id}}]);
  });

  test.each([
    [80, 24],
    [40, 12],
  ] as const)('leaves nothing of itself behind at %i×%i', async (columns, rows) => {
    const {screen, engine} = await start([columns, rows], {host: keeping(many)});
    const text = Array.from({length: 40}, (_, at) => `row number ${at}\n\n`).join('');
    engine.emit(...begin, delta(text), finishedText, finished({kind: 'done'}));
    await screen.until(/row number 39[^]*Ask weft to do something/u);
    await screen.type('/resume\r');
    await screen.until(/Resume a session/u);
    await screen.type('\u001B[B');
    await screen.type('\r');
    engine.emit({...opening, session: {...sessionInfo, origin: 'resumed'}});
    await screen.until(/Session resumed\.\n\n─+\n › Ask weft to do something/u);
    expect(await screen.pushedAway()).toEqual([]);
    expect((await screen.everything()).filter(row => /Session resumed|Resume a|Enter resume/u.test(row))).toEqual([
      '  Session resumed.',
    ]);
  });
});

describe('waiting to try again', () => {
  test.each([
    [80, '? Retrying in 4 s (2 of 10) · Esc to interrupt · The server is overloaded and …'],
    [40, '? Retry in 4 s (2 of 10) · Esc · The s…'],
  ])('at %i columns time, count and Esc come first', async (columns, line) => {
    const {screen, engine, time} = await start([columns, 24]);
    const message = 'The server is overloaded and says that somebody may come back later (529).';
    const retrying = {event: 'retrying', attempt: 2, maxAttempts: 10, delayMs: 3900, status: 529, message} as const;
    engine.emit(...begin, retrying);
    await screen.until(/ · Esc/u);
    expect(await screen.rows()).toContain(line);
    time.now += 2000;
    engine.emit({event: 'mode-changed', mode: 'default'});
    await screen.until(/in 2 s/u);
  });
});

describe('stopping and leaving', () => {
  test('the offer to leave goes when its time is over', {tags: 'long'}, async () => {
    const {screen} = await start();
    await screen.type('\u0003');
    await screen.until(/Ctrl\+C again to exit/u);
    await expect.poll(async () => (await screen.rows()).join('\n'), {timeout: 30_000}).not.toMatch(/again to exit/u);
  });

  test('Esc interrupts; the view says so and dropped prompts come back as the draft', async () => {
    const {screen, engine} = await start();
    engine.emit(...begin, delta('half an answ'));
    await screen.until(/half an answ/u);
    await screen.type('later\r');
    await screen.until(/↳ next step: later/u);
    await screen.type('\u001B');
    await screen.until(/Stopping/u);
    engine.emit({event: 'prompt-withdrawn', id: messageId('p1')}, finished({kind: 'interrupted'}));
    await screen.until(/half an answ\n\n⊘ Interrupted[^\n]*\n\n─+\n › later/u);
    expect(engine.ops.at(-1)).toEqual({op: 'interrupt'});
  });

  test.each([
    ['Esc', '\u001B'],
    ['Ctrl+C', '\u0003'],
  ])('%s stops a prompt that a hook keeps from beginning', async (_key, bytes) => {
    const {screen, engine} = await start();
    await screen.type('wait for it\r');
    await screen.until(/↳ queued: wait for it · Esc to interrupt/u);
    await screen.type(bytes);
    await expect.poll(() => engine.ops.at(-1)).toEqual({op: 'interrupt'});
  });

  test('Ctrl+C clears the draft first; twice within two seconds leaves and restores the terminal', async () => {
    const {screen, exit, time} = await start();
    await screen.type('draft');
    await screen.until(/› draft/u);
    await screen.type('\u0003');
    await screen.until(/Ctrl\+C again to exit/u);
    time.now += 2001;
    await screen.type('\u0003');
    time.now += 1000;
    await screen.type('\u0003');
    expect(await exit).toEqual({kind: 'left'});
    expect(screen.rawMode()).toBe('cooked');
    expect(screen.written()).toMatch(/\u001B\[\?2004l/u);
    expect(screen.written().lastIndexOf('\u001B[?25h')).toBeGreaterThan(screen.written().lastIndexOf('\u001B[?25l'));
    expect((await screen.rows()).join('\n')).not.toMatch(/Ask weft/u);
  });

  test('Ctrl+D leaves on an empty draft only', async () => {
    const {screen, exit} = await start();
    await screen.type('x');
    await screen.until(/› x/u);
    await screen.type('\u0004');
    await screen.type('\u007F');
    await screen.type('\u0004');
    expect(await exit).toEqual({kind: 'left'});
  });

  test('an abort leaves and gives the terminal back', async () => {
    const {screen, exit, leave} = await start();
    leave.abort();
    expect(await exit).toEqual({kind: 'left'});
    expect(screen.rawMode()).toBe('cooked');
  });

  test('a terminal that goes away ends it', async () => {
    const {screen, exit} = await start();
    screen.hangUp();
    expect(await exit).toEqual({kind: 'left'});
  });

  test('/demo leaves for the demo where it is offered', async () => {
    const screen = openVirtualScreen(80, 24);
    const engine = scriptedEngine();
    const exit = runTui(
      {
        ...blankOptions({engine, stdin: screen.stdin, stdout: screen.stdout}),
        notices: ['No model is configured.', 'a notice much too long for one line '.repeat(3).trim()],
        demo: 'offered',
      },
      new AbortController().signal,
    );
    await screen.until(/No model is configured\.[^]*or \/demo/u);
    expect((await screen.everything()).slice(4, 7)).toEqual([
      '  ! No model is configured.',
      '  ! a notice much too long for one line a notice much too long for one line a',
      '    notice much too long for one line',
    ]);
    await screen.type('/demo\r');
    expect(await exit).toEqual({kind: 'demo', draft: ''});
  });
});

test('a narrower screen shows every line once', async () => {
  const {screen, engine} = await start([80, 24]);
  engine.emit(
    ...begin,
    delta('finished block\n\nan unfinished block that is long enough to be wrapped when the screen gets narrow'),
  );
  await screen.until(/gets/u);
  screen.resize(40, 24);
  await screen.until(/Enter: send now/u);
  await new Promise(resolve => setTimeout(resolve, 100));
  const all = (await screen.everything()).join('\n');
  expect(all.match(/unfinished/gu)).toHaveLength(1);
  expect(all.match(/Enter: send now/gu)).toHaveLength(1);
  expect(all.match(/finished block\n/gu)).toHaveLength(1);
});

test('whoever sends more than a megabyte between two frames waits for the next one', async () => {
  const {engine} = await start();
  const isTakenAtOnce = async (text: string): Promise<boolean> => {
    let isTaken = false;
    const taken = (async () => {
      await engine.offer(delta(text));
      isTaken = true;
    })();
    // No frame is drawn between microtasks.
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    const atOnce = isTaken;
    await taken;
    return atOnce;
  };
  engine.emit(...begin);
  expect(await isTakenAtOnce('a'.repeat(2_000_000))).toBe(false);
  expect(await isTakenAtOnce('a'.repeat(1000))).toBe(true);
});
