import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A third-party package in a bundle. */
interface BundledPackage {
  readonly name: string
  readonly version: string
  /** The SPDX identifier. */
  readonly license: string
  /** The texts of its license files. */
  readonly text: string
}

/** Licenses of code that may be bundled into one file, if their texts ship with it. */
const LICENSES = new Set(
  'MIT MIT-0 ISC Apache-2.0 BSD-2-Clause BSD-3-Clause 0BSD BlueOak-1.0.0 MPL-2.0 Unlicense CC0-1.0 Python-2.0'.split(
    ' ',
  ),
)
const LICENSE_FILE = /^(licen[cs]e|copying|notice)([-.](?!c?[jt]s$).*)?$/i

/**
 * The third-party code in a bundle of these modules, with its licenses and their texts, which most licenses require in every copy. Throws
 * if a license isn't in the list above, or if its text is neither in a file nor at the end of the README.
 */
export async function formatNotices(modules: readonly string[]): Promise<string> {
  const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? [])
  const packages = await Promise.all([...new Set(folders)].map(readPackage))
  // The same version may be installed in two places.
  const byVersion = new Map(packages.map((each) => [`${each.name} ${each.version}`, each]))
  return [
    'Third-party code in this folder, and its licenses.\n',
    ...[...byVersion]
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([title, { license, text }]) => `${'='.repeat(80)}\n${title} (${license})\n\n${text}\n`),
  ].join('\n')
}

async function readPackage(folder: string): Promise<BundledPackage> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
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
      `${name} ${version}: its license (${license}) isn’t in the list of bin/notices.ts, or its license text is missing.`,
    )
  return { name, version, license, text }
}
