import { createHash } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type OutputChunk, type Plugin, rolldown } from 'rolldown'
import { provenanceOf } from './provenance.ts'

const ROOT = join(import.meta.dirname, '..')

/** Asked for by `pg` and `ws` only by those who want it, and never here. */
const NEVER_LOADED = ['pg-native', 'bufferutil', 'utf-8-validate']

/**
 * Bolt loads Express and more for receivers that Signalman does not use, and a store of states that is not ours brings jsonwebtoken: a
 * fifth of the file, and 4 MB of an idle process. Of undici it is what nobody here uses: stand-ins, caches, its sockets, HTTP/2, and
 * the parser that is still being tried; of the metrics, those of many processes at once. A part that is used after all fails at once for want of it.
 */
const UNUSED =
  /^(?:express|raw-body|jsonwebtoken|@slack\/socket-mode)$|\/undici\/lib\/(?:(?:cache|interceptor|milo|mock|web\/(?:eventsource|websocket))\/|dispatcher\/client-h2\.js$)|@prometheus-io\/client\/lib\/(?:cluster|worker)\.js$/
const withoutUnused: Plugin = {
  name: 'without-unused',
  resolveId: (id) => (UNUSED.test(id) ? '\0unused' : null),
  load: (id) => (id === '\0unused' || UNUSED.test(id) ? 'module.exports = {}' : null),
}

/**
 * An import of a module of Node's reads everything that it exports, also what is made only then: with `WebSocket` Node's own `fetch`,
 * a tenth of the start. What Node hands out by name reads what is asked for alone, where it is first needed
 * (https://nodejs.org/api/process.html#processgetbuiltinmoduleid).
 */
const builtinsByName: Plugin = {
  name: 'builtins-by-name',
  // What the bundler itself begins with stays as it is.
  resolveId: (id, _importer, { kind }) =>
    isBuiltin(id) && id !== 'node:module' && kind === 'import-statement'
      ? `\0${id.replace(/^(?:node:)?/, 'node:')}`
      : null,
  load(id) {
    if (!id.startsWith('\0node:')) return null
    const names = Object.keys(process.getBuiltinModule(id.slice(1)) ?? {}).filter(
      (name) => name !== 'default',
    )
    return `const builtin = process.getBuiltinModule('${id.slice(1)}')
export default builtin
${names.map((name) => `export const ${name} = builtin.${name}`).join('\n')}`
  },
}

