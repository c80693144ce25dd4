import { describe, expect, it } from 'vitest'
import { WATCHED } from '../../../../src/features/watching/commands/watches.ts'
import {
  formatWatchLine,
  parseWatch,
  toSettings,
  toWatchValues,
  WATCH_FLAGS,
} from '../../../../src/features/watching/rules/watch-fields.ts'
import { readTyped } from '../../../read-typed.ts'

function parseTyped(typed: string) {
  const { values, check, isConfirmed } = parseWatch(readTyped(typed, { slots: WATCHED, flags: WATCH_FLAGS }))
  return { settings: toSettings(values), check: check?.values.check, isConfirmed }
}

describe('/hc watch', () => {
  it('parses every condition, including repeated ones', () => {
    const typed =
      'web-* "api *" --not web-test* --not target=*.example.org --not customer:17 --protocol https --protocol TCP --target shop* --customer 1100 --after 2 --notify every --remind 4'
    expect(parseTyped(typed)).toEqual({
      settings: {
        filter: {
          include: [
            { field: 'name', pattern: 'web-*' },
            { field: 'name', pattern: 'api *' },
            { field: 'target', pattern: 'shop*' },
            { field: 'protocol', pattern: 'HTTPS' },
            { field: 'protocol', pattern: 'TCP' },
            { field: 'customer', pattern: '1100' },
          ],
          exclude: [
            { field: 'name', pattern: 'web-test*' },
            { field: 'target', pattern: '*.example.org' },
            { field: 'customer', pattern: '17' },
          ],
        },
        afterBadPolls: 2,
        notify: 'every',
        reminderHours: 4,
      },
      check: undefined,
      isConfirmed: false,
    })
  })

  it('watches everything without arguments, or with “*”, “all”, or “everything”', () => {
    for (const typed of ['', '*', 'all', 'Everything'])
      expect(parseTyped(typed)).toMatchObject({
        settings: { filter: { include: [], exclude: [] } },
        check: undefined,
      })
  })

  it('parses words without a star as the name of one check', () => {
    expect(parseTyped('Bank open API --after 3')).toMatchObject({
      check: 'Bank open API',
      settings: { afterBadPolls: 3 },
    })
  })

  it.each([
    { typed: '--after 6', expectedText: '--after needs a number from 1 to 5' },
    { typed: '--after 0', expectedText: '--after needs a number from 1 to 5' },
    { typed: '--remind 2', expectedText: '--remind needs off, 1, 4, or 24' },
    { typed: '--uuid web-1', expectedText: 'isn’t the UUID of a health check. To match names, use --name' },
    { typed: '--customer x', expectedText: 'isn’t a customer ID. Type a whole number' },
    { typed: `${'a* '.repeat(51)}`, expectedText: 'up to 50 conditions' },
    { typed: `${'a'.repeat(300)}*`, expectedText: '200 characters' },
    ...[
      'http://wiki.example.com/',
      'javascript://x%0aalert(1)',
      'https://a:b@wiki.example.com/',
      'https://',
      '"https://wiki.example.com Restart first"',
      '"Ask <@U0MEMBER01>"',
    ].map((typed) => ({
      typed: `--runbook ${typed}`,
      expectedText: 'needs a link that starts with https://',
    })),
    { typed: `--runbook https://wiki.example.com/${'x'.repeat(500)}`, expectedText: 'up to 500 characters' },
    { typed: '--notify never', expectedText: 'isn’t a valid value for --notify. Use once, every' },
  ])('rejects "$typed" with: $expectedText', ({ typed, expectedText }) => {
    expect(() => parseTyped(typed)).toThrow(expectedText)
  })

  it.each([
    '',
    'web-* "api *" --not web-test* --not target=*.example.org --protocol HTTPS --customer 17 --after 2 --notify every --remind 24',
    '--name "Bank open API" --name web --not "name=target=x"',
    '--uuid 3f2a0000-0000-4000-8000-000000000001 --remind 1h --runbook https://wiki.example.com/shop?a=b#c',
  ])('parses its own output: %s', (typed) => {
    const { settings } = parseTyped(typed)
    const channel = {
      env: 'ote',
      channel: 'C0OPERATNS',
      replace: 'x'.repeat(22),
      shownVersion: 'a',
      digest: 9,
      zone: 'UTC',
    } as const
    const line = formatWatchLine({ ...toWatchValues(settings), ...channel }).replace(/^\/hc watch /, '')
    const { values } = parseWatch(readTyped(line, { slots: WATCHED, flags: WATCH_FLAGS }))
    expect(toSettings(values)).toEqual(settings)
    expect(values).toMatchObject(channel)
  })
})
