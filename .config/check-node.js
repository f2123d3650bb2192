// Plain JavaScript, which old Nodes read. Node reads TypeScript, such as the build, from 22.18 and 24 on.
if (!process.features.typescript) {
  process.stderr.write(
    `weft is built with Node.js 22.18 or newer; this is ${process.versions.node}. ` +
      'Run "npm ci" without --ignore-scripts: it installs such a Node here, and "npm start" then uses it.\n',
  );
  process.exit(2);
}
