import type {AndOr, Script} from './shell-tree.ts';

/**
 * The text without commands of a kind that stands there before: plain words in a row, no sign among them that a shell gives a
 * meaning to, between plain `&&`, `||`, `;` and line ends. However long a chain of such commands is, one of each kind shows whether
 * two readings agree.
 */
export function withoutRepeats(text: string, script: Script): string {
  const seen = new Set<string>();
  const kept: string[] = [];
  let from = 0;
  let copied = 0;
  for (const {steps} of script) {
    for (const step of steps) {
      const range = rangeOf(step);
      if (range === undefined) continue;
      const isPlain = step.pipeline.every(command => command.kind === 'simple' && command.assignments.length === 0);
      const written = isPlain ? text.slice(range.from, range.to) : '';
      if (plainWords.test(written)) {
        const shape = written.replaceAll(/(?<=[ |])[a-z]+/giu, 'a').replaceAll(/\d+/gu, '0');
        if (seen.has(shape) && plainGap.test(text.slice(from, range.from))) {
          kept.push(text.slice(copied, from));
          copied = range.to;
        }
        seen.add(shape);
      }
      from = range.to;
    }
  }
  return copied === 0 ? text : kept.join('') + text.slice(copied);
}

/** The sign `|` stands between commands of a pipe. */
const plainWords = /^[\w./:,@%+-]+(?: \|? ?[\w./:,@%+-]+)*$/u;

const plainGap = /^[ \n]*(?:&&|\|\||;|\n)[ \n]*$/u;

function rangeOf({pipeline}: AndOr['steps'][number]): {readonly from: number; readonly to: number} | undefined {
  const [first] = pipeline;
  const last = pipeline.at(-1);
  return first === undefined || last === undefined ? undefined : {from: first.range.from, to: last.range.to};
}
