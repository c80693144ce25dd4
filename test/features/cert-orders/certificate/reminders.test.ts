import { describe, expect, it } from 'vitest'
import {
  findDueReminder,
  findNextReminder,
  listReminderDays,
  type Reminded,
  replaces,
} from '../../../../src/features/cert-orders/rules/certificate/reminders.ts'
import { quickOrLong } from '../../../long.ts'
import { createRandom, readSeed } from '../../../random.ts'

const DAY_MS = 86_400_000

describe('the reminders before a certificate ends', () => {
  it.each([
    [398, [30, 10, 3, 0]],
    [200, [30, 10, 3, 0]],
    [100, [30, 10, 3, 0]],
    [47, [15, 5, 2, 0]],
    [10, [3, 1, 0]],
    [3, [1, 0]],
    [2, [0]],
    [1, [0]],
  ])('of %i days are due on days %j', (lifetime, days) => {
    expect(listReminderDays(lifetime)).toEqual(days)
  })

  it('are due from their exact time on', () => {
    const certificate = { notBefore: new Date(0), notAfter: new Date(90 * DAY_MS) }
    const due = 60 * DAY_MS
    expect(findNextReminder(certificate)).toEqual(new Date(due))
    expect(findDueReminder(certificate, new Date(due - 1))).toBeUndefined()
    expect(findDueReminder(certificate, new Date(due))).toEqual({ days: 30, isFirst: true })
  })

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: plays whole lives of certificates
  it('are each sent once, whatever the pauses and clocks, and not after it was replaced', () => {
    const random = createRandom(readSeed())
    const message = `SEED=${readSeed()}`
    for (let life = quickOrLong('LIVES', { quick: 1000, long: 20_000 }); life > 0; life -= 1) {
      const days = 1 + random.below(400)
      const start = Date.UTC(2026, 10, 25)
      const certificate: Reminded = {
        notBefore: new Date(start),
        notAfter: new Date(start + days * DAY_MS - 1000),
      }
      const endsAt =
        random.below(4) === 0 ? start + random.below(days * 86_400) * 1000 : Number.POSITIVE_INFINITY
      const sent: number[] = []
      let longestPause = 0
      let now = start + random.below(days) * DAY_MS
      while (now < certificate.notAfter.getTime() + 5 * DAY_MS) {
        const pause = random.below(20) === 0 ? random.below(20 * DAY_MS) : random.below(DAY_MS)
        now += pause
        longestPause = Math.max(longestPause, pause)
        if (now >= endsAt) certificate.ended = 'replaced'
        const due = findDueReminder(certificate, new Date(now))
        if (due) {
          expect(certificate.ended, message).toBeUndefined()
          expect(sent, message).not.toContain(due.days)
          expect(due.isFirst).toBe(due.days > 0 && due.days === listReminderDays(days)[0])
          sent.push(due.days)
          certificate.reminded = due.days
        }
        // The clock is set back.
        if (random.below(30) === 0) now -= random.below(3_600_000)
      }
      expect(sent, message).toEqual(sent.toSorted((left, right) => right - left))
      if (certificate.ended) expect(findNextReminder(certificate)).toBeUndefined()
      else if (longestPause < 4 * DAY_MS) expect(sent.at(-1), message).toBe(0)
    }
  })

  it('aren’t sent for one that ended more than a week ago', () => {
    const notAfter = new Date('2026-11-01T00:00:00Z')
    const certificate = { notBefore: new Date('2026-08-01T00:00:00Z'), notAfter }
    expect(findDueReminder(certificate, new Date('2026-11-08T01:00:00Z'))).toBeUndefined()
    expect(findDueReminder(certificate, new Date('2026-11-07T23:00:00Z'))).toEqual({
      days: 0,
      isFirst: false,
    })
  })
})

it('replaces a certificate only with one that ends later and has all of its names', () => {
  const at = (day: string, names: string[]) => ({ notAfter: new Date(day), names })
  const old = at('2026-12-20', ['a', 'b'])
  expect(replaces(at('2027-06-01', ['a', 'b', 'c']), old)).toBe(true)
  expect(replaces(at('2027-06-01', ['a']), old)).toBe(false)
  expect(replaces(at('2026-11-01', ['a', 'b']), old)).toBe(false)
  expect(replaces(at('2026-12-20', ['a', 'b']), old)).toBe(false)
  expect(replaces(at('2027-06-01', []), at('2026-12-20', []))).toBe(false)
})

it('replaces a certificate with one that was ordered for it and ends at the same time, but not earlier', () => {
  const at = (day: string, names: string[]) => ({ notAfter: new Date(day), names })
  const old = at('2026-12-20', ['a', 'b'])
  expect(replaces(at('2026-12-20', ['a', 'b']), old, true)).toBe(true)
  expect(replaces(at('2026-12-19', ['a', 'b']), old, true)).toBe(false)
  expect(replaces(at('2026-12-20', ['a']), old, true)).toBe(false)
})
