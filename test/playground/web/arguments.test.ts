import { describe, expect, it } from 'vitest'
import { readManifest } from '../../../src/playground/manifest.ts'
import { completeArguments, readHint } from '../../../src/playground/web/chat/arguments.ts'

const MANIFEST = new URL('../../../manifest.yml', import.meta.url).pathname
const commands = [
  {
    command: '/hc',
    description: '',
    usageHint: '[list | show NAME | show last | set NAME up | set NAME down]',
  },
  { command: '/threat', description: '', usageHint: 'ID… | whois ID' },
  { command: '/plain', description: '', usageHint: '' },
]

describe('the arguments of a command', () => {
  it.each<[typed: string, labels: string[] | undefined]>([
    ['/hc ', ['list', 'show', 'set']],
    ['/hc s', ['show', 'set']],
    ['/HC SH', ['show']],
    ['/hc show', undefined],
    ['/hc show ', ['last']],
    ['/hc set ', undefined],
    ['/hc set web ', ['up', 'down']],
    ['/hc set "two words" d', ['down']],
    ['/hc list ', undefined],
    ['/threat ', ['whois']],
    ['/threat 7e57', undefined],
    ['/plain ', undefined],
    ['/none ', undefined],
    ['see /hc ', undefined],
  ])('after %j: %j', (typed, labels) => {
    const found = completeArguments(typed, typed.length, commands)
    expect(found?.suggestions.map(({ label }) => label)).toEqual(labels)
  })

  it('says what comes after a word, all ways together', () => {
    const [, show] = completeArguments('/hc ', 4, commands)?.suggestions ?? []
    expect(show).toMatchObject({ label: 'show', hint: 'NAME | last', insert: 'show ' })
  })

  it('replaces only the word at the caret', () => {
    expect(completeArguments('/hc sh web', 6, commands)).toMatchObject({ from: 4, to: 6, isEager: false })
  })

  it('come from the app’s own manifest', () => {
    for (const { command, usageHint } of readManifest(MANIFEST).commands) {
      expect(readHint(usageHint).length, command).toBeGreaterThan(0)
    }
    const own = readManifest(MANIFEST).commands
    expect(completeArguments('/hc al', 6, own)?.suggestions).toMatchObject([
      { label: 'alerts', hint: 'NAME' },
    ])
  })
})
