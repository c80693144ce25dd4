import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { FEATURES } from '../../src/app/features.ts'
import { VERBS } from '../../src/cli/verbs.ts'
import { Variables } from '../../src/config/variables.ts'
import { ROOT, readSource } from '../source-files.ts'

const PACKAGE = join(ROOT, 'packages/durable')
const FILES = readdirSync(PACKAGE, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
  .map((entry) => join(entry.parentPath, entry.name))

const programFlags = VERBS.flatMap(({ usage }) => usage.match(/--[a-z-]+/g) ?? [])
const programVerbs = VERBS.map(({ name }) => name).filter((name) => /\W/.test(name))
const slashCommands = readSource('manifest.yml').match(/(?<=command: )\/\S+/g) ?? []
/** The features' names, also in the form `health check`. A name of one common word, such as `access`, is left out. */
const featureWords = FEATURES.map(({ name }) => name)
  .filter((name) => name.includes('-'))
  .flatMap((name) => [name, name.replace(/s$/, '').replaceAll('-', ' ')])

const NAMES = new Set([
  ...programFlags,
  ...programVerbs,
  ...slashCommands,
  ...featureWords,
  'Signalman',
  'Slack',
])

const wordPattern = (name: string, flags = ''): RegExp =>
  new RegExp(`(?<![\\w/-])${name.replaceAll(/[/.]/g, '\\$&')}s?(?![\\w-])`, flags)

/** `@signalman/…` is the name of a package. */
const removeScope = (text: string): string => text.replaceAll('@signalman/', '')

it('the durable package doesn’t mention any variable, flag, command, or feature of Signalman', () => {
  expect(FILES.length).toBeGreaterThan(60)
  expect(NAMES.size).toBeGreaterThan(15)
  const found = FILES.flatMap((file) => {
    const text = removeScope(readFileSync(file, 'utf8'))
    const variables = Object.keys(Variables.shape).filter((name) => wordPattern(name).test(text))
    const words = [...NAMES].filter((name) => wordPattern(name, 'i').test(text))
    return [...variables, ...words].map((name) => `${file.slice(PACKAGE.length + 1)}: ${name}`)
  })
  expect(found).toEqual([])
})
