import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SHARED_DATABASES, type TestDatabase } from '../databases/databases.ts'
import { eitherOf } from '../long.ts'
import { DECISION_CHANGES } from './decisions.ts'
import { createScene, type Scene, UNCHANGED } from './scene.ts'

describe.each(eitherOf(SHARED_DATABASES))('changes to the database without a key, on $name', ({ start }) => {
  let database: TestDatabase
  let scene: Scene
  beforeAll(async () => {
    database = await start()
    scene = await createScene(database)
  })
  beforeEach(() => scene.restore())
  afterAll(async () => {
    await scene?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  it('aren’t reported if there are none', async () => {
    const { state, reports } = await scene.inspect()
    expect(state).toEqual(UNCHANGED)
    expect(reports.at(-1)).toBe('The audit log is intact.')
  })

  it.each(DECISION_CHANGES)(
    'are reported, and grant nothing: someone $name',
    async ({ apply, effects, reports }) => {
      await apply(scene)
      const found = await scene.inspect()
      expect(found.state).toEqual({ ...UNCHANGED, ...effects })
      for (const report of reports) expect(found.reports).toContainEqual(expect.stringMatching(report))
    },
  )
})
