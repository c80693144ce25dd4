import { UserError } from '@signalman/runtime'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createResolveLine, splitCommand } from '../../../src/bot/routes/resolve-line.ts'
import type { RouteTable } from '../../../src/bot/routes/routes.ts'
import { toZoned } from '../../../src/domain/dates/zoned.ts'
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
