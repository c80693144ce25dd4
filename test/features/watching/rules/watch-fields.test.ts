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

function parseTyped(typed: string, pollMs = 60_000) {
  const line = readTyped(typed, { parameters: WATCHED, flags: WATCH_FLAGS })
  const { values, check, isConfirmed } = parseWatch(line, pollMs)
  return { settings: toSettings(values), check: check?.values.check, isConfirmed }
}

describe('/hc watch', () => {
  it('parses every condition, including repeated ones', () => {
    const typed = 'web-* "api *" --not web-test* --not "old *" --after 2'
    expect(parseTyped(typed)).toEqual({
      settings: {
        filter: {
          include: [
            { field: 'name', pattern: 'web-*' },
            { field: 'name', pattern: 'api *' },
          ],
          exclude: [
            { field: 'name', pattern: 'web-test*' },
            { field: 'name', pattern: 'old *' },
          ],
        },
        afterBadPolls: 2,
      },
      check: undefined,
      isConfirmed: false,
    })
  })

  it('watches everything without arguments, or with “*” or “all”', () => {
    for (const typed of ['', '*', 'all'])
      expect(parseTyped(typed)).toMatchObject({
        settings: { filter: { include: [], exclude: [] } },
        check: undefined,
      })
  })

  it.each([
    { typed: '3m', seconds: 60, looks: 3 },
    { typed: '3 min', seconds: 60, looks: 3 },
    { typed: '4m', seconds: 120, looks: 2 },
    { typed: '3m', seconds: 180, looks: 1 },
    { typed: '3', seconds: 3600, looks: 3 },
    // It wouldn't notice in time, not then, or not be able to count that far.
    { typed: '3m', seconds: 3600, looks: 'Signalman looks every 3600 s, so --after can’t be 3 min.' },
    { typed: '1m', seconds: 90, looks: 'Signalman looks every 90 s, so --after can’t be 1 min.' },
    { typed: '3m', seconds: 30, looks: 'Signalman looks every 30 s, so --after can’t be 3 min.' },
    { typed: '0m', seconds: 60, looks: 'Signalman looks every 60 s, so --after can’t be 0 min.' },
  ])('waits for $typed when Signalman looks every $seconds s: $looks', ({ typed, seconds, looks }) => {
    const parse = () => parseTyped(`web-* --after "${typed}"`, seconds * 1000).settings.afterBadPolls
    if (typeof looks === 'number') expect(parse()).toBe(looks)
    else expect(parse).toThrow(looks)
  })

  it('parses words without a star as the name of one check', () => {
    expect(parseTyped('Bank open API --after 3')).toMatchObject({
      check: 'Bank open API',
      settings: { afterBadPolls: 3 },
    })
  })

  it.each([
    {
      typed: '--after 6',
      expectedText: '--after counts how often a health check is seen down, 1 to 5 times.',
    },
    { typed: '--escalate "1m @ann"', expectedText: '--escalate needs a time from 5m to 24h' },
    {
      typed: '--after 0',
      expectedText: '--after counts how often a health check is seen down, 1 to 5 times.',
    },
    { typed: '--uuid web-1', expectedText: 'isn’t the UUID of a health check. To match names, use --name' },
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
  ])('rejects "$typed" with: $expectedText', ({ typed, expectedText }) => {
    expect(() => parseTyped(typed)).toThrow(expectedText)
  })

  it.each([
    '',
    'web-* "api *" --not web-test* --after 2 --escalate "10m @on-call @ann, 30m @lead"',
    '--name "Bank open API" --name web --not "name=target=x"',
    '--uuid 3f2a0000-0000-4000-8000-000000000001 --runbook https://wiki.example.com/shop?a=b#c',
  ])('parses its own output: %s', (typed) => {
    const { settings } = parseTyped(typed)
    const channel = {
      env: 'ote',
      channel: 'C0OPERATNS',
      replace: 'x'.repeat(22),
      shownVersion: 'a',
    } as const
    const line = formatWatchLine({ ...toWatchValues(settings), ...channel }).replace(/^\/hc watch /, '')
    const { values } = parseWatch(readTyped(line, { parameters: WATCHED, flags: WATCH_FLAGS }), 60_000)
    expect(toSettings(values)).toEqual(settings)
    expect(values).toMatchObject(channel)
  })
})
