import { expect, it } from 'vitest'
import { findLostPost } from '../../../src/bot/posts/find-lost-post.ts'

/** The result for a post of this age if Slack returns this. */
const findAtAge = (ageMs: number, find: () => Promise<string | undefined>) =>
  findLostPost(find, ageMs, { onSearchFailed: () => undefined })

const findNothing = async () => undefined
const failWith = (code: string) => () => Promise.reject(new Error(`An API error occurred: ${code}`))

it('treats the message as not posted once it hasn’t been found for 15 s', async () => {
  expect(await findAtAge(5000, findNothing)).toEqual({ recheckMs: 10_000, mayStillArrive: true })
  expect(await findAtAge(15_000, findNothing)).toBe('not-posted')
})

it('backs off while the search fails, and gives up after five minutes', async () => {
  const pauses: number[] = []
  for (let ageMs = 0; ; ) {
    const lost = await findAtAge(ageMs, failWith('account_inactive'))
    if (lost === 'not-posted') break
    expect(lost).toMatchObject({ mayStillArrive: false })
    if (!('recheckMs' in lost)) throw new Error('It was found.')
    pauses.push(lost.recheckMs)
    ageMs += lost.recheckMs
  }
  expect(pauses.slice(0, 6)).toEqual([5000, 5000, 5000, 5000, 5000, 6250])
  expect(Math.max(...pauses)).toBeLessThanOrEqual(60_000)
  expect(pauses.length).toBeLessThan(20)
})
