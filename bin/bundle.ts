import { mkdir, rename, writeFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { type OutputAsset, type OutputChunk, type Plugin, rolldown } from 'rolldown'

const ROOT = join(import.meta.dirname, '..')
const DIST = join(ROOT, 'dist')

/** The one program: the app, and everything else that an operator does. */
const PROGRAM = 'cli/signalman'

/** Asked for by `pg` and `ws` only by those who want it, and never by Signalman. */
const NEVER_LOADED = ['pg-native', 'bufferutil', 'utf-8-validate']

/** Bolt loads Express for a receiver that Signalman does not use: a fifth of the file, and 4 MB of an idle process. */
const withoutExpress: Plugin = {
  name: 'without-express',
  resolveId: (id) => (id === 'express' ? '\0no-express' : null),
  load: (id) => (id === '\0no-express' ? 'export {}' : null),
}

/**
 * Writes the program to `dist/`. Each file takes the place of its forerunner at once, so whoever starts meanwhile reads
 * the one or the other. `stamp` becomes the program's second line, which `dist.cjs` compares.
 */
async function bundle(stamp: string): Promise<void> {
  await mkdir(DIST, { recursive: true })
  for (const file of await filesOf(PROGRAM, stamp)) {
    const temporary = join(DIST, `${file.fileName}.${process.pid}.tmp`)
    await writeFile(temporary, file.type === 'chunk' ? file.code : file.source)
    await rename(temporary, join(DIST, file.fileName))
  }
}

/** The program's source map, then the program. Throws when it would need anything beside Node and itself. */
async function filesOf(program: string, stamp: string): Promise<(OutputChunk | OutputAsset)[]> {
  await using build = await rolldown({
    input: join(ROOT, 'src', `${program}.ts`),
    cwd: ROOT,
    platform: 'node',
    external: NEVER_LOADED,
    plugins: [withoutExpress],
    onLog(_level, { code, message }) {
      if (code === 'UNRESOLVED_IMPORT') throw new Error(message)
    },
  })
  const { output } = await build.generate({
    format: 'esm',
    entryFileNames: '[name].mjs',
    codeSplitting: false,
    // Functions and classes keep their names, so that a stack says where it was. The map is for whoever asks for lines.
    minify: { compress: { keepNames: { function: true, class: true } }, mangle: { keepNames: true } },
    sourcemap: true,
    sourcemapExcludeSources: true,
    // V8 keeps text with any other letter in it at two bytes each.
    charset: 'ascii',
    comments: false,
    // Made executable, it is a command by itself: so it is in the image.
    postBanner: `#!/usr/bin/env node\n// ${stamp}`,
  })
  const missing = output.flatMap((file) => (file.type === 'chunk' ? file.imports : []))
  const foreign = missing.filter((name) => !isBuiltin(name))
  if (foreign.length > 0) throw new Error(`${program} would load ${foreign.join(', ')} from elsewhere.`)
  return output.toSorted((left, right) => right.fileName.length - left.fileName.length)
}

await bundle(process.argv[2] ?? '')
