import { describe, expect, it } from 'vitest'
import { besideAdmission } from '../../../src/bot/access/access.ts'
import type { Actor } from '../../../src/bot/access/actor.ts'

const ANN: Actor = {
  userId: 'U1',
  standing: 'member',
  isOfWorkspace: true,
  isSlackAdmin: false,
  mayLook: true,
}
const refusal = new Error('Not you.')

describe('reading while the person is being looked up', () => {
  it('starts before they are identified, and returns the result once they are admitted', async () => {
    const admission = Promise.withResolvers<Actor>()
    const log: string[] = []
    const reading = besideAdmission(admission.promise, async (admission) => {
      log.push('reads')
      return `for ${(await admission).userId}`
    })
    log.push('let in')
    admission.resolve(ANN)
    expect(await reading).toBe('for U1')
    expect(log).toEqual(['reads', 'let in'])
  })

  it('waits for their admission if the read finishes first', async () => {
    const admission = Promise.withResolvers<Actor>()
    let isGiven = false
    const reading = besideAdmission(admission.promise, async () => 'ready').then((words) => {
      isGiven = true
      return words
    })
    await Promise.resolve()
    expect(isGiven).toBe(false)
    admission.resolve(ANN)
    expect(await reading).toBe('ready')
  })

  it.each(['comes', 'fails'])(
    'is aborted for someone who is refused, and reports the refusal if the read %s',
    async (how) => {
      const admission = Promise.withResolvers<Actor>()
      const seen: AbortSignal[] = []
      const reading = besideAdmission(admission.promise, async (_, { signal }) => {
        seen.push(signal)
        if (how === 'fails') throw new Error('The service is down.')
        return 'a secret'
      })
      admission.reject(refusal)
      await expect(reading).rejects.toBe(refusal)
      expect(seen.map(({ aborted }) => aborted)).toEqual([true])
    },
  )

  it('fails with the error of the read once they are admitted', async () => {
    const reading = besideAdmission(Promise.resolve(ANN), () => Promise.reject(new Error('No.')))
    await expect(reading).rejects.toThrow('No.')
  })
})
