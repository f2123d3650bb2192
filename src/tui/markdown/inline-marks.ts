/** What emphasises, links or quotes in the lines of a paragraph, read one by one. */
export interface InlineMarks {
  /** Whether all of it is closed again, so that what comes next does not change how the lines so far are read. */
  readonly closed: boolean;
  read(line: string): void;
}

/** Counts only; in doubt nothing is closed. */
export function openInlineMarks(): InlineMarks {
  const counts = {ticks: 0, stars: 0, lows: 0, tildes: 0, brackets: 0, angles: 0};
  return {
    get closed() {
      const {ticks, stars, lows, tildes, brackets, angles} = counts;
      return ticks % 2 === 0 && stars % 2 === 0 && lows % 2 === 0 && tildes % 2 === 0 && brackets === 0 && angles === 0;
    },
    read(line) {
      for (const [mark] of line.matchAll(marks)) {
        if (mark.startsWith('`')) counts.ticks++;
        else if (mark.startsWith('*')) counts.stars++;
        else if (mark.startsWith('_')) counts.lows++;
        else if (mark.startsWith('~')) counts.tildes++;
        else if (mark === '[') counts.brackets++;
        else if (mark === ']') counts.brackets--;
        else if (mark.startsWith('<')) counts.angles++;
        else if (mark === '>') counts.angles = Math.max(0, counts.angles - 1);
      }
    },
  };
}

/** Runs of marks; what is escaped, a star between spaces and a low line inside a word are none. */
const marks = /\\.|(?<=\s)\*+(?=\s)|(?<=\w)_+(?=\w)|`+|\*+|_+|~+|[[\]]|<(?=[a-zA-Z/!?])|>/gu;
