import type {Editing} from '../input/editing-state.ts';
import {questionKeys} from '../input/keymap.ts';
import {currentQuestion, type QuestionForm} from '../input/question-form.ts';
import {visible, visibleLine} from '../../base/visible.ts';
import {fit} from '../text/cell-width.ts';
import {wrapText, type Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import {composerView, type Placed} from './composer-view.ts';
import {editingLines, selectionIn} from './editing-lines.ts';

interface QuestionCardState {
  readonly form: QuestionForm;
  readonly editing: Editing;
}

/** The question being asked, its options, and a row for an answer in the user's own words. */
export function questionCard({form, editing}: QuestionCardState, rows: number, frame: Frame): Placed {
  const question = currentQuestion(form);
  if (question === undefined) return {lines: [], cursor: {x: 0, y: 0}};
  const {theme} = frame;
  const count = form.questions.length > 1 ? `(${form.answers.length + 1} of ${form.questions.length}) ` : '';
  const title = wrapText(`${count}${visible(question.question)}`, ['bold'], frame).slice(0, Math.max(1, rows - 4));
  const optionLines = question.options.map((option, at) => {
    const pointer = form.row === at && form.state === 'choosing' ? theme.paint(['accent'], glyphs.pointer) : ' ';
    const box =
      question.choice === 'many' ? `${form.checked.includes(option.label) ? glyphs.checkedBox : glyphs.emptyBox} ` : '';
    const hint = option.recommended === 'recommended' ? ' (recommended)' : '';
    const label = fit(`${at + 1}. ${box}${visibleLine(option.label)}${hint}`, frame.width - 2);
    const description = option.description === '' ? '' : `  ${visibleLine(option.description)}`;
    return `${pointer} ${label}${theme.paint(['dim'], fit(description, frame.width - 2 - label.length))}`;
  });
  const otherRow = question.options.length;
  const pointsToOther = form.row === otherRow && form.state === 'choosing';
  const field = {draft: form.other, editing};
  const typing = composerView(form.other, {rows: 2, frame, hint: 'your own answer', selection: selectionIn(field)});
  const other =
    form.state === 'typing'
      ? [...typing.lines, ...editingLines(field, frame)]
      : [
          `${pointsToOther ? theme.paint(['accent'], glyphs.pointer) : ' '} ${otherRow + 1}. something else (${questionKeys.other})`,
        ];
  const room = Math.max(1, rows - title.length - other.length - 1);
  const top = Math.max(0, Math.min(form.row - room + 1, optionLines.length - room));
  const above = [...title, ...optionLines.slice(top, top + room)];
  const keys =
    question.choice === 'many' ? ['space checks', 'Enter answers', 'Esc stops'] : ['Enter answers', 'Esc stops'];
  return {
    lines: [...above, ...other, theme.paint(['dim'], fit(keys.join(glyphs.between), frame.width))],
    cursor:
      form.state === 'typing'
        ? {x: typing.cursor.x, y: above.length + typing.cursor.y}
        : {x: 0, y: title.length + form.row - top},
  };
}
