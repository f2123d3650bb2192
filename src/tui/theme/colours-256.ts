/** Red, green and blue, each from 0 to 255. */
export type Channels = readonly [red: number, green: number, blue: number];

/** The nearest of the 240 fixed colours of a terminal with 256. */
export function nearestOf256([red, green, blue]: Channels): number {
  let best = firstFixed;
  let least = Number.POSITIVE_INFINITY;
  for (let index = firstFixed; index < 256; index++) {
    const [otherRed, otherGreen, otherBlue] = colourOf256(index);
    const distance = (red - otherRed) ** 2 + (green - otherGreen) ** 2 + (blue - otherBlue) ** 2;
    if (distance < least) {
      least = distance;
      best = index;
    }
  }
  return best;
}

/** One of the fixed colours: a cube of six steps a side from 16 on, greys from 232 on. */
export function colourOf256(index: number): Channels {
  if (index >= 232) {
    const grey = 8 + 10 * (index - 232);
    return [grey, grey, grey];
  }
  const at = index - firstFixed;
  return [stepOf(Math.floor(at / 36)), stepOf(Math.floor(at / 6) % 6), stepOf(at % 6)];
}

/** The parts of `#rrggbb`. */
export function channels(colour: string): Channels {
  const value = Number.parseInt(colour.slice(1), 16);
  return [Math.floor(value / 65_536), Math.floor(value / 256) % 256, value % 256];
}

const firstFixed = 16;
const stepOf = (step: number): number => (step === 0 ? 0 : 55 + 40 * step);
