import { UserError } from '@signalman/runtime'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createResolveLine, splitCommand } from '../../../src/bot/routes/resolve-line.ts'
import type { RouteTable } from '../../../src/bot/routes/routes.ts'
import { toZoned } from '../../../src/domain/dates/zoned.ts'
import { readSource } from '../../source-files.ts'
import { startWorld } from '../../world.ts'

let routes: RouteTable
beforeAll(async () => {
  await using world = await startWorld()
  routes = world.app.routes
})

/** A Wednesday. */
const NOON = Date.UTC(2026, 10, 25, 12)
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOON }))
afterEach(() => void vi.useRealTimers())

/** The values of a line; for a refused line, why and what is suggested. */
async function read(
  line: string,
  timeZone?: string,
): Promise<{ values: Readonly<Record<string, unknown>>; message: string; offers: readonly string[] }> {
  const resolved = createResolveLine(routes)(splitCommand(line), { isTyped: true })
  if ('verb' in resolved) {
    const { flags, lists, values } = resolved.args
    return { values: { ...values, ...flags, ...lists }, message: '', offers: [] }
  }
  const error = await resolved.resolve(timeZone).catch((thrown: unknown) => thrown)
  if (!(error instanceof UserError)) throw error
  const lines = error.suggestions.map((suggestion) => suggestion.line)
  return { values: {}, message: error.message, offers: lines.filter((each) => !each.endsWith(' help')) }
}

describe('a date without a year', () => {
  it.each([
    // In Los Angeles, it's 10:55 in the morning of this day.
    ['America/Los_Angeles', '/hc mute Shop until 11/27 14:00', '/hc mute Shop until 2026-11-27 14:00'],
    ['America/Los_Angeles', '/hc mute Shop until 27/11 14:00', '/hc mute Shop until 2026-11-27 14:00'],
    // In Auckland, it's already the next day.
    ['Pacific/Auckland', '/hc history Shop 28/11 7:00', '/hc history Shop 2026-11-28 7:00'],
    ['UTC', '/hc history Shop 28/11 7:00', '/hc history Shop 2025-11-28 7:00'],
  ])('is the nearest one in %s: %s', async (timeZone, typed, offer) => {
    vi.setSystemTime(Date.UTC(2026, 10, 27, 18, 55))
    expect((await read(typed, timeZone)).offers).toEqual([offer])
  })
})

