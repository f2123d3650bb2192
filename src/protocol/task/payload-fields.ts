/**
 * Field numbers of the opaque task payloads: of the payload itself, of the list a snapshot holds, of the ids a running mark
 * holds, and of an item.
 */
export const payloadField = {snapshot: 2, running: 9, cleared: 11} as const;
export const snapshotField = {pending: 1, completed: 2} as const;
export const runningField = {ids: 1} as const;
export const itemField = {id: 1, title: 2, description: 3} as const;

/** The wire type of strings and messages: a length, then the bytes. */
export const lengthDelimited = 2;
