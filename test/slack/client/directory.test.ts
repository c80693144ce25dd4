import { expect, it } from 'vitest'
import { createSlackClient } from '../../../packages/slack/src/client/slack-client.ts'
import { findPerson } from '../../../src/bot/access/actor.ts'
import { startFakeSlack } from '../fake-slack.ts'

/** Slack's rate limit for `users.list`. */
const CALLS_PER_MINUTE = 20

/** Starts a Slack with a rate limit and a workspace of this many people. Every thousandth person is an admin. */
async function startWorkspace(people: number) {
  let calls = 0
  const server = await startFakeSlack((_, query, response) => {
    const [from, limit] = [Number(query.get('cursor') ?? 0), Number(query.get('limit'))]
    calls += 1
    if (calls > CALLS_PER_MINUTE) return void response.writeHead(429, { 'retry-after': '30' }).end()
    const members = Array.from({ length: Math.min(limit, people - from) }, (_, index) => ({
      id: `U${from + index}`,
      name: `person-${from + index}`,
      is_admin: (from + index) % 1000 === 999,
    }))
    const next_cursor = from + limit < people ? String(from + limit) : ''
    return { ok: true, members, response_metadata: { next_cursor } }
  })
  return { ...server, slack: createSlackClient('xoxb-1', server.url) }
}

it('finds the last of 15,000 people', async () => {
  await using workspace = await startWorkspace(15_000)
  expect(await findPerson(workspace.slack, '@person-14999')).toBe('U14999')
})

it('finds the admins of 15,000 people', async () => {
  await using workspace = await startWorkspace(15_000)
  expect(await workspace.slack.admins(20)).toHaveLength(15)
})

it('reports too many people to search, instead of no match, if it can’t search everyone', async () => {
  await using workspace = await startWorkspace(25_000)
  const searching = findPerson(workspace.slack, '@person-24999')
  await expect(searching).rejects.toThrow('too many people to search')
})

it('returns only the admins on the first 20 pages of a larger workspace', async () => {
  await using workspace = await startWorkspace(25_000)
  expect(await workspace.slack.admins(30)).toHaveLength(19)
})