describe('an unclear part of a line', () => {
  it.each([
    ['/hc history Shop from 13/11/2026 to 15/11/2026', ['/hc history Shop from 2026-11-13 to 2026-11-15']],
    ['/hc audit 13/11/2026 - 15/11/2026', ['/hc audit 2026-11-13 - 2026-11-15']],
    ['/hc history Shop since 13/11', ['/hc history Shop since 2026-11-13']],
    ['/hc audit from 13/11 to 15/11', ['/hc audit from 2026-11-13 to 2026-11-15']],
    ['/hc history Shop 2026-11-13 to 15/11/2026', ['/hc history Shop 2026-11-13 to 2026-11-15']],
    [
      '/hc maintenance Shop 2026-12-05 18:00 to 6/12/2026 8:00',
      ['/hc maintenance Shop 2026-12-05 18:00 to 2026-12-06 8:00'],
    ],
    [
      '/hc maintenance Shop tomorrow 22:00 until next Sunday 8:00',
      [
        '/hc maintenance Shop tomorrow 22:00 until 2026-11-29 8:00',
        '/hc maintenance Shop tomorrow 22:00 until 2026-12-06 8:00',
      ],
    ],
    [
      '/hc maintenance Shop next Sunday 18:00 to Monday 8:00',
      [
        '/hc maintenance Shop 2026-11-29 18:00 to Monday 8:00',
        '/hc maintenance Shop 2026-12-06 18:00 to Monday 8:00',
      ],
    ],
    [
      '/hc maintenance Shop next Friday 18:00 to next Sunday 8:00',
      [
        '/hc maintenance Shop 2026-11-27 18:00 to 2026-11-29 8:00',
        '/hc maintenance Shop 2026-12-04 18:00 to 2026-12-06 8:00',
      ],
    ],
    [
      '/hc maintenance Shop 03/04/2027 18:00 to 05/04/2027 8:00',
      [
        '/hc maintenance Shop 2027-04-03 18:00 to 2027-04-05 8:00',
        '/hc maintenance Shop 2027-03-04 18:00 to 2027-05-04 8:00',
      ],
    ],
    ['/hc maintenance Shop 30/11 22:00-23:00', ['/hc maintenance Shop 2026-11-30 22:00-23:00']],
    ['/hc maintenance 30/11 22:00-23:00 Shop', ['/hc maintenance 2026-11-30 22:00-23:00 Shop']],
    [
      '/hc maintenance Shop Sunday 30 Nov 22:00-23:00',
      ['/hc maintenance Shop 2026-11-30 22:00-23:00', '/hc maintenance Shop Sunday 22:00-23:00'],
    ],
    [
      '/hc maintenance Shop Sunday 30/11 22:00-23:00',
      ['/hc maintenance Shop 2026-11-30 22:00-23:00', '/hc maintenance Shop Sunday 22:00-23:00'],
    ],
    ['/hc maintenance Shop Monday 30/11 22:00-23:00', ['/hc maintenance Shop 2026-11-30 22:00-23:00']],
    ['/hc audit --from 13/11/2026', ['/hc audit --from=2026-11-13']],
    [
      '/hc audit "03/04/2026" --from 2026-01-01 --to 03/04/2026 --verb edit',
      [
        '/hc audit "03/04/2026" --from 2026-01-01 --to=2026-04-03 --verb edit',
        '/hc audit "03/04/2026" --from 2026-01-01 --to=2026-03-04 --verb edit',
      ],
    ],
    [
      '/hc audit --from 03/04/2026 14:00 --ungrouped',
      ['/hc audit --from="2026-04-03 14:00" --ungrouped', '/hc audit --from="2026-03-04 14:00" --ungrouped'],
    ],
    [
      '/hc maintenance Shop --from 03/04/2027 --for 2h',
      ['/hc maintenance Shop --from=2027-04-03 --for 2h', '/hc maintenance Shop --from=2027-03-04 --for 2h'],
    ],
    [
      '/cert-order list shop --period from 03/04/2026 to 05/04/2026',
      [
        '/cert-order list shop --period="from 2026-04-03 to 2026-04-05"',
        '/cert-order list shop --period="from 2026-03-04 to 2026-05-04"',
      ],
    ],
  ])('is replaced alone: %s', async (typed, offers) => {
    expect((await read(typed)).offers).toEqual(offers)
    for (const offer of offers) expect((await read(offer)).message, offer).toBe('')
  })

  it('is described with its flag', async () => {
    expect((await read('/hc audit --from 03/04/2026')).message).toContain(
      '--from: 03/04/2026 can mean 2026-04-03 or 2026-03-04.',
    )
  })

  it('is only a day on the side that is meant', async () => {
    expect((await read('/hc history Shop since 11/12/2026')).offers).toEqual([
      '/hc history Shop since 2026-11-12',
    ])
    expect((await read('/hc mute Shop until 3/12/2026')).offers).toEqual(['/hc mute Shop until 2026-12-03'])
  })

  it('is described, once for parts that are written alike', async () => {
    const { message } = await read('/hc maintenance Shop next Friday 18:00 to next Sunday 8:00')
    expect(message).toBe('“next Friday” can mean 2026-11-27 or 2026-12-04. Type the date.')
  })
})

