import { expect, it } from 'vitest'
import { probeToken } from '../../../packages/slack/src/index.ts'
import { startFakeSlack } from '../fake-slack.ts'

it.each([
  ['ended', { ok: false, error: 'account_inactive' }],
  ['unknown', { ok: false, error: 'invalid_auth' }],
  ['alive', { ok: true }],
])('finds an installation %s if Slack answers %j', async (state, answer) => {
  await using slack = await startFakeSlack(() => answer)
  expect((await probeToken('xoxb-1', slack.url)).state).toBe(state)
})
