import { expect, it } from 'vitest'
import { findLostPost } from '../../../src/bot/posts/find-lost-post.ts'

/** Searches for a post that was sent `ageMs` ago. `find` is the search in Slack. */
const findAtAge = (ageMs: number, find: () => Promise<string | undefined>) =>
  findLostPost(find, ageMs, { onSearchFailed: () => undefined })

const findNothing = async () => undefined
const failWith = (code: string) => () => Promise.reject(new Error(`An API error occurred: ${code}`))

it('treats the message as not posted if it isn’t found after 15 seconds', async () => {
  expect(await findAtAge(5000, findNothing)).toEqual({ recheckMs: 10_000, mayStillArrive: true })
  expect(await findAtAge(15_000, findNothing)).toBe('not-posted')
})

it('backs off while the search fails, and gives up after five minutes', async () => {
  const pauses: number[] = []
  for (let ageMs = 0; ; ) {
    const result = await findAtAge(ageMs, failWith('account_inactive'))
    if (result === 'not-posted') break
    expect(result).toMatchObject({ mayStillArrive: false })
    if (!('recheckMs' in result)) throw new Error('The post was found.')
    pauses.push(result.recheckMs)
    ageMs += result.recheckMs
  }
  expect(pauses.slice(0, 6)).toEqual([5000, 5000, 5000, 5000, 5000, 6250])
  expect(Math.max(...pauses)).toBeLessThanOrEqual(60_000)
  expect(pauses.length).toBeLessThan(20)
})
