/** Whether weft waits for the user's answer; `watch` calls back when that may have changed. */
export interface AskWatch {
  readonly asks: () => boolean;
  readonly watch: (listener: () => void) => () => void;
}

/** Calls back whenever weft begins to wait for the user or ceases to; answers with what ends that. */
export function watchAsks({asks, watch}: AskWatch, onChange: () => void): () => void {
  let asked = asks();
  return watch(() => {
    if (asks() === asked) return;
    asked = !asked;
    onChange();
  });
}
