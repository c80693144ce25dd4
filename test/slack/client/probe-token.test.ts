import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { probeToken } from '../../../packages/slack/src/index.ts'

/** A Slack that answers every call with this. */
async function startSlack(answer: object) {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return { url: `http://127.0.0.1:${port}/api/`, [Symbol.dispose]: () => void server.close() }
}

it.each([
  ['ended', 'account_inactive'],
  ['ended', 'token_revoked'],
  ['unknown', 'invalid_auth'],
  ['unknown', 'token_expired'],
  ['unknown', 'not_authed'],
  ['unknown', 'access_denied'],
  ['unknown', 'team_added_to_org'],
  ['unknown', 'org_login_required'],
  ['unknown', 'missing_scope'],
  ['unknown', 'ekm_access_denied'],
  ['unknown', 'some_new_code'],
])('finds an installation %s if Slack answers %s', async (state, error) => {
  using slack = await startSlack({ ok: false, error })
  expect((await probeToken('xoxb-1', slack.url)).state).toBe(state)
})

it('finds an installation alive if Slack answers anything that isn’t an error', async () => {
  using slack = await startSlack({ ok: true })
  expect((await probeToken('xoxb-1', slack.url)).state).toBe('alive')
})
