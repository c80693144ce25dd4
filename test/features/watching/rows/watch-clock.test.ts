import { describe, expect, it } from 'vitest'
import { readWatchClock } from '../../../../src/features/watching/rules/watch-clock.ts'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { eitherOf } from '../../../long.ts'
import { createModel, type Model } from '../model/model.ts'

const MINUTE_MS = 60_000
const atMinute = (minute: number): Date => new Date(Date.UTC(2026, 2, 1, 12, minute))
const CLOCK = { clockMs: 0, savedAt: atMinute(0), lastOkAt: atMinute(0), intervalMs: MINUTE_MS }

describe('the watch clock', () => {
  it.each([
    { name: 'advances between two polls', ...{ clock: CLOCK, now: atMinute(1), minutes: 1 } },
    { name: 'stops after seven minutes without a poll', ...{ clock: CLOCK, now: atMinute(60), minutes: 7 } },
    { name: 'never runs backward', ...{ clock: CLOCK, now: atMinute(-120), minutes: 0 } },
    {
      name: 'stops after two intervals without a poll if the interval is long',
      ...{ clock: { ...CLOCK, intervalMs: 10 * MINUTE_MS }, now: atMinute(60), minutes: 20 },
    },
    {
      name: 'continues from the last saved value',
      ...{ clock: { ...CLOCK, clockMs: 4 * MINUTE_MS, savedAt: atMinute(4) }, now: atMinute(5), minutes: 5 },
    },
    {
      name: 'stays at the last saved value when the clock is set back while polls fail',
      ...{
        clock: { ...CLOCK, clockMs: 4 * MINUTE_MS, savedAt: atMinute(4) },
        now: atMinute(-120),
        minutes: 4,
      },
    },
    {
      name: 'stops after seven minutes without a poll, even if it was saved meanwhile',
      ...{ clock: { ...CLOCK, clockMs: 6 * MINUTE_MS, savedAt: atMinute(6) }, now: atMinute(60), minutes: 7 },
    },
    {
      name: 'stops at the first failed poll',
      ...{ clock: { ...CLOCK, failingSince: atMinute(3) }, now: atMinute(6), minutes: 3 },
    },
    {
      name: 'counts nothing twice that was saved while polls fail',
      ...{
        clock: { ...CLOCK, clockMs: 3 * MINUTE_MS, savedAt: atMinute(5), failingSince: atMinute(3) },
        now: atMinute(6),
        minutes: 3,
      },
    },
    {
      name: 'doesn’t start before the first poll',
      ...{ clock: { clockMs: 0, intervalMs: MINUTE_MS }, now: atMinute(60), minutes: 0 },
    },
  ])('$name', ({ clock: storedClock, now, minutes }) => {
    expect(readWatchClock(storedClock, now)).toBe(minutes * MINUTE_MS)
  })
})

describe.each(eitherOf(SHARED_DATABASES))('the watch clock on $name', ({ start }) => {
  const readWatchTime = async ({ store, now }: Model): Promise<number> => {
    const { scopes } = await store.watching.polls.readScopes([
      { workspaceId: 'T1', environment: 'production' },
    ])
    const [scope] = scopes.values()
    return scope ? readWatchClock(scope.clock, now()) : 0
  }

  it('never goes back to before a decision, even if the clock is set back while polls fail', async () => {
    await using database = await start()
    await using model = await createModel({ url: database.url, keys: database.keys })
    await model.watch(0, 0, 1)
    await model.passMinute()
    model.setStatus(0, 'UNHEALTHY')
    await model.passWithoutFaults(2)
    model.setServiceFailure('unavailable')
    await model.passMinutes(4)
    await model.press('take')
    const before = await readWatchTime(model)
    await model.jumpClock(-120)
    expect(await readWatchTime(model)).toBe(before)
    model.setServiceFailure(false)
    for (let minute = 0; minute < 3; minute += 1) {
      const last = await readWatchTime(model)
      await model.passMinute()
      expect(await readWatchTime(model)).toBeGreaterThanOrEqual(last)
    }
    expect(await readWatchTime(model)).toBeGreaterThan(before)
  })

  it('pages nobody about a check that polls no longer see', async () => {
    await using database = await start()
    await using model = await createModel({ url: database.url, keys: database.keys })
    await model.watch(0, 0, 1, { pages: true })
    await model.passMinute()
    model.setStatus(0, 'UNHEALTHY')
    await model.passWithoutFaults(3)
    model.setServiceFailure('unavailable')
    // Long enough for the first step, and not long enough to be an incident.
    await model.passMinutes(4)
    expect(model.channels.pagedPeople).toEqual([])
    await model.passWithoutFaults(4)
    expect(model.channels.pagedPeople).toEqual(['S1'])
  })
})
