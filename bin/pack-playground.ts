import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, normalize, resolve } from 'node:path'
import { buildPage } from '../packages/playground/src/browser/build-page.ts'
import { bundle, thirdPartyNotices } from './bundle.ts'

const ROOT = join(import.meta.dirname, '..')
const PLAYGROUND = join(ROOT, 'packages', 'playground')
const SOURCES = join(PLAYGROUND, 'src')

/** Maps each entry point of the package to its source. The program isn't an entry point. */
const ENTRIES: Readonly<Record<string, string>> = {
  index: 'index.ts',
  fixture: 'fixture.ts',
  driver: 'driver.ts',
  browser: 'browser/index.ts',
}
/** Peer dependencies, for users who drive the page in a browser. */
const PEERS = ['playwright-core', 'axe-core']

const declarationFile = (source: string): string => source.replace(/\.ts$/, '.d.ts')

/**
 * Compiles type declarations into `tscFolder`, and copies those that the entries need. Throws if one needs a package that isn't
 * included.
 */
async function copyTypes(folder: string, tscFolder: string): Promise<void> {
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  const options = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', tscFolder]
  execFileSync(process.execPath, [tsc, '-p', PLAYGROUND, '--rootDir', PLAYGROUND, ...options])
  const pending = Object.values(ENTRIES).map(declarationFile)
  const done = new Set<string>()
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (done.has(file)) continue
    done.add(file)
    const text = await readFile(join(tscFolder, 'src', file), 'utf8')
    for (const [, name = ''] of text.matchAll(/(?:from |import\()['"]([^'"]+)['"]/g)) {
      if (name.startsWith('.')) pending.push(declarationFile(normalize(join(dirname(file), name))))
      else if (!PEERS.includes(name) && !name.startsWith('node:'))
        throw new Error(`The types of ${file} need ${name}, which isn’t installed with this package.`)
    }
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), text)
  }
}

async function writeManifest(folder: string): Promise<void> {
  const text = await readFile(join(PLAYGROUND, 'package.json'), 'utf8')
  const { name, version, description, license, repository, type, engines, dependencies } = JSON.parse(text)
  const entries = Object.entries(ENTRIES).map(([entry, source]) => [
    entry === 'index' ? '.' : `./${entry}`,
    { types: `./types/${declarationFile(source)}`, default: `./dist/${entry}.mjs` },
  ])
  const manifest = {
    name,
    version,
    description,
    license,
    repository,
    type,
    engines,
    bin: { 'signalman-playground': 'dist/signalman-playground.cjs' },
    exports: Object.fromEntries(entries),
    peerDependencies: Object.fromEntries(PEERS.map((name) => [name, dependencies[name]])),
    peerDependenciesMeta: Object.fromEntries(PEERS.map((name) => [name, { optional: true }])),
  }
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
}

/** Creates the playground's package: compiled, with types and its page, and without dependencies. */
async function createPackage(folder: string, tscFolder: string): Promise<void> {
  const dist = join(folder, 'dist')
  const programs = { 'signalman-playground': 'main.ts', ...ENTRIES }
  await Promise.all([
    bundle({
      programs: Object.fromEntries(
        Object.entries(programs).map(([name, source]) => [name, join(SOURCES, source)]),
      ),
      folder: dist,
      stamp: 'Made by bin/pack-playground.ts',
      peers: PEERS,
      launchers: ['signalman-playground'],
      sourceMaps: false,
    }),
    buildPage(join(folder, 'web', 'dist'), [thirdPartyNotices]),
    copyTypes(join(folder, 'types'), tscFolder),
    writeManifest(folder),
    cp(join(ROOT, 'LICENSE'), join(folder, 'LICENSE')),
    ...['README.md', 'example'].map((name) =>
      cp(join(PLAYGROUND, name), join(folder, name), { recursive: true }),
    ),
    cp(join(SOURCES, 'program/no-slack.cjs'), join(dist, 'no-slack.cjs')),
  ])
}

/** Packs the playground into a file in a folder, and returns its path. */
async function pack(destination: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'playground-'))
  try {
    const packageFolder = join(folder, 'package')
    await mkdir(packageFolder)
    await mkdir(destination, { recursive: true })
    await createPackage(packageFolder, join(folder, 'types'))
    const options = ['pack', '--silent', '--ignore-scripts', '--pack-destination', destination]
    return join(destination, execFileSync('npm', options, { cwd: packageFolder, encoding: 'utf8' }).trim())
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const [, , destination = '.'] = process.argv
process.stdout.write(`${await pack(resolve(destination))}\n`)