describe('bare hours beside a day', () => {
  it.each([
    ['/hc maintenance Shop tonight 8 to 10', ['/hc maintenance Shop tonight 20:00 to 22:00']],
    [
      '/hc maintenance Shop Monday 9 to 5',
      ['/hc maintenance Shop Monday 9:00 to 17:00', '/hc maintenance Shop Monday 21:00 to 5:00'],
    ],
    [
      '/hc maintenance Shop every Monday 9-5',
      ['/hc maintenance Shop every Monday 9:00-17:00', '/hc maintenance Shop every Monday 21:00-5:00'],
    ],
    ['/hc maintenance Shop from 9 to 5 on Monday', ['/hc maintenance Shop from 9:00 to 17:00 on Monday']],
    [
      '/hc mute Shop until tonight 8:00',
      ['/hc mute Shop until tonight 20:00', '/hc mute Shop until tomorrow 8:00'],
    ],
  ])('are asked about: %s', async (typed, offers) => {
    expect((await read(typed)).offers).toEqual(expect.arrayContaining(offers))
    for (const offer of offers) expect((await read(offer)).message, offer).toBe('')
  })

  it('are read if they are ascending', async () => {
    expect((await read('/hc maintenance Shop 25 Dec 2-4')).values).toEqual({
      check: 'Shop',
      span: '25 Dec 2-4',
    })
  })
})

/** The forms in a section of the page about dates and times. */
function listForms(heading: string): string[] {
  const section = readSource('docs/dates-and-times.md').split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  return [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, form = '']) => form)
}

describe('every documented form', () => {
  it.each([
    ['Dates and times of day', '/hc mute Shop until FORM', 'until'],
    ['Dates and times of day', '/hc mute Shop FORM', 'until'],
    ['Dates and times of day', '/hc mute until FORM Shop', 'until'],
    ['Dates and times of day', '/hc maintenance Shop FORM for 2h', 'from'],
    ['Dates and times of day', '/hc maintenance Shop from FORM for 2h', 'from'],
    ['Dates and times of day', '/hc maintenance Shop --from FORM --for 2h', 'from'],
    ['Dates and times of day', '/hc maintenance FORM for 2h Shop', 'from'],
    ['Dates and times of day', '/hc grant @bob operator until FORM', 'until'],
    ['Durations', '/hc mute Shop FORM', 'for'],
    ['Durations', '/hc mute Shop for FORM', 'for'],
    ['Durations', '/hc maintenance Shop tomorrow 22:00 FORM', 'for'],
    ['Durations', '/hc maintenance Shop --from "tomorrow 22:00" --for FORM', 'for'],
    ['Durations', '/hc maintenance tomorrow 22:00 FORM Shop', 'for'],
    ['Durations', '/hc grant @bob operator for FORM', 'for'],
    ['From one time to another', '/hc maintenance Shop FORM', 'span'],
    ['From one time to another', '/hc maintenance FORM Shop', 'span'],
    ['Periods in the past', '/hc history Shop FORM', 'period'],
    ['Periods in the past', '/hc history FORM Shop', 'period'],
    ['Periods in the past', '/hc audit FORM', 'period'],
    ['Periods in the past', '/hc audit --from FORM', 'from'],
    ['Periods in the past', '/hc audit --to FORM', 'to'],
    ['Periods in the past', '/cert-order list requested FORM', 'period'],
  ])('of “%s” is read without quotes in %s', async (heading, line, name) => {
    // With a verb that starts now, `in 2 hours` can mean for how long.
    const startsNow = /^\/hc (?:mute|grant)/.test(line)
    const forms = listForms(heading).filter((form) => !startsNow || !form.startsWith('in '))
    expect(forms.length).toBeGreaterThan(4)
    for (const form of forms) {
      const { values, message } = await read(line.replace('FORM', form))
      expect({ form, message, value: values[name] }).toEqual({ form, message: '', value: form })
      const others = JSON.stringify({ ...values, [name]: '' })
      if (line.includes('Shop')) expect(others, form).toContain('"check":"Shop"')
    }
  })

  it.each(['/hc mute Shop in 2 hours', '/hc grant @bob operator in 2 hours'])(
    'is asked about: %s',
    async (line) => {
      expect((await read(line)).message).toContain('“in 2 hours” can mean for how long or when to start.')
    },
  )

  it.each([
    ['/hc mute Shop until 22:00 CET'],
    ['/hc mute Shop until 5pm PT'],
    ['/hc maintenance Shop 22:00-23:00 CET'],
    ['/hc history Shop from 9:00 to 9:30 EST'],
  ])('needs a full time zone: %s', async (line) => {
    expect((await read(line)).message).toContain('isn’t a time zone that Signalman knows.')
  })

  it.each([
    ['/hc maintenance Shop 22:00-23:00 UTC', 'span', '22:00-23:00 UTC'],
    ['/hc history Shop day before yesterday', 'period', 'day before yesterday'],
    ['/hc history Shop overnight', 'period', 'overnight'],
    ['/hc audit Mon-Wed', 'period', 'Mon-Wed'],
    ['/hc mute Shop until tomorrow afternoon', 'until', 'tomorrow afternoon'],
  ])('and those of the same kind: %s', async (line, name, value) => {
    expect((await read(line)).values[name]).toBe(value)
  })
})

