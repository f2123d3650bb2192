import {renderToString} from 'ink';
import type {ReactNode} from 'react';

/** The lines that a component draws on a wide screen. */
export const drawn = (element: ReactNode): readonly string[] => renderToString(element, {columns: 200}).split('\n');
