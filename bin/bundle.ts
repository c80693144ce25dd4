import { mkdir, rename, writeFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type OutputChunk, type Plugin, rolldown } from 'rolldown'
import { formatNotices } from './notices.ts'

const ROOT = join(import.meta.dirname, '..')

/** Optional dependencies of `pg` and `ws` that Signalman doesn't use. */
const NEVER_LOADED = ['pg-native', 'bufferutil', 'utf-8-validate']

/**
 * Modules that the programs don't use, replaced by stubs: Bolt's Express receivers and jsonwebtoken make up a fifth of Signalman's
 * file and 4 MB of an idle process. The same goes for undici's mocks, caches, WebSockets, HTTP/2, and experimental parser, and for
 * the cluster mode of the metrics. If one of them is used after all, it throws immediately.
 */
const UNUSED =
  /^(?:express|raw-body|jsonwebtoken|@slack\/socket-mode)$|\/undici\/lib\/(?:(?:cache|interceptor|milo|mock|web\/(?:eventsource|websocket))\/|dispatcher\/client-h2\.js$)|@prometheus-io\/client\/lib\/(?:cluster|worker)\.js$/
const withoutUnused: Plugin = {
  name: 'without-unused',
  resolveId: { filter: { id: UNUSED }, handler: () => '\0unused' },
  load: { filter: { id: [/^\0unused$/, UNUSED] }, handler: () => 'module.exports = {}' },
}

/**
 * Importing a Node module reads all of its exports, even lazy ones: `WebSocket` loads Node's own `fetch`, which takes a tenth of
 * the startup time. `process.getBuiltinModule` reads only what is used, when it is first needed
 * (https://nodejs.org/api/process.html#processgetbuiltinmoduleid).
 */
const builtinsByName: Plugin = {
  name: 'builtins-by-name',
  // Leaves out `node:module`, because the bundler's own prelude imports it.
  resolveId: {
    filter: { id: /^[\w:]+(?:\/\w+)?$/ },
    handler: (id, _importer, { kind }) =>
      isBuiltin(id) && id !== 'node:module' && kind === 'import-statement'
        ? `\0${id.replace(/^(?:node:)?/, 'node:')}`
        : null,
  },
  load: {
    filter: { id: /^\0node:/ },
    handler(id) {
      const names = Object.keys(process.getBuiltinModule(id.slice(1)) ?? {}).filter(
        (name) => name !== 'default',
      )
      return `const builtin = process.getBuiltinModule('${id.slice(1)}')
export default builtin
${names.map((name) => `export const ${name} = builtin.${name}`).join('\n')}`
    },
  },
}

/** Removes the shebang line of an executable source, because the bundle has its own. */
const withoutShebang: Plugin = {
  name: 'without-first-line',
  transform: {
    filter: { code: /^#!/ },
    handler: (code) => ({ code: code.replace(/^#!.*/, ''), map: null }),
  },
}

interface BundleOptions {
  /** Maps each name to its source, which becomes `<name>.mjs`. Shared code goes into files beside them. */
  readonly programs: Readonly<Record<string, string>>
  readonly folder: string
  /** The second line of each program. `dist.cjs` compares it. */
  readonly stamp?: string | undefined
}

/**
 * Bundles programs that need only Node, with THIRD-PARTY-NOTICES.txt. The same sources produce the same bytes in any folder. Each file is replaced atomically, the programs last, so a program that starts meanwhile reads either the old or
 * the new version. Throws if something would be loaded from outside the bundle, or if a package has a license that nobody has
 * reviewed.
 */
async function bundle(options: BundleOptions): Promise<void> {
  const { folder } = options
  await mkdir(folder, { recursive: true })
  for (const { name, content } of await buildFiles(options)) {
    const temporary = join(folder, `${name}.${process.pid}.tmp`)
    await writeFile(temporary, content)
    await rename(temporary, join(folder, name))
  }
}

async function buildFiles(options: BundleOptions): Promise<{ name: string; content: string }[]> {
  const chunks = await buildChunks(options)
  return [
    {
      name: 'THIRD-PARTY-NOTICES.txt',
      content: await formatNotices(chunks.flatMap(({ moduleIds }) => moduleIds)),
    },
    ...chunks.flatMap(({ fileName, map }) =>
      map ? [{ name: `${fileName}.map`, content: map.toString() }] : [],
    ),
    ...chunks
      .toSorted((left, right) => Number(left.isEntry) - Number(right.isEntry))
      .map(({ fileName, code }) => ({ name: fileName, content: code })),
  ]
}

async function buildChunks({ programs, stamp }: BundleOptions): Promise<OutputChunk[]> {
  await using build = await rolldown({
    input: programs,
    cwd: ROOT,
    platform: 'node',
    // Ignores tsconfig files, so that the output is the same in the image, which has none.
    tsconfig: false,
    external: NEVER_LOADED,
    plugins: [withoutUnused, builtinsByName, withoutShebang],
    // Drops imports of Node modules that are never used.
    treeshake: { propertyReadSideEffects: false },
    onLog(_level, { code, message }) {
      if (code === 'UNRESOLVED_IMPORT') throw new Error(message)
    },
  })
  const { output } = await build.generate({
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: 'shared-[name].mjs',
    codeSplitting: Object.keys(programs).length > 1,
    // Keeps the names of functions and classes for stack traces. The map adds line numbers.
    minify: { compress: { keepNames: { function: true, class: true } }, mangle: { keepNames: true } },
    sourcemap: true,
    sourcemapExcludeSources: true,
    sourcemapPathTransform: relativeSource,
    // V8 stores text with any non-Latin-1 character in two bytes per character.
    charset: 'ascii',
    comments: false,
    // The image makes the file executable and runs it directly.
    postBanner: `#!/usr/bin/env node\n// ${stamp ?? 'Made by bin/bundle.ts'}`,
  })
  const chunks = output.filter((file) => file.type === 'chunk')
  const bundled = new Set(chunks.map(({ fileName }) => fileName))
  const missing = chunks
    .flatMap(({ imports }) => imports)
    .filter((name) => !isBuiltin(name) && !bundled.has(name))
  if (missing.length > 0)
    throw new Error(
      `The bundle of ${Object.values(programs).join(', ')} doesn’t contain ${missing.join(', ')}.`,
    )
  return chunks
}

/** The path of a source relative to `dist/`, even if packages are linked from another folder. */
function relativeSource(source: string, map: string): string {
  const path = relative(ROOT, resolve(dirname(map), source))
  const isLinked = path.startsWith('..')
  return `../${isLinked ? path.replace(/^.*?(?=(?:node_modules|packages)\/)/, '') : path}`
}

/** `bundle.ts [PROGRAM…] [--folder F] [--stamp S]`: bundles the app into `dist/` by default. */
if (process.argv[1] === import.meta.filename) {
  const text = { type: 'string' } as const
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { folder: text, stamp: text },
  })
  const sources = positionals.length > 0 ? positionals : [join(ROOT, 'src', 'cli', 'signalman.ts')]
  const programs = Object.fromEntries(sources.map((source) => [basename(source, '.ts'), resolve(source)]))
  await bundle({
    programs,
    folder: values.folder ?? join(ROOT, 'dist'),
    stamp: values.stamp,
  })
}