describe('a duration after a start', () => {
  it.each([
    [
      '/hc maintenance tomorrow 22:00 2h Shop checkout',
      { from: 'tomorrow 22:00', for: '2h', check: 'Shop checkout' },
    ],
    ['/hc maintenance every Sunday 2:00 2h Shop', { weekly: 'Sunday 2:00', for: '2h', check: 'Shop' }],
  ])('is read: %s', async (line, values) => {
    expect((await read(line)).values).toEqual(values)
  })

  it.each([
    [
      '/hc maintenance tomorrow 22:00 24h support 2h',
      { from: 'tomorrow 22:00', for: '2h', check: '24h support' },
    ],
    ['/hc mute until tomorrow 22:00 24h support', { until: 'tomorrow 22:00', check: '24h support' }],
  ])('is part of a name if the line has an end: %s', async (line, values) => {
    expect((await read(line)).values).toEqual(values)
  })
})

it('reads a time of several words after a flag', async () => {
  const { values } = await read('/hc audit --from Monday 9:00 --to Tuesday 18:00')
  expect(values).toEqual({ from: 'Monday 9:00', to: 'Tuesday 18:00' })
  expect((await read('/hc audit --from 5:30 pm Shop')).values).toEqual({ from: '5:30 pm', object: 'Shop' })
})

it.each(['upgrade overnight', 'of the move', 'upgrade before release'])(
  'reads a time before a reason: %s',
  async (because) => {
    const { values } = await read(`/hc maintenance Shop 22:00 for 2h because ${because}`)
    expect(values).toEqual({ check: 'Shop', from: '22:00', for: '2h', because })
  },
)

it('says that only one command can be typed', async () => {
  expect((await read('/hc audit all logs')).message).toContain('takes one word, not “all” and “logs”.')
  expect((await read('/hc audit mute unmute')).message).toContain(
    'takes one command, not “mute” and “unmute”.',
  )
})

it('asks about a date in the time zone of the person who typed it', async () => {
  vi.useRealTimers()
  await using world = await startWorld()
  // One is a day behind UTC in the first hours of its day, and the other is a day ahead in the last ones.
  const isEarly = new Date().getUTCHours() < 11
  const timeZone = isEarly ? 'Pacific/Pago_Pago' : 'Pacific/Kiritimati'
  const today = toZoned(new Date(), timeZone).toPlainDate()
  await world.slack.load({ people: [{ name: 'lee', realName: 'Lee', tz: timeZone }] })
  const { people } = await world.slack.member.state()
  const lee = world.slack.user(people.find(({ name }) => name === 'lee')?.id ?? '')
  await lee.join('operations')
  const verb = isEarly
    ? `mute Shop until ${today.day}/${today.month} 23:59`
    : `history Shop ${today.day}/${today.month} 0:00`
  const { message } = await lee.command('/hc', verb, { channel: 'operations' })
  expect(JSON.stringify(message)).toContain(` ${today}`)
})

describe('a word for all of a list', () => {
  it.each(['/cert-order list', '/hc audit'])('filters nothing: %s everything', async (line) => {
    for (const word of ['all', 'everything', '*']) {
      const { values, message } = await read(`${line} ${word}`)
      expect(message).toBe('')
      expect(Object.keys(values).filter((name) => name !== 'noun')).toEqual([])
    }
  })

  it('can be a name in quotes', async () => {
    expect((await read('/cert-order list "everything"')).values).toEqual({ name: 'everything' })
  })
})
