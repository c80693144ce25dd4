import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

/** The fields of the project's `package.json` that the SBOM needs. */
interface SourcePackage {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly author: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** A third-party package in a bundle. */
interface BundledPackage {
  readonly name: string
  readonly version: string
  /** The SPDX identifier. */
  readonly license: string
  /** The texts of its license files. */
  readonly text: string
  /** Names of its dependencies, whether or not the bundle contains them. */
  readonly dependencies: readonly string[]
}

/** Licenses of code that may be bundled into one file, if their texts ship with it. */
const LICENSES = new Set(
  'MIT MIT-0 ISC Apache-2.0 BSD-2-Clause BSD-3-Clause 0BSD BlueOak-1.0.0 MPL-2.0 Unlicense CC0-1.0 Python-2.0'.split(
    ' ',
  ),
)
const LICENSE_FILE = /^(licen[cs]e|copying|notice)([-.](?!c?[jt]s$).*)?$/i

/**
 * The files that ship with a bundle of these modules: third-party notices and an SBOM. `digest` is the SHA-256 of the program.
 */
export async function describeProvenance(
  modules: readonly string[],
  entry: string,
  digest?: string,
): Promise<{ name: string; content: string }[]> {
  const packages = await readPackages(modules)
  const project = JSON.parse(await readFile(findManifest(resolve(entry)), 'utf8'))
  return [
    { name: 'THIRD-PARTY-NOTICES.txt', content: formatNotices(packages) },
    { name: 'sbom.cdx.json', content: createSbom(project, packages, digest, await readSourceTime()) },
  ]
}

/** The `package.json` that a source belongs to. Throws if there is none. */
function findManifest(file: string): string {
  const folder = dirname(file)
  if (folder === file) throw new Error(`No package.json was found in a parent folder of ${file}.`)
  const manifest = join(folder, 'package.json')
  return existsSync(manifest) ? manifest : findManifest(folder)
}

/**
 * Reads the packages of these modules, sorted by name and version. Throws if a license isn't in the list above, or if its text is
 * neither in a file nor at the end of the README.
 */
async function readPackages(modules: readonly string[]): Promise<BundledPackage[]> {
  const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? [])
  const packages = await Promise.all([...new Set(folders)].map(readPackage))
  // The same version may be installed in two places.
  const byPurl = new Map(packages.map((pkg) => [toPurl(pkg), pkg]))
  return [...byPurl].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, pkg]) => pkg)
}

async function readPackage(folder: string): Promise<BundledPackage> {
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const { name, version, license } = manifest
  const dependencies = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })
  const files = (await readdir(folder)).toSorted()
  const readTextFile = async (file: string) =>
    (await readFile(join(folder, file), 'utf8')).replaceAll('\r\n', '\n').trim()
  const licenseTexts = await Promise.all(files.filter((file) => LICENSE_FILE.test(file)).map(readTextFile))
  const readme = files.find((file) => /^readme(\.|$)/i.test(file))
  const readmeLicense =
    licenseTexts.length === 0 && readme ? /^#+ *licen[cs]e\b[\s\S]*/im.exec(await readTextFile(readme)) : null
  const text = [...licenseTexts, ...(readmeLicense ?? [])].join('\n\n')
  if (!LICENSES.has(license) || text === '')
    throw new Error(
      `${name} ${version}: its license (${license}) isn’t in the list of bin/provenance.ts, or its license text is missing.`,
    )
  return { name, version, license, text, dependencies }
}

/** The third-party code in the program with its licenses and their texts, which most licenses require in every copy. */
const formatNotices = (packages: readonly BundledPackage[]): string =>
  [
    'Third-party code in this folder, and its licenses.\n',
    ...packages.map(
      ({ name, version, license, text }) => `${'='.repeat(80)}\n${name} ${version} (${license})\n\n${text}\n`,
    ),
  ].join('\n')

/** The time of the sources: `SOURCE_DATE_EPOCH` (https://reproducible-builds.org), the time of the commit, or now. */
async function readSourceTime(): Promise<Date> {
  const epoch = process.env.SOURCE_DATE_EPOCH
  if (epoch !== undefined) return new Date(Number(epoch) * 1000)
  const folder = dirname(findManifest(import.meta.filename))
  // A copy without its .git folder may be inside another repository, whose commits are unrelated.
  if (!existsSync(join(folder, '.git'))) return new Date()
  const { stdout } = await promisify(execFile)('git', ['log', '-1', '--format=%ct'], { cwd: folder }).catch(
    () => ({ stdout: '' }),
  )
  return stdout === '' ? new Date() : new Date(Number(stdout) * 1000)
}

/**
 * A software bill of materials in CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json). It has no serial number, so that the same
 * sources produce the same bytes.
 */
function createSbom(
  project: SourcePackage,
  packages: readonly BundledPackage[],
  digest: string | undefined,
  timestamp: Date,
): string {
  const createComponent = (type: string, pkg: { name: string; version: string }, license: string) => ({
    type,
    'bom-ref': toPurl(pkg),
    name: pkg.name,
    version: pkg.version,
    licenses: [{ license: { id: license } }],
    purl: toPurl(pkg),
  })
  const hashes = digest === undefined ? {} : { hashes: [{ alg: 'SHA-256', content: digest }] }
  const refsByName = new Map<string, string[]>()
  for (const pkg of packages) refsByName.set(pkg.name, [...(refsByName.get(pkg.name) ?? []), toPurl(pkg)])
  const required = new Set(packages.flatMap(({ dependencies }) => dependencies))
  // A package that no bundled package depends on is needed by one of the project's own packages, so it counts as direct.
  const isDirect = ({ name }: BundledPackage): boolean =>
    name in { ...project.dependencies, ...project.devDependencies } || !required.has(name)
  const bom = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: timestamp.toISOString(),
      authors: [{ name: project.author }],
      component: { ...createComponent('application', project, project.license), ...hashes },
    },
    components: packages.map((pkg) => createComponent('library', pkg, pkg.license)),
    dependencies: [
      { ref: toPurl(project), dependsOn: packages.filter(isDirect).map(toPurl) },
      ...packages.map((pkg) => ({
        ref: toPurl(pkg),
        dependsOn: pkg.dependencies.flatMap((name) => refsByName.get(name) ?? []).toSorted(),
      })),
    ],
  }
  return `${JSON.stringify(bom, null, 2)}\n`
}

const toPurl = ({ name, version }: { name: string; version: string }): string =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`
