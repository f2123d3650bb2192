/** One path that fits, with how well it does. */
export interface ScoredPath {
  readonly path: string;
  readonly score: number;
}

/** The best of many, best first: by score, then the shorter one, then by name. */
export class BestPaths {
  readonly #most: number;
  readonly #best: ScoredPath[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  get paths(): readonly string[] {
    return this.#best.map(({path}) => path);
  }

  /** `path` is made only for what may be among the best. */
  offer(score: number, path: () => string): void {
    const worst = this.#best[this.#most - 1];
    if (worst !== undefined && score < worst.score) return;
    const one = {score, path: path()};
    let at = this.#best.length;
    while (at > 0 && isBetter(one, this.#best[at - 1])) at -= 1;
    if (at >= this.#most) return;
    this.#best.splice(at, 0, one);
    this.#best.length = Math.min(this.#best.length, this.#most);
  }
}

function isBetter(one: ScoredPath, other: ScoredPath | undefined): boolean {
  if (other === undefined) return true;
  if (one.score !== other.score) return one.score > other.score;
  return one.path.length === other.path.length ? one.path < other.path : one.path.length < other.path.length;
}
