import type {Approval} from '../../actions/agent-event.ts';
import {visibleExactLine} from '../../base/visible.ts';
import {choicesOf} from '../input/approval/approval-choices.ts';
import {beginsWord} from '../input/approval/approval-word.ts';
import {approvalKeys, cardKeys} from '../input/keymap.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import type {Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';

/**
 * The keys that answer an approval, on at most `most` lines where that can be: in full, else in short, and never broken inside
 * a key's words. With something `hidden`, the key that shows it is among them.
 */
export function keyRow(
  approval: Approval,
  {most, hidden}: {readonly most: number; readonly hidden: 'nothing' | 'something'},
  frame: Frame,
): readonly string[] {
  const keys = keysOf(approval, hidden);
  const written = forms.map(form => keys.flatMap(one => (one[form] === '' ? [] : [`${one.key} ${one[form]}`])));
  const form = written.find(
    one => one.every(key => cellWidth(key) <= frame.width) && packed(one, frame.width).length <= most,
  );
  return packed(form ?? written.at(-1) ?? [], frame.width).map(line => frame.theme.paint(['accent'], line));
}

/** Keys that are always the same on at most `most` lines where that can be: with their full words, else with short ones. */
export function keyLines(
  keys: readonly (readonly [key: string, full: string, short: string])[],
  {most, frame}: {readonly most: number; readonly frame: Frame},
): readonly string[] {
  const full = packed(
    keys.map(([name, words]) => `${name} ${words}`),
    frame.width,
  );
  const lines =
    full.length <= most
      ? full
      : packed(
          keys.map(([name, , words]) => `${name} ${words}`),
          frame.width,
        );
  return lines.map(line => frame.theme.paint(['accent'], line));
}

/** Keys and their words on as few lines as they need. */
export function packed(keys: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const key of keys) {
    const last = lines.at(-1);
    const longer = `${last}${glyphs.between}${key}`;
    if (last !== undefined && cellWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(fit(key, width));
  }
  return lines;
}

/** Longest first. */
const forms = ['full', 'granting', 'short', 'bare'] as const;
type Form = (typeof forms)[number];

/** A key that is left out where there is little room has no words then. */
interface KeyWords extends Readonly<Record<Form, string>> {
  readonly key: string;
}

function keysOf(approval: Approval, hidden: 'nothing' | 'something'): readonly KeyWords[] {
  const {accept, session, rules, command, parts, editable} = choicesOf(approval);
  const grant = visibleExactLine(approval.sessionGrant);
  const letter = (name: string): string =>
    accept.by === 'word' && beginsWord(name, accept.word) ? `${name} then Enter` : name;
  return [
    accept.by === 'key' ? key(accept.key, 'yes, once', 'once') : typing(visibleExactLine(accept.word)),
    ...(session === 'none'
      ? []
      : [
          {
            ...key(approvalKeys.allowSession, `yes, for this session (${grant})`, 'session'),
            granting: `session (${grant})`,
          },
        ]),
    ...(rules.length === 0 ? [] : [key(approvalKeys.allowAlways, 'always in this project', 'always')]),
    key(letter(approvalKeys.refuse), 'no', 'no'),
    {...key(letter(approvalKeys.refuseWithReason), 'no, with a reason', 'reason'), bare: 'why'},
    ...(parts.length < 2 ? [] : [key(letter(approvalKeys.chooseHunks), `${parts.length} hunks`, 'hunks')]),
    ...(command === '' ? [] : [key(cardKeys.edit.label, 'edit', 'edit')]),
    ...(editable === 'no' ? [] : [key(cardKeys.edit.label, 'editor', 'edit')]),
    ...(hidden === 'something'
      ? [{...key('Down', 'reads on', 'more'), bare: ''}, key(letter(approvalKeys.showAll), 'shows all', 'all')]
      : []),
    key('Esc', 'stop', 'stop'),
  ];
}

/** No key accepts: the word does. */
const typing = (word: string): KeyWords => ({
  key: 'Type',
  full: `${word}, then Enter: yes, once`,
  granting: `${word} + Enter: yes`,
  short: `${word} + Enter: yes`,
  bare: `${word} + Enter`,
});

const key = (name: string, full: string, short: string): KeyWords => ({
  key: name,
  full,
  granting: short,
  short,
  bare: short,
});
