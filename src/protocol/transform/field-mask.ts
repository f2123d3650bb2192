/**
 * Whether an update by `mask` reaches `path`, a field of a message in snake_case: it names the field, one around it or one
 * inside it. A mask that names nothing reaches everything. Names count in snake_case and camelCase.
 */
export function reaches(mask: readonly string[], path: string): boolean {
  if (mask.length === 0 || mask.includes(path)) return true;
  const wanted = plain(path);
  return mask.some(entry => {
    const named = plain(entry);
    return named === '*' || isWithin(wanted, named) || isWithin(named, wanted);
  });
}

const plain = (path: string): string => path.trim().replaceAll('_', '').toLowerCase();

const isWithin = (path: string, outer: string): boolean => path === outer || path.startsWith(`${outer}.`);
