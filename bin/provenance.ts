import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

/** A package of somebody else whose code is in a bundle. */
interface BundledPackage {
  readonly name: string
  readonly version: string
  /** As SPDX names it. */
  readonly licence: string
  readonly text: string
}

/** Licences that let a program be passed on as one file, with their texts beside it. */
const LICENCES = new Set(
  'MIT MIT-0 ISC Apache-2.0 BSD-2-Clause BSD-3-Clause 0BSD BlueOak-1.0.0 MPL-2.0 Unlicense CC0-1.0 Python-2.0'.split(
    ' ',
  ),
)
const LICENCE_FILE = /^(licen[cs]e|copying|notice)([-.](?!c?[jt]s$).*)?$/i

/** What goes along with a bundle of these modules: the notices, and whose code is in it as CycloneDX. `digest` is the program's. */
export async function provenanceOf(
  modules: readonly string[],
  entry: string,
  digest?: string,
): Promise<{ name: string; content: string }[]> {
  const packages = await packagesIn(modules)
  const made = JSON.parse(await readFile(manifestOf(resolve(entry)), 'utf8'))
  return [
    { name: 'THIRD-PARTY-NOTICES.txt', content: noticesOf(packages) },
    { name: 'sbom.cdx.json', content: sbomOf(made, packages, digest) },
  ]
}

/** The `package.json` that a source belongs to. Throws where there is none. */
function manifestOf(file: string): string {
  const folder = dirname(file)
  if (folder === file) throw new Error('A program has to belong to a package.')
  const manifest = join(folder, 'package.json')
  return existsSync(manifest) ? manifest : manifestOf(folder)
}

/**
 * The packages that these modules are of, by name and version. Throws for one under any other licence, or without a text of it:
 * in a file of its own, or at the end of its README.
 */
async function packagesIn(modules: readonly string[]): Promise<BundledPackage[]> {
  const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? [])
  const all = await Promise.all([...new Set(folders)].map(packageIn))
  // The same version may be installed in two places.
  const known = new Map(all.map((one) => [purlOf(one), one]))
  return [...known].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, one]) => one)
}

async function packageIn(folder: string): Promise<BundledPackage> {
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
      `${name} ${version}: its licence (${license}) is not one that bin/provenance.ts knows, or has no text.`,
    )
  return { name, version, licence: license, text }
}

/** Whose code is in the program, under which licence, with its text: most ask that it goes along with every copy. */
const noticesOf = (packages: readonly BundledPackage[]): string =>
  [
    'What this folder holds of others, and under which licences.\n',
    ...packages.map(
      ({ name, version, licence, text }) => `${'='.repeat(80)}\n${name} ${version} (${licence})\n\n${text}\n`,
    ),
  ].join('\n')

/** The same as CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json), without a time or a serial number: the same bytes each time. */
function sbomOf(
  made: { name: string; version: string; license: string },
  packages: readonly BundledPackage[],
  digest: string | undefined,
): string {
  const component = (type: string, one: { name: string; version: string }, licence: string) => ({
    type,
    'bom-ref': purlOf(one),
    name: one.name,
    version: one.version,
    licenses: [{ license: { id: licence } }],
    purl: purlOf(one),
  })
  const hashes = digest === undefined ? {} : { hashes: [{ alg: 'SHA-256', content: digest }] }
  const bom = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...component('application', made, made.license), ...hashes } },
    components: packages.map((one) => component('library', one, one.licence)),
  }
  return `${JSON.stringify(bom, null, 2)}\n`
}

const purlOf = ({ name, version }: { name: string; version: string }): string =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`
