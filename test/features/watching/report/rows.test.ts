import { describe, expect, it } from 'vitest'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { createModel, type Model } from '../model/model.ts'

const PLACE = { workspaceId: 'T1', channelId: 'C1', environment: 'production' } as const
const ALL = { from: new Date(0), to: new Date(Date.UTC(2030, 0, 1)) }

const mutedIn = ({ store }: Model, span = ALL) => store.watching.reports.muted(PLACE, span)
const minutes = (from: Date, to: Date | undefined): number =>
  Math.round(((to?.getTime() ?? 0) - from.getTime()) / 60_000)

describe.each(SHARED_DATABASES)('what a report is made of, on $name', ({ start }) => {
  it('has mutes that are over, by their time or by somebody, and what was told once more', async () => {
    await using database = await start()
    await using model = await createModel(database)
    await model.watch(0, 0, 1, { reminderHours: 1 })
    await model.minute()
    model.set(0, 'UNHEALTHY')
    await model.quietly(2)
    await model.mute(0, 9)
    model.set(1, 'UNHEALTHY')
    const [going] = await mutedIn(model)
    expect(going).toMatchObject({ about: { kind: 'all' } })
    await model.quietly(17)
    await model.jump(45)
    await model.quietly(3)
    const [over, ...none] = await mutedIn(model)
    expect(none).toEqual([])
    expect(over?.about).toEqual({ kind: 'all' })
    expect(minutes(over?.from ?? new Date(0), over?.to)).toBe(15)
    const retold = await model.store.watching.reports.retold(PLACE, ALL)
    expect(retold.map(({ card }) => card.reason)).toEqual(['mute-ended', 'reminder'])
    await model.mute(0, 0)
    await model.quietly(3)
    // Another about the same takes its place, and somebody ends that.
    await model.mute(0, 0)
    await model.quietly(4)
    await model.unmute()
    await model.quietly(2)
    const lasted = (await mutedIn(model)).slice(1).map(({ from, to }) => minutes(from, to))
    expect(lasted).toEqual([3, 4])
    expect(await mutedIn(model, { from: new Date(0), to: over?.from ?? new Date(0) })).toEqual([])
    expect(model.faults).toEqual([])
  })
})
