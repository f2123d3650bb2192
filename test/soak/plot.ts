/** What one line shows at one time. */
export interface Measured {
  readonly heap: number;
  readonly rss: number;
  readonly handles: number;
  readonly cpu: number;
  readonly disk: number;
}

const panels: readonly {readonly title: string; readonly read: (figures: Measured) => number}[] = [
  {title: 'JavaScript heap, MB', read: ({heap}) => heap / 1e6},
  {title: 'resident memory, MB', read: ({rss}) => rss / 1e6},
  {title: 'open files', read: ({handles}) => handles},
  {title: 'processor time of a prompt, ms', read: ({cpu}) => cpu},
  {title: "disk of weft's folder, MB", read: ({disk}) => disk / 1e6},
];

const colors = ['#2563eb', '#d97706', '#059669'];
const [width, height, left, gap] = [720, 140, 60, 44];

/** Draws the figures as an SVG: a panel for each kind, a line for each name. `hours` is the time from one figure to the next. */
export function plot(figures: ReadonlyMap<string, readonly Measured[]>, hours: number): string {
  const names = [...figures.keys()];
  const drawn = panels.map(({title, read}, panel) => {
    const lines = [...figures.values()].map(all => all.map(read));
    const most = Math.max(...lines.flat(), 1);
    const longest = Math.max(...lines.map(line => line.length), 2);
    const top = panel * (height + gap) + gap;
    const points = (line: readonly number[]): string =>
      line
        .map((value, at) => {
          const [x, y] = [left + (at / (longest - 1)) * width, top + height - (value / most) * height];
          return `${x.toFixed(1)},${y.toFixed(1)}`;
        })
        .join(' ');
    return `<text x="${left}" y="${top - 8}">${title}</text>
<path d="M${left} ${top}v${height}h${width}" stroke="#999" fill="none"/>
<text x="${left - 6}" y="${top + 6}" text-anchor="end">${most.toFixed(0)}</text><text x="${left - 6}" y="${top + height}" text-anchor="end">0</text>
<text x="${left + width}" y="${top + height + 14}" text-anchor="end">${(hours * (longest - 1)).toFixed(1)} hours of work</text>
${lines.map((line, at) => `<polyline points="${points(line)}" stroke="${colors[at % colors.length]}" fill="none" stroke-width="1.5"/>`).join('\n')}`;
  });
  const legend = names.map(
    (name, at) => `<text x="${left + at * 160}" y="16" fill="${colors[at % colors.length]}">${name}</text>`,
  );
  const whole = panels.length * (height + gap) + gap;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${left + width + 20} ${whole}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
${legend.join('\n')}
${drawn.join('\n')}
</svg>
`;
}
