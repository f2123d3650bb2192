/** The forms of task-protocol streams that `weft tasks` reads and writes. */
export const inputs = ['auto', 'base64', 'json', 'sse'] as const;
export const outputs = ['base64', 'json', 'sse'] as const;
export const transformTargets = ['openai', 'anthropic'] as const;

export type TaskInput = (typeof inputs)[number];
export type TaskOutput = (typeof outputs)[number];
export type TransformTarget = (typeof transformTargets)[number];
