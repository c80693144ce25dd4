import { expect, it } from 'vitest'
import { postFate } from '../../../src/bot/posts/post-fate.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')

/** What is known of a post of this age, where Slack says this of it. */
const fateAtAge = (ageMs: number, find: () => Promise<string | undefined>) =>
  postFate(find, { attemptedAt: new Date(NOW.getTime() - ageMs), now: NOW }, { onBlind: () => undefined })

const notThere = async () => undefined
const refusing = (code: string) => () => Promise.reject(new Error(`An API error occurred: ${code}`))

it('is too early to tell for 15 s, and then was not posted', async () => {
  expect(await fateAtAge(5000, notThere)).toEqual({ unsureMs: 10_000, isTooEarly: true })
  expect(await fateAtAge(15_000, notThere)).toBe('not-posted')
})

it('is asked less and less often where Slack cannot say, for five minutes at most', async () => {
  const pauses: number[] = []
  for (let ageMs = 0; ; ) {
    const fate = await fateAtAge(ageMs, refusing('account_inactive'))
    if (fate === 'not-posted') break
    expect(fate).toMatchObject({ isTooEarly: false })
    if (!('unsureMs' in fate)) throw new Error('It was found.')
    pauses.push(fate.unsureMs)
    ageMs += fate.unsureMs
  }
  expect(pauses.slice(0, 6)).toEqual([5000, 5000, 5000, 5000, 5000, 6250])
  expect(Math.max(...pauses)).toBeLessThanOrEqual(60_000)
  expect(pauses.length).toBeLessThan(20)
})
