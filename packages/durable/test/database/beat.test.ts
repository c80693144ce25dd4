import { describe, expect, it } from 'vitest'
import { createBeat } from '../../src/database/postgres-changes.ts'

/** A beat whose other side answers when the test says so, by a stopwatch that the test moves. */
function asked() {
  const world = { now: 0 }
  const answers: PromiseWithResolvers<void>[] = []
  const beat = createBeat(
    () => {
      const answer = Promise.withResolvers<void>()
      answers.push(answer)
      return answer.promise
    },
    () => world.now,
  )
  return { world, beat, answers }
}

describe('a beat', () => {
  it('stands for 50 ms from when it was sent, and for all who wait for it', async () => {
    const { world, beat, answers } = asked()
    const waiting = [beat.isHeard(), beat.isHeard()]
    expect(answers).toHaveLength(1)
    world.now = 30
    answers[0]?.resolve()
    expect(await Promise.all(waiting)).toEqual([true, true])
    world.now = 49
    expect([await beat.isHeard(), answers.length]).toEqual([true, 1])
    world.now = 50
    const next = beat.isHeard()
    expect(answers).toHaveLength(2)
    answers[1]?.resolve()
    expect(await next).toBe(true)
  })

  it('proves nothing once it is late, and nobody waits for it then; back, it is trusted again', async () => {
    const { world, beat, answers } = asked()
    const waiting = beat.isHeard()
    expect([await waiting, await beat.isHeard(), answers.length]).toEqual([false, false, 1])
    world.now = 400
    answers[0]?.resolve()
    await new Promise(setImmediate)
    const next = beat.isHeard()
    expect(answers).toHaveLength(2)
    answers[1]?.resolve()
    expect(await next).toBe(true)
  })

  it('says when it will not be answered any more', async () => {
    const { beat, answers } = asked()
    const waiting = beat.isHeard()
    answers[0]?.reject(new Error('The connection is gone.'))
    await beat.broken
    expect(await waiting).toBe(false)
  })
})
