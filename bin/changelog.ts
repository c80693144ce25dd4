import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FILE = join(import.meta.dirname, '..', 'CHANGELOG.md')
const UNRELEASED = 'Unreleased'
const VERSION = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/

/** Finds the notes of a version in a changelog, without the heading. Throws if there are none. */
export function findNotes(changelog: string, version: string): string {
  const headings = [...changelog.matchAll(/^## (\S+).*$/gm)]
  const index = headings.findIndex(([, name]) => name === version)
  const heading = headings[index]
  const notes =
    heading && changelog.slice(heading.index + heading[0].length, headings[index + 1]?.index).trim()
  if (!notes) throw new Error(`CHANGELOG.md has no notes for ${version}.`)
  return notes
}

/**
 * Turns the unreleased notes into the notes of this version, and adds an empty section for the next one. Throws if the version
 * is invalid or already exists, or if there are no unreleased notes.
 */
export function releaseVersion(changelog: string, version: string, date: string): string {
  if (!VERSION.test(version)) throw new Error(`"${version}" isn’t a version such as 1.2.3.`)
  if (changelog.includes(`\n## ${version} `)) throw new Error(`CHANGELOG.md already has ${version}.`)
  findNotes(changelog, UNRELEASED)
  return changelog.replace(`\n## ${UNRELEASED}\n`, `\n## ${UNRELEASED}\n\n## ${version} (${date})\n`)
}

/** `changelog.ts notes VERSION` prints the notes; `changelog.ts release VERSION DATE` turns the unreleased notes into that release. */
if (process.argv[1] === import.meta.filename) {
  const [, , command, version = '', date = ''] = process.argv
  try {
    const changelog = readFileSync(FILE, 'utf8')
    if (command === 'release') writeFileSync(FILE, releaseVersion(changelog, version, date))
    else process.stdout.write(`${findNotes(changelog, version)}\n`)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    process.exitCode = 1
  }
}
