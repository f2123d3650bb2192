/** The parts of package.json that the bill names. */
interface Subject {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/** Returns the CycloneDX 1.6 bill of the packages that THIRD-PARTY-NOTICES names, and of the optional ones. It has no time, so that it is the same twice. */
export function billOfMaterials(notices: string, subject: Subject) {
  const bundled = Array.from(
    notices.matchAll(/^(\S+) (\d\S*) \((\S.*)\)$/gmu),
    ([, name = '', version = '', license = '']) => ({
      ...component(name, version, 'required'),
      licenses: [{expression: license}],
    }),
  );
  const inside = Array.from(
    notices.matchAll(/^(\S+)(?: (\d\S*))? \((\S.*)\), in \S+$/gmu),
    ([, name = '', version = '', license = '']) => ({
      type: 'library',
      scope: 'required',
      name,
      ...(version === '' ? {} : {version}),
      licenses: [{expression: license.replace(' or ', ' OR ')}],
    }),
  );
  const {name, version, license, optionalDependencies} = subject;
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {...component(name, version, 'required'), type: 'application', licenses: [{expression: license}]},
    },
    components: [
      // A package that lies in several folders counts once.
      ...new Map(bundled.map(part => [part.purl, part])).values(),
      ...inside,
      ...Object.entries(optionalDependencies).map(([each, its]) => component(each, its, 'optional')),
    ],
  };
}

function component(name: string, version: string, scope: 'required' | 'optional') {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {type: 'library', 'bom-ref': purl, scope, name, version, purl};
}
