import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const FEATURES = join(import.meta.dirname, '../src/features')

/** The kinds of file in a feature beside its use cases: `views.ts`, or a folder `views/` where there are several. */
const KINDS = ['commands', 'parse', 'forms', 'views']

/** Words that no other file's name holds: what is of a kind stands in its file or folder, and a use case says what it does. */
const TAKEN =
  /(^|-)(routes?|commands?|forms?|views?|modals?|windows?|parts?|helpers?|utils?|common|types?|misc)$/

const REGISTERS = /\broutes\.(verb|form|shortcut|job|home|homeSection)\(/
const INPUTS = readFileSync(
  join(import.meta.dirname, '../packages/slack/src/blocks/inputs.ts'),
  'utf8',
).matchAll(/^export (?:function|const) (\w+)/gm)
const BUILDS_INPUTS = new RegExp(
  `import (?!type)[^;']*\\b(?:${[...INPUTS].map(([, name]) => name).join('|')})\\b[^;']*from '@signalman/slack'`,
)
const IS_FORM = /^export (const|function) \w+[^\n]*(\bForm<|= form\()/m
const IS_VIEW = /^export (async )?(function|const) \w+View\b/m
const WAITS = /\bawait\b/

const read = (file: string): string => readFileSync(join(FEATURES, file), 'utf8')

const files = readdirSync(FEATURES, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.ts'))

/** `forms` for `alerts/forms.ts`, `watching/forms/watch.ts` and `health-checks/files/forms.ts`; undefined for a use case. */
function kindOf(file: string): string | undefined {
  const path = file.replace(/\.ts$/, '').split('/').slice(1)
  return KINDS.find((kind) => path.includes(kind))
}

/** The files outside of one kind that do what only that kind does. */
const strays = (kind: string, does: RegExp): string[] =>
  files.filter((file) => kindOf(file) !== kind && does.test(read(file)))

describe('every feature', () => {
  const features = readdirSync(FEATURES)

  it.each(features)('%s has its commands in commands.ts or commands/', (feature) => {
    const own = files.filter((file) => file.startsWith(`${feature}/`))
    const commands = own.filter((file) => /^[^/]+\/commands(\.ts|\/[^/]+\.ts)$/.test(file))
    expect(commands.filter((file) => REGISTERS.test(read(file)))).not.toEqual([])
  })

  it.each(features)('%s has one file or one folder of a kind, not both', (feature) => {
    const names = readdirSync(join(FEATURES, feature))
    expect(KINDS.filter((kind) => names.includes(kind) && names.includes(`${kind}.ts`))).toEqual([])
  })
})

describe('a file of a feature', () => {
  it('is named after its kind or after what it does', () => {
    const misnamed = files.filter((file) => {
      const [name = '', folder = ''] = file.replace(/\.ts$/, '').split('/').toReversed()
      return TAKEN.test(name) && !(KINDS.includes(name) && !KINDS.includes(folder))
    })
    expect(misnamed).toEqual([])
  })

  it('registers a command, a form or a job only in commands', () => {
    expect(strays('commands', REGISTERS)).toEqual([])
  })

  it('builds inputs and is a form only in forms', () => {
    expect([...strays('forms', BUILDS_INPUTS), ...strays('forms', IS_FORM)]).toEqual([])
  })

  it('draws a view only in views', () => {
    expect(strays('views', IS_VIEW)).toEqual([])
  })

  it('waits for nothing in views and parse', () => {
    const pure = files.filter((file) => ['views', 'parse'].includes(kindOf(file) ?? ''))
    expect(pure.filter((file) => WAITS.test(read(file)))).toEqual([])
  })
})
