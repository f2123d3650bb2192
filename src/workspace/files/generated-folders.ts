/** Folders that package managers fill with code that runs later. */
export const packageFolders: ReadonlySet<string> = new Set(
  (
    'node_modules bower_components jspm_packages .pnpm-store .venv venv site-packages dist-packages __pypackages__ .eggs vendor Pods ' +
    'Carthage .conda .pixi .tox .nox .terraform deps elm-stuff .stack-work'
  ).split(' '),
);

/** Cache folders: programs recreate their content by themselves. */
export const cacheFolders: ReadonlySet<string> = new Set(
  (
    '__pycache__ .cache .gradle .turbo .parcel-cache .vite .vite-temp .vitest .vitest-cache .pytest_cache .mypy_cache .ruff_cache .hypothesis .ipynb_checkpoints ' +
    '.eslintcache .stylelintcache .nyc_output .sass-cache .swc .rpt2_cache .angular .svelte-kit .docusaurus .nuxt .next .expo .dart_tool'
  ).split(' '),
);

/** Folders that builds fill. */
export const buildFolders: ReadonlySet<string> = new Set('dist build out target coverage htmlcov .output'.split(' '));

/** All folders that contain nothing written by hand. */
export const generatedFolders: readonly string[] = [...packageFolders, ...cacheFolders, ...buildFolders];
