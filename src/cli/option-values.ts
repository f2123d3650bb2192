import {InvalidArgumentError} from 'commander';
import {efforts, type Effort} from '../domain/model-stream.ts';
import {permissionModes, type PermissionMode} from '../domain/risk.ts';

export function wholeNumber(text: string): number {
  if (!/^\d+$/u.test(text) || Number(text) < 1) throw new InvalidArgumentError('It must be a whole number from 1 on.');
  return Number(text);
}

export function countFromZero(text: string): number {
  if (!/^\d+$/u.test(text)) throw new InvalidArgumentError('It must be a whole number from 0 on.');
  return Number(text);
}

/** What a timer can hold: about 24 days. */
const mostSeconds = 2_000_000;

export function seconds(text: string): number {
  const value = positiveNumber(text);
  if (value > mostSeconds) throw new InvalidArgumentError(`It must be at most ${mostSeconds}.`);
  return value;
}

export function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0) {
    throw new InvalidArgumentError('It must be a number above 0.');
  }
  return value;
}

/** `manual` is what programs call `default`. */
export function permissionMode(text: string): PermissionMode {
  const mode = permissionModes.find(name => name === (text === 'manual' ? 'default' : text));
  if (mode === undefined) throw new InvalidArgumentError(`Allowed choices are ${permissionModes.join(', ')}.`);
  return mode;
}

export function effort(text: string): Effort {
  const level = efforts.find(name => name === text);
  if (level === undefined) throw new InvalidArgumentError(`Allowed choices are ${efforts.join(', ')}.`);
  return level;
}
