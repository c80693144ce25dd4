import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { startWorld, type World } from '../app.ts'

interface PostResult {
  status: number
  body: { ok: boolean; error?: string; message?: string }
}

/** Posts with the given headers, including those that fetch doesn't allow, such as `host`. */
function post(
  { playground }: World,
  path: string,
  body: unknown,
  headers: Record<string, string> = { 'x-playground': '1' },
) {
  return new Promise<PostResult>((resolve, reject) => {
    const call = request(`${playground.url}/_playground/${path}`, { method: 'POST', headers }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += String(chunk)
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }))
    })
    call.on('error', reject)
    call.end(JSON.stringify(body))
  })
}

it.each([
  {
    sender: 'a host name rebound to loopback',
    headers: { host: 'evil.example', 'x-playground': '1' },
    error: 'bad_host',
  },
  {
    sender: 'another site',
    headers: { origin: 'https://evil.example', 'x-playground': '1' },
    error: 'bad_origin',
  },
  { sender: 'an HTML form', headers: { 'content-type': 'text/plain' }, error: 'header_missing' },
])('access protection of the control API rejects requests from $sender', async ({ headers, error }) => {
  await using world = await startWorld()
  for (const path of ['reset', '../%5Fplayground/reset'])
    expect(await post(world, path, {}, headers)).toMatchObject({ status: 403, body: { error } })
  expect(world.sent).toEqual([])
})

describe('the journal', () => {
  it('keeps no secrets', async () => {
    await using world = await startWorld(() => ({ text: 'ok' }))
    await world.slack.member.command('/hc')
    await world.api('auth.test')
    const deliveries = await world.slack.deliveries()
    expect(deliveries.map(({ kind }) => kind)).toEqual(['command', 'auth.test'])
    expect(JSON.stringify(deliveries)).not.toContain('xoxb-playground')
  })

  it('masks values of fields whose names suggest a secret', async () => {
    await using world = await startWorld()
    await world.slack.member.command('/hc', '', { until: () => true })
    const block = {
      type: 'input',
      block_id: 'b',
      label: { type: 'plain_text', text: 'Token' },
      element: { type: 'plain_text_input', action_id: 'api-token' },
    }
    const title = { type: 'plain_text', text: 'Connect' }
    const view = { type: 'modal', title, submit: title, blocks: [block] }
    await world.api('views.open', { trigger_id: world.sent[0]?.body.trigger_id, view })
    await world.slack.member.submit({ Token: 'very-secret-value' })
    expect(world.sent.at(-1)?.raw).toContain('very-secret-value')
    expect(JSON.stringify(await world.slack.deliveries())).not.toContain('very-secret-value')
  })
})
