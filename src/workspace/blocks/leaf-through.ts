import {setTimeout as delay} from 'node:timers/promises';
import type {Block} from './block.ts';
import {pagerInFront} from './input-wait.ts';

/** Screens that are asked for at most, and milliseconds for all of them. */
const mostPages = 200;
const leafMs = 3000;

/** Milliseconds for a page to come. */
const pageMs = 40;

/** Bytes that are no page: a bell, a prompt drawn anew. */
const fewBytes = 12;

/**
 * A program that pages all the same (the environment tells it not to) would hold its text back for ever: where one waits in the
 * block, its pages are turned to the end, and the block is ended. Answers with the pages that would be lost with a screen of its
 * own, and the pager's name; `undefined` where no pager waits.
 */
export async function leafThrough(
  block: Block,
  signal: AbortSignal,
): Promise<{readonly pager: string; readonly pages: string} | undefined> {
  const pager = await pagerInFront(block.source.leader);
  if (pager === undefined) return undefined;
  const pages = [block.alternateText()];
  const until = performance.now() + leafMs;
  let before = block.totalBytes();
  let silent = 0;
  for (let page = 0; page < mostPages && performance.now() < until && !signal.aborted; page += 1) {
    block.write(' ', 'raw');
    /* oxlint-disable no-await-in-loop -- one page after the other */
    await delay(pageMs);
    const found = await block.look();
    /* oxlint-enable no-await-in-loop */
    const text = block.alternateText();
    if (text !== pages.at(-1)) pages.push(text);
    const now = block.totalBytes();
    silent = now - before < fewBytes ? silent + 1 : 0;
    before = now;
    if (found === 'ended' || silent >= 3 || /\(END\)/u.test(block.info().lastLine)) break;
  }
  block.write('q', 'raw');
  await block.wait({ms: 300, stopsOn: 'sure'}, signal);
  await block.end('short');
  return {pager, pages: pages.filter(page => page !== '').join('\n')};
}
