import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { Delivery, PlaygroundEvent } from '../../src/protocol/protocol.ts'
import { startWorld, type World } from '../app.ts'

const GENERAL = 'C0GENERAL1'

describe('the control API', () => {
  it('can resend the same request to the app', async () => {
    await using world = await startWorld(() => ({ text: 'ok' }))
    const { outcome } = await world.slack.member.command('/hc', 'list')
    const statuses = await world.slack.redeliver(outcome.deliveryId ?? '', 20)
    expect(statuses).toEqual(Array.from({ length: 20 }, () => 200))
    const [first] = world.sent
    const signatureAndBody = ({ headers, raw }: (typeof world.sent)[number]) => [
      headers['x-slack-signature'],
      raw,
    ]
    for (const sent of world.sent) expect(signatureAndBody(sent)).toEqual(first && signatureAndBody(first))
    await expect(world.slack.redeliver('Q0NOPE')).rejects.toThrow('No request Q0NOPE')
    await expect(world.slack.redeliver(outcome.deliveryId ?? '', 201)).rejects.toThrow('from 1 to 200')
  })

  it('can make the Web API fail a given number of times', async () => {
    await using world = await startWorld()
    const post = () => world.api('chat.postMessage', { channel: GENERAL, text: 'x' })
    await world.slack.faults(
      { method: 'chat.postMessage', kind: 'error', error: 'fatal_error' },
      { method: 'chat.postMessage', kind: 'status', status: 429, error: 'ratelimited', retryAfter: 7 },
      { method: 'chat.postMessage', kind: 'delay', ms: 1 },
      { method: 'chat.postMessage', kind: 'drop-reply' },
    )
    expect(await post()).toMatchObject({ status: 200, error: 'fatal_error' })
    expect(await post()).toMatchObject({ status: 429, retryAfter: '7', error: 'ratelimited' })
    expect(await post()).toMatchObject({ ok: true })
    await expect(post()).rejects.toThrow()
    expect(await post()).toMatchObject({ ok: true })
    expect(await world.slack.member.messages()).toHaveLength(3)
    const verdicts = (await world.slack.deliveries('chat.postMessage')).map(({ verdict }) => verdict)
    expect(verdicts).toEqual(['fatal_error', 'status 429', 'ok', 'dropped', 'ok'])
  })

  it.each([
    ['faults', 'must be a list', {}],
    ['faults', '"kind" must be one of', [{ method: 'x', kind: 'explode' }]],
    ['command', '"channel" must be a string', { user: 'U0MEMBER01' }],
    ['command', 'no person "U0PLAYGBOT"', { user: 'U0PLAYGBOT', channel: GENERAL, command: '/hc', text: '' }],
    [
      'command',
      'isn\'t in a channel "nope"',
      { user: 'U0MEMBER01', channel: 'nope', command: '/hc', text: '' },
    ],
    ['message', 'needs text or a file', { user: 'U0MEMBER01', channel: GENERAL, text: ' ' }],
    ['action', '"surface" must be', { user: 'U0MEMBER01', surface: {} }],
    ['submit', '"values.a" must be', { user: 'U0MEMBER01', viewId: 'V0', values: { a: 1 } }],
    ['submit', 'no open modal V0', { user: 'U0MEMBER01', viewId: 'V0', values: {} }],
    ['close', 'must be a JSON object', 'x'],
  ])('explains why a request to %s is invalid: %s', async (path, message, body) => {
    await using world = await startWorld()
    const answer = await post(world, path, body)
    expect(answer).toMatchObject({ status: 400, body: { ok: false } })
    expect(answer.body.message).toContain(message)
  })
})

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

describe('access protection of the control API', () => {
  it.each([
    {
      sender: 'a host name rebound to loopback',
      headers: { host: 'evil.example', 'x-playground': '1' },
      error: 'bad_host',
    },
    {
      sender: 'a host name that starts like a loopback address',
      headers: { host: '127.0.0.1.evil.example', 'x-playground': '1' },
      error: 'bad_host',
    },
    {
      sender: 'another site',
      headers: { origin: 'https://evil.example', 'x-playground': '1' },
      error: 'bad_origin',
    },
    { sender: 'an HTML form', headers: { 'content-type': 'text/plain' }, error: 'header_missing' },
  ])('rejects requests from $sender', async ({ headers, error }) => {
    await using world = await startWorld()
    for (const path of ['reset', '../%5Fplayground/reset'])
      expect(await post(world, path, {}, headers)).toMatchObject({ status: 403, body: { error } })
    expect(world.sent).toEqual([])
  })
})

describe('the inspector', () => {
  it('keeps only the last 500 requests, without secrets', async () => {
    await using world = await startWorld(() => ({ text: 'ok' }))
    await world.slack.member.command('/hc')
    for (let count = 0; count < 500; count += 1) await world.api('auth.test')
    const deliveries: Delivery[] = await world.slack.deliveries()
    expect(deliveries).toHaveLength(500)
    expect(deliveries.some(({ kind }) => kind === 'command')).toBe(false)
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

/** Reads a person's stream until it has received `count` events of a type. */
async function readStream(
  { playground }: World,
  query: string,
  type: string,
  count: number,
): Promise<PlaygroundEvent[]> {
  const disconnect = new AbortController()
  const response = await fetch(`${playground.url}/_playground/stream?${query}`, { signal: disconnect.signal })
  const events: PlaygroundEvent[] = []
  let incomplete = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const frames = (incomplete + chunk).split('\n\n')
    incomplete = frames.pop() ?? ''
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1]
      if (data) events.push(JSON.parse(data))
    }
    if (events.filter((event) => event.type === type).length >= count) break
  }
  disconnect.abort()
  return events.filter((event) => event.type === type)
}

describe('the event stream of the page', () => {
  it('shows each person only what they can see', async () => {
    await using world = await startWorld()
    const { seq } = await world.slack.admin.state()
    await world.api('chat.postEphemeral', { channel: GENERAL, user: 'U0MEMBER01', text: 'for you' })
    await world.api('chat.postMessage', { channel: GENERAL, text: 'for all' })
    const messageTexts = (events: PlaygroundEvent[]) =>
      events.map((event) => event.type === 'message' && event.message.text)
    expect(messageTexts(await readStream(world, `user=U0MEMBER01&after=${seq}`, 'message', 2))).toEqual([
      'for you',
      'for all',
    ])
    expect(messageTexts(await readStream(world, `user=U0ADMIN001&after=${seq}`, 'message', 1))).toEqual([
      'for all',
    ])
  })

  it('sends a reset to a client that missed too many events', async () => {
    await using world = await startWorld()
    expect(await readStream(world, 'user=U0MEMBER01&after=99', 'reset', 1)).toHaveLength(1)
  })

  it('closes when the playground stops', async () => {
    const world = await startWorld()
    const reading = readStream(world, 'user=U0MEMBER01', 'message', 1).catch(() => [])
    await world.slack.member.state()
    await world[Symbol.asyncDispose]()
    expect(await reading).toEqual([])
  })
})