/** A source that is a command by itself says so in its first line; the program has a first line of its own. */
const withoutFirstLine: Plugin = {
  name: 'without-first-line',
  transform: (code) => (code.startsWith('#!') ? { code: code.replace(/^#!.*/, ''), map: null } : null),
}

/** The same files beside what another bundler makes, such as a page. */
export const thirdPartyNotices: Plugin = {
  name: 'third-party-notices',
  async generateBundle(_options, files) {
    const chunks = Object.values(files).filter((file) => file.type === 'chunk')
    const entry = chunks.find(({ facadeModuleId }) => facadeModuleId)?.facadeModuleId ?? ''
    const made = await provenanceOf(
      chunks.flatMap(({ moduleIds }) => moduleIds),
      entry,
    )
    for (const { name, content } of made) this.emitFile({ type: 'asset', fileName: name, source: content })
  },
}

export interface BundleOptions {
  /** Name → the source that it is made of; each becomes `<name>.mjs`. What several share goes into files beside them. */
  readonly programs: Readonly<Record<string, string>>
  readonly folder: string
  /** The second line of each program, which `dist.cjs` compares. */
  readonly stamp?: string | undefined
  /** Programs that also get a `<name>.cjs`, which runs them, or on a Node that is too old says what is needed. */
  readonly launchers?: readonly string[]
  /** Whether to write a source map for each file. The maps are larger than the programs. */
  readonly sourceMaps?: boolean
  /** Packages that whoever installs the bundle brings. */
  readonly brought?: readonly string[]
}

/**
 * Makes programs that need nothing but Node, and beside them what they hold of others: THIRD-PARTY-NOTICES.txt and
 * `sbom.cdx.json`. The same sources make the same bytes in whatever folder. Each file takes the place of its forerunner at once,
 * the programs last, so whoever starts meanwhile reads the one or the other. Throws where something would be loaded from
 * elsewhere, and for a package under a licence that nobody has looked at.
 */
export async function bundle(options: BundleOptions): Promise<void> {
  const { folder } = options
  await mkdir(folder, { recursive: true })
  for (const { name, content } of await filesOf(options)) {
    const temporary = join(folder, `${name}.${process.pid}.tmp`)
    await writeFile(temporary, content)
    await rename(temporary, join(folder, name))
  }
}

async function filesOf(options: BundleOptions): Promise<{ name: string; content: string }[]> {
  const { programs, launchers = [] } = options
  const [entry = ''] = Object.values(programs)
  const chunks = await chunksOf(options)
  const [only, ...more] = chunks
  const digest =
    more.length === 0
      ? createHash('sha256')
          .update(only?.code ?? '')
          .digest('hex')
      : undefined
  return [
    ...(await provenanceOf(
      chunks.flatMap(({ moduleIds }) => moduleIds),
      entry,
      digest,
    )),
    ...launchers.map((name) => ({
      name: `${name}.cjs`,
      content: launcherOf(name),
    })),
    ...chunks.flatMap(({ fileName, map }) =>
      map ? [{ name: `${fileName}.map`, content: map.toString() }] : [],
    ),
    ...chunks
      .toSorted((left, right) => Number(left.isEntry) - Number(right.isEntry))
      .map(({ fileName, code }) => ({ name: fileName, content: code })),
  ]
}

async function chunksOf({
  programs,
  stamp,
  brought = [],
  sourceMaps = true,
}: BundleOptions): Promise<OutputChunk[]> {
  await using build = await rolldown({
    input: programs,
    cwd: ROOT,
    platform: 'node',
    // The same bytes whether the settings of the type check are there, as in the image they are not.
    tsconfig: false,
    external: [...NEVER_LOADED, ...brought],
    plugins: [withoutUnused, builtinsByName, withoutFirstLine],
    // What is not asked for of Node's modules is not read.
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
    // Functions and classes keep their names, so that a stack says where it was. The map is for whoever asks for lines.
    minify: { compress: { keepNames: { function: true, class: true } }, mangle: { keepNames: true } },
    sourcemap: sourceMaps,
    sourcemapExcludeSources: true,
    sourcemapPathTransform: placeOf,
    // V8 keeps text with any other letter in it at two bytes each.
    charset: 'ascii',
    comments: false,
    // Made executable, it is a command by itself: so it is in the image.
    postBanner: `#!/usr/bin/env node\n// ${stamp ?? 'Made by bin/bundle.ts'}`,
  })
  const chunks = output.filter((file) => file.type === 'chunk')
  const own = new Set(chunks.map(({ fileName }) => fileName))
  const foreign = chunks
    .flatMap(({ imports }) => imports)
    .filter((name) => !isBuiltin(name) && !own.has(name) && !brought.includes(name))
  if (foreign.length > 0)
    throw new Error(`${Object.values(programs).join(', ')} would load ${foreign.join(', ')} from elsewhere.`)
  return chunks
}

/** A source as seen from `dist/`, also where the packages are linked in from another folder. */
function placeOf(source: string, map: string): string {
  const inside = relative(ROOT, resolve(dirname(map), source))
  return `../${inside.startsWith('..') ? inside.replace(/^.*?(?=(?:node_modules|packages)\/)/, '') : inside}`
}

/** Read by whatever Node there is: so it is plain, and loads the program only where that can be read too. */
const launcherOf = (name: string): string => `#!/usr/bin/env node
'use strict'
if (Number(process.versions.node.split('.')[0]) >= 24) import('./${name}.mjs')
else {
  process.stderr.write('${name} needs Node 24 or newer, and this is Node ' + process.versions.node + ': install one from https://nodejs.org.\\n')
  process.exitCode = 1
}
`

/** `bundle.ts [PROGRAM] [--folder F] [--name N] [--stamp S] [--launcher]`: the app into `dist/` unless told otherwise. */
if (process.argv[1] === import.meta.filename) {
  const text = { type: 'string' } as const
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { folder: text, name: text, stamp: text, launcher: { type: 'boolean', default: false } },
  })
  const program = resolve(positionals[0] ?? join(ROOT, 'src', 'cli', 'signalman.ts'))
  const name = values.name ?? basename(program, '.ts')
  await bundle({
    programs: { [name]: program },
    folder: values.folder ?? join(ROOT, 'dist'),
    stamp: values.stamp,
    launchers: values.launcher ? [name] : [],
  })
}
