import type {SkillCatalogue} from '../../actions/skills-port.ts';
import {clip, collapseSpaces} from '../../base/clip.ts';

/**
 * The size of the catalog in a request, in bytes of JSON: `base` for up to 20 skills, `more` for each further skill,
 * and never above `most`.
 */
const catalogueBytes = {base: 1150, more: 40, most: 3500} as const;

/** The longest and the shortest description in a line, in characters. Shorter ones are left out. */
const description = {most: 240, least: 40} as const;

/** The fields of a skill that the catalog and `findMatchingSkills` show. */
export interface DescribedSkill {
  readonly name: string;
  readonly description: string;
}

/**
 * Returns the list of skills for the model, of a bounded size. Every name that fits is listed, in the given order.
 * The descriptions share the space that is left, and shorter ones stay whole. If no description would get enough
 * space, the first skills keep theirs. If some names don't fit, a note says how to find those skills. Linear in the
 * number of skills.
 */
export function skillCatalogue(skills: readonly DescribedSkill[]): SkillCatalogue | undefined {
  if (skills.length === 0) return undefined;
  const most = Math.min(
    catalogueBytes.most,
    catalogueBytes.base + Math.max(0, skills.length - 20) * catalogueBytes.more,
  );
  let left = most;
  const named = skills.slice(
    0,
    countFitting(skills, ({name}) => (left -= bytesOf(name) + 1) >= 0),
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
    countFitting(short, skill => (left -= lineBytes(skill, length)) >= 0),
  );
  return {names: skills.map(({name}) => name), lines: described.map(skill => lineOf(skill, length)).join('\n')};
}

function countFitting<Item>(items: readonly Item[], fits: (item: Item) => boolean): number {
  const end = items.findIndex(item => !fits(item));
  return end < 0 ? items.length : end;
}

const lineOf = ({name, description: words}: DescribedSkill, length: number): string =>
  `- ${name}: ${shorten(words, length)}`;

const lineBytes = (skill: DescribedSkill, length: number): number => bytesOf(lineOf(skill, length));

function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = clip(text, length);
  const lastBlank = cut.search(/\s\S*$/u);
  return lastBlank < 3 ? cut : `${cut.slice(0, lastBlank).trimEnd()}…`;
}

/** The size of a text as JSON in a request. */
const bytesOf = (text: string): number => Buffer.byteLength(JSON.stringify(text));

const maxMatches = 20;

/**
 * Returns the skills that match the words of an unknown name, as lines. Skills that match the most words come first.
 * Empty if none matches.
 */
export function findMatchingSkills(wanted: string, skills: readonly DescribedSkill[]): string {
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
