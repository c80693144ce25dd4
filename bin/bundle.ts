import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { basename, join } from 'node:path'
import { type OutputAsset, type OutputChunk, type Plugin, rolldown } from 'rolldown'

const ROOT = join(import.meta.dirname, '..')

/** The one program: the app, and everything else that an operator does. */
const PROGRAM = join(ROOT, 'src', 'cli', 'signalman.ts')

/** Asked for by `pg` and `ws` only by those who want it, and never by Signalman. */
const NEVER_LOADED = ['pg-native', 'bufferutil', 'utf-8-validate']

/** Bolt loads Express for a receiver that Signalman does not use: a fifth of the file, and 4 MB of an idle process. */
const withoutExpress: Plugin = {
  name: 'without-express',
  resolveId: (id) => (id === 'express' ? '\0no-express' : null),
  load: (id) => (id === '\0no-express' ? 'export {}' : null),
}

/** Licences that let the program be passed on as one file, with their texts beside it. */
const LICENCES = new Set(
  'MIT MIT-0 ISC Apache-2.0 BSD-2-Clause BSD-3-Clause 0BSD BlueOak-1.0.0 MPL-2.0 Unlicense CC0-1.0 Python-2.0'.split(
    ' ',
  ),
)
const LICENCE_FILE = /^(licen[cs]e|copying|notice)([-.](?!c?[jt]s$).*)?$/i

/** Writes down whose code is in the program, under which licence, with its text: most ask that it goes along with every copy. */
export const thirdPartyNotices: Plugin = {
  name: 'third-party-notices',
  async generateBundle(_options, files) {
    const ids = Object.values(files).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
    const folders = ids.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? [])
    const notices = await Promise.all([...new Set(folders)].map(noticeOf))
    const source = `What dist/ holds of others, and under which licences.\n\n${notices.toSorted().join('\n')}`
    this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-NOTICES.txt', source })
  },
}

/** Throws for a package under any other licence, or without a text of it: in a file of its own, or at the end of its README. */
async function noticeOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const files = (await readdir(folder)).toSorted()
  const textOf = async (file: string) =>
    (await readFile(join(folder, file), 'utf8')).replaceAll('\r\n', '\n').trim()
  const own = await Promise.all(files.filter((file) => LICENCE_FILE.test(file)).map(textOf))
  const readme = files.find((file) => /^readme(\.|$)/i.test(file))
  const end = own.length === 0 && readme ? /^#+ *licen[cs]e\b[\s\S]*/im.exec(await textOf(readme)) : null
  const text = [...own, ...(end ?? [])].join('\n\n')
  if (!LICENCES.has(license) || text === '')
    throw new Error(
      `${name} ${version}: its licence (${license}) is not one that bin/bundle.ts knows, or has no text.`,
    )
  return `${'='.repeat(80)}\n${name} ${version} (${license})\n\n${text}\n`
}

export interface Bundle {
  /** Sources by the name of the file that is made of each; what several need becomes files of its own. */
  readonly programs: Readonly<Record<string, string>>
  readonly folder: string
  /** The second line of every program, which `dist.cjs` compares. */
  readonly stamp: string
  /** Packages that whoever installs the bundle brings. */
  readonly brought?: readonly string[]
}

/**
 * Writes programs to a folder. Each file takes the place of its forerunner at once, so whoever starts meanwhile reads
 * the one or the other.
 */
export async function bundle(what: Bundle): Promise<void> {
  await mkdir(what.folder, { recursive: true })
  for (const file of await filesOf(what)) {
    const temporary = join(what.folder, `${file.fileName}.${process.pid}.tmp`)
    await writeFile(temporary, file.type === 'chunk' ? file.code : file.source)
    await rename(temporary, join(what.folder, file.fileName))
  }
}

/** A program's source map, then the program. Throws when it would need anything beside Node, itself and what is brought. */
async function filesOf({ programs, stamp, brought = [] }: Bundle): Promise<(OutputChunk | OutputAsset)[]> {
  await using build = await rolldown({
    input: programs,
    cwd: ROOT,
    platform: 'node',
    external: [...NEVER_LOADED, ...brought],
    plugins: [withoutExpress, thirdPartyNotices],
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
    sourcemap: true,
    sourcemapExcludeSources: true,
    // V8 keeps text with any other letter in it at two bytes each.
    charset: 'ascii',
    comments: false,
    // Made executable, it is a command by itself: so it is in the image.
    postBanner: `#!/usr/bin/env node\n// ${stamp}`,
  })
  const made = new Set(output.map(({ fileName }) => fileName))
  const missing = output.flatMap((file) => (file.type === 'chunk' ? file.imports : []))
  const foreign = missing.filter((name) => !isBuiltin(name) && !made.has(name) && !brought.includes(name))
  if (foreign.length > 0)
    throw new Error(`${Object.values(programs).join(', ')} would load ${foreign.join(', ')} from elsewhere.`)
  return output.toSorted((left, right) => right.fileName.length - left.fileName.length)
}

if (import.meta.main) {
  const [, , stamp = '', program = PROGRAM, folder = join(ROOT, 'dist')] = process.argv
  await bundle({ programs: { [basename(program, '.ts')]: program }, folder, stamp })
}
