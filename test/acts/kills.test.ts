import { expect, it } from 'vitest'
import { seeded, seedOf } from '../random.ts'
import { SHARED_DATABASES } from '../store/databases.ts'
import { actOnce, usualTimes } from './act-once.ts'
import { ACT_KINDS } from './kinds.ts'
import { startStage, WORKSPACE } from './stage.ts'
import { killOf } from './trouble.ts'

/** SIGKILLs in all; `KILLS=300` for the whole of it. */
const KILLS = Number(process.env.KILLS ?? 36)
const SEED = seedOf()

it.each(SHARED_DATABASES)(
  `loses no act and does none twice, killed at random moments, on $name`,
  {
    timeout: 120_000 + KILLS * 20_000,
  },
  async ({ name, start }) => {
    const kills = Math.ceil(name === 'PostgreSQL' ? KILLS / 4 : (KILLS * 3) / 4)
    process.stdout.write(`${kills} kills on ${name}, SEED=${SEED}\n`)
    const random = seeded(SEED)
    await using database = await start()
    await using stage = await startStage(database)
    await stage.start()
    const times = await usualTimes(stage, ACT_KINDS)
    const figures = new Map<string, number>()
    const faults: string[] = []
    for (let kill = 0; kill < kills; kill += 1) {
      const kind =
        ACT_KINDS[(kill + (name === 'PostgreSQL' ? 5 : 0)) % ACT_KINDS.length] ?? random.oneOf(ACT_KINDS)
      const usual = times.get(kind)
      if (!usual) throw new Error(`${kind.name} was never timed.`)
      while (stage.urls.length < 2) await stage.start()
      const went = await actOnce(stage, kind, `kill-${kill}`, killOf(random, usual))
      faults.push(...went.faults)
      for (const fault of went.faults) process.stdout.write(`${fault}\n`)
      figures.set(went.outcome, (figures.get(went.outcome) ?? 0) + 1)
    }
    for (const [kind, { acknowledgedMs, tookMs }] of times)
      process.stdout.write(`${kind.name}: ${Math.round(acknowledgedMs)} ms, ${Math.round(tookMs)} ms\n`)
    process.stdout.write(`${JSON.stringify(Object.fromEntries(figures))}\n`)
    expect(faults).toEqual([])
    expect(await stage.store.audit.verify(WORKSPACE)).toMatchObject({ faults: [] })
  },
)
