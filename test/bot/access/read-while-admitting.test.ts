import { describe, expect, it } from 'vitest'
import { readWhileAdmitting } from '../../../src/bot/access/access.ts'
import type { Actor } from '../../../src/bot/access/actor.ts'

const ANN: Actor = {
  userId: 'U1',
  standing: 'member',
  isFromThisWorkspace: true,
  isSlackAdmin: false,
  canView: true,
}
const refusal = new Error('Not you.')

describe('a read that starts while Slack identifies the person', () => {
  it('returns its result once the person is admitted', async () => {
    const admission = Promise.withResolvers<Actor>()
    const log: string[] = []
    const reading = readWhileAdmitting(admission.promise, async (admission) => {
      log.push('reads')
      return `for ${(await admission).userId}`
    })
    log.push('admitted')
    admission.resolve(ANN)
    expect(await reading).toBe('for U1')
    expect(log).toEqual(['reads', 'admitted'])
  })

  it('doesn’t return before the person is admitted', async () => {
    const admission = Promise.withResolvers<Actor>()
    let isReturned = false
    const reading = readWhileAdmitting(admission.promise, async () => 'ready').then((value) => {
      isReturned = true
      return value
    })
    await Promise.resolve()
    expect(isReturned).toBe(false)
    admission.resolve(ANN)
    expect(await reading).toBe('ready')
  })

  it.each(['succeeds', 'fails'])(
    'is aborted if the person is refused, and the refusal is thrown even if the read %s',
    async (result) => {
      const admission = Promise.withResolvers<Actor>()
      const signals: AbortSignal[] = []
      const reading = readWhileAdmitting(admission.promise, async (_, { signal }) => {
        signals.push(signal)
        if (result === 'fails') throw new Error('The service is down.')
        return 'a secret'
      })
      admission.reject(refusal)
      await expect(reading).rejects.toBe(refusal)
      expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    },
  )

  it('fails with its own error once the person is admitted', async () => {
    const reading = readWhileAdmitting(Promise.resolve(ANN), () => Promise.reject(new Error('No.')))
    await expect(reading).rejects.toThrow('No.')
  })
})
