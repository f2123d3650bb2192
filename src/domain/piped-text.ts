/** Joins a prompt and piped text, marked so that the model can distinguish them. */
export function joinPipedText(prompt: string, piped: string): string {
  if (piped.trim() === '') return prompt;
  return prompt === '' ? piped : `${prompt}\n\n<stdin>\n${piped.replace(/\n$/u, '')}\n</stdin>`;
}

/** Returns the prompt without the text that `joinPipedText` added. */
export const withoutPipedText = (text: string): string =>
  text.endsWith('\n</stdin>') ? text.replace(/\n\n<stdin>\n[^]*$/u, '') : text;
