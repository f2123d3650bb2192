/** The same stream, but for some members of its own. Its methods stay bound to it: they reach what is private to it. */
export const withMembers = <Stream extends object>(
  stream: Stream,
  own: {readonly [Key in keyof Stream]?: unknown},
): Stream =>
  new Proxy(stream, {
    get(target, key) {
      if (Object.hasOwn(own, key)) return Reflect.get(own, key);
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
