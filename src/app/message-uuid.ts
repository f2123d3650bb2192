import {hash} from 'node:crypto';
import {randomUuid} from './random-uuid.ts';

/** A UUID for a message: a random one, or for a name always the same one. */
export function messageUuid(name?: string): string {
  if (name === undefined) return randomUuid();
  const digits = hash('sha256', name, 'hex');
  // Version 8 is for UUIDs made in a way of one's own.
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `a${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-');
}
