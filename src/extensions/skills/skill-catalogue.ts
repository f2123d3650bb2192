import type {SkillCatalogue} from '../../actions/skills-port.ts';
import {clip} from '../../base/clip.ts';

/** What the lines and names of the catalogue may take in a request, in bytes of JSON: for 20 skills, for each further one, at most. */
const room = {base: 1150, more: 40, most: 6000} as const;

/** The longest description of one line, in characters. */
const longestLine = 240;

/**
 * One line for each skill. Together they have a bounded size: the shorter descriptions stand whole, the longer ones share what is
 * left. Where not even the names fit, the last ones are left out.
 */
export function skillCatalogue(skills: readonly {readonly name: string; readonly description: string}[]): {
  readonly catalogue: SkillCatalogue | undefined;
  readonly leftOut: readonly string[];
} {
  const most = Math.min(room.most, room.base + Math.max(0, skills.length - 20) * room.more);
  const fitting = [...skills];
  while (fitting.length > 0 && sizeOf(fitting, 0) > most) fitting.pop();
  if (fitting.length === 0) return {catalogue: undefined, leftOut: skills.map(({name}) => name)};
  let shortest = 0;
  let tooLong = longestLine + 1;
  while (tooLong - shortest > 1) {
    const middle = Math.floor((shortest + tooLong) / 2);
    if (sizeOf(fitting, middle) <= most) shortest = middle;
    else tooLong = middle;
  }
  return {
    catalogue: {names: fitting.map(({name}) => name), lines: linesOf(fitting, shortest)},
    leftOut: skills.slice(fitting.length).map(({name}) => name),
  };
}

function linesOf(skills: readonly {readonly name: string; readonly description: string}[], length: number): string {
  return skills
    .map(({name, description}) => {
      const words = length < 12 ? '' : shortened(description, length);
      return words === '' ? `- ${name}` : `- ${name}: ${words}`;
    })
    .join('\n');
}

/** The text cut behind a word. */
function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = clip(text, length);
  return cut.replace(/(?<=\S{3})\s+\S*…$/u, '…');
}

const sizeOf = (skills: readonly {readonly name: string; readonly description: string}[], length: number): number =>
  bytesOf(linesOf(skills, length)) + skills.reduce((sum, {name}) => sum + bytesOf(name) + 1, 0);

/** In a request, as JSON. */
const bytesOf = (text: string): number => new TextEncoder().encode(JSON.stringify(text)).length;
