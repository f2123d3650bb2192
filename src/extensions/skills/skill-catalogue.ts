import type {SkillCatalogue} from '../../actions/skills-port.ts';
import {clip, collapseSpaces} from '../../base/clip.ts';

/** What the names and lines of the catalogue may take in a request, in bytes of JSON: for 20 skills, for each further one, at most. */
const room = {base: 1150, more: 40, most: 3500} as const;

/** The longest and the shortest description of one line, in characters; what would be shorter is left out. */
const description = {most: 240, least: 40} as const;

/** A skill as the catalogue and `matchingSkills` speak of it. */
export interface DescribedSkill {
  readonly name: string;
  readonly description: string;
}

/**
 * What the model is told of the skills, of a bounded size. Every name that fits is there, in the order given; the descriptions share
 * what is left: the shorter ones stand whole. Where they would come to nothing, the first skills keep theirs. A note says how to find
 * the skills whose names do not fit. Linear in the number of skills.
 */
export function skillCatalogue(skills: readonly DescribedSkill[]): SkillCatalogue | undefined {
  if (skills.length === 0) return undefined;
  const most = Math.min(room.most, room.base + Math.max(0, skills.length - 20) * room.more);
  let left = most;
  const named = skills.slice(
    0,
    fittingCount(skills, ({name}) => (left -= bytesOf(name) + 1) >= 0),
  );
  if (named.length < skills.length) {
    const names = named.map(({name}) => name);
    const rest = skills.length - names.length;
    const note = `…and ${rest} more: call this with a word of what you need as the name, and you get those that match.`;
    return {names: 'any', lines: [...names, note].join('\n')};
  }
  const short = skills.map(({name, description: words}) => ({name, description: clip(words, description.most)}));
  const sizeAt = (length: number): number => short.reduce((sum, skill) => sum + lineBytes(skill, length), 0);
  let length: number = description.least;
  for (let tooLong = description.most + 1; tooLong - length > 1;) {
    const middle = Math.floor((length + tooLong) / 2);
    if (sizeAt(middle) <= left) length = middle;
    else tooLong = middle;
  }
  const described = short.slice(
    0,
    fittingCount(short, skill => (left -= lineBytes(skill, length)) >= 0),
  );
  return {names: skills.map(({name}) => name), lines: described.map(skill => lineOf(skill, length)).join('\n')};
}

function fittingCount<Item>(items: readonly Item[], fits: (item: Item) => boolean): number {
  const end = items.findIndex(item => !fits(item));
  return end < 0 ? items.length : end;
}

const lineOf = ({name, description: words}: DescribedSkill, length: number): string =>
  `- ${name}: ${shortened(words, length)}`;

const lineBytes = (skill: DescribedSkill, length: number): number => bytesOf(lineOf(skill, length));

function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = clip(text, length);
  const lastBlank = cut.search(/\s\S*$/u);
  return lastBlank < 3 ? cut : `${cut.slice(0, lastBlank).trimEnd()}…`;
}

/** In a request, as JSON. */
const bytesOf = (text: string): number => Buffer.byteLength(JSON.stringify(text));

const maxMatches = 20;

/**
 * The skills whose name or description holds the words of a name that is none, as lines; those that hold the most words come first.
 * Empty if none does.
 */
export function matchingSkills(wanted: string, skills: readonly DescribedSkill[]): string {
  const words = collapseSpaces(wanted.toLowerCase().replaceAll(/[^\p{Letter}\p{Number}]+/gu, ' ')).split(' ', 20);
  const scored = skills.map(skill => {
    const text = `${skill.name} ${skill.description}`.toLowerCase();
    return {skill, score: words.filter(word => word.length > 1 && text.includes(word)).length};
  });
  return scored
    .filter(({score}) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, maxMatches)
    .map(({skill}) => lineOf(skill, description.most))
    .join('\n');
}
