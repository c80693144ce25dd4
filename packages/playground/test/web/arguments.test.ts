import { describe, expect, it } from 'vitest'
import { completeArguments } from '../../src/web/chat/arguments.ts'

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

  it('offers verbs, then options, then values, where the app has told its ways', () => {
    const ways = [
      {
        verb: 'list',
        rest: '[name*]',
        does: 'List health checks',
        options: [
          { flag: 'status', values: ['UNHEALTHY', 'HEALTHY'], does: 'Status' },
          { flag: 'no-subsidiaries', values: [], does: 'Without subsidiaries' },
        ],
      },
      { verb: 'show', rest: 'NAME', does: 'Show one', options: [] },
    ]
    const told = [{ command: '/hc', description: '', usageHint: 'list', ways }]
    const offered = (typed: string) =>
      completeArguments(typed, typed.length, told)?.suggestions.map(({ label }) => label)
    expect(offered('/hc ')).toEqual(['list', 'show'])
    expect(offered('/hc s')).toEqual(['show'])
    expect(offered('/hc list ')).toEqual(['--status', '--no-subsidiaries'])
    expect(offered('/hc list shop* --n')).toEqual(['--no-subsidiaries'])
    expect(offered('/hc list --status u')).toEqual(['UNHEALTHY'])
    expect(offered('/hc list --status HEALTHY ')).toEqual(['--no-subsidiaries'])
    expect(offered('/hc show web')).toBeUndefined()
    expect(offered('/hc frob ')).toBeUndefined()
  })

  it('replaces only the word at the caret', () => {
    expect(completeArguments('/hc sh web', 6, commands)).toMatchObject({ from: 4, to: 6, isEager: false })
  })
})
