import { expect, it } from 'vitest'
import { seeded, seedOf } from '../random.ts'
import { SHARED_DATABASES } from '../store/databases.ts'
import { actOnce, usualTimes } from './act-once.ts'
import { ACT_KINDS } from './kinds.ts'
import { startStage, WORKSPACE } from './stage.ts'
import { killOf } from './trouble.ts'

/** SIGKILLs in all, each kind of act in turn, once by default; `KILLS=300` for the whole of it. */
const KILLS = Number(process.env.KILLS ?? ACT_KINDS.length)
const ON_SQLITE = Math.ceil((KILLS * 3) / 4)
const SEED = seedOf()

const kindAt = (kill: number) => ACT_KINDS.slice(kill % ACT_KINDS.length, (kill % ACT_KINDS.length) + 1)

it.each(SHARED_DATABASES)(
  `loses no act and does none twice, killed at random moments, on $name`,
  { timeout: 120_000 + KILLS * 20_000 },
  async ({ name, start }) => {
    const [from, until] = name === 'PostgreSQL' ? [ON_SQLITE, KILLS] : [0, ON_SQLITE]
    const kinds = Array.from({ length: until - from }, (_, nth) => kindAt(from + nth)).flat()
    process.stdout.write(`${kinds.length} kills on ${name}, SEED=${SEED}\n`)
    const random = seeded(SEED)
    await using database = await start()
    await using stage = await startStage(database)
    await stage.start()
    const times = await usualTimes(stage, [...new Set(kinds)])
    const figures = new Map<string, number>()
    const faults: string[] = []
    for (const [kill, kind] of kinds.entries()) {
      const usual = times.get(kind)
      if (!usual) throw new Error(`${kind.name} was never timed.`)
      while (stage.urls.length < 2) await stage.start()
      const went = await actOnce(stage, kind, `kill-${kill}`, killOf(random, usual))
      faults.push(...went.faults)
      for (const fault of went.faults) process.stdout.write(`${fault}\n`)
      figures.set(went.outcome, (figures.get(went.outcome) ?? 0) + 1)
    }
    process.stdout.write(`${JSON.stringify(Object.fromEntries(figures))}\n`)
    expect(faults).toEqual([])
    expect(await stage.store.audit.verify(WORKSPACE)).toMatchObject({ faults: [] })
  },
)
