import { createHmac } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { readText } from '@signalman/playground/driver'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createToolAnswers } from '../../../src/bot/request/tool-answers.ts'
import { createSlackbotEndpoint } from '../../../src/integrations/slackbot/serve.ts'
import { VERSION } from '../../../src/version.ts'
import { createPrintedManifest } from '../../manifest.ts'
import { SIGNING_SECRET, startWorld, WORKSPACE, type World } from '../../world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({
    features: ['slackbot'],
    guests: 'can-view',
    checks: [{ name: 'web-1', status: 'UNHEALTHY' }, { name: 'web-2' }],
  })
})
afterAll(() => world[Symbol.asyncDispose]())

const MEMBER = 'U0MEMBER01'
const GUEST = 'U0GUEST001'

/** Creates a `fetch` that sends requests like Slack: signed, and with the person in the metadata. */
function slackFetch(userId: string | undefined, teamId: string | null = WORKSPACE): typeof fetch {
  return async (address, init = {}) => {
    const message = init.body ? JSON.parse(String(init.body)) : {}
    if (message.params && userId !== undefined)
      message.params._meta = { ...message.params._meta, slack: { user_id: userId, team_id: teamId } }
    return sendSigned(String(address), JSON.stringify(message), init)
  }
}

function sendSigned(address: string, body: string, init: RequestInit = {}): Promise<Response> {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = `v0=${createHmac('sha256', SIGNING_SECRET).update(`v0:${timestamp}:${body}`).digest('hex')}`
  const headers = new Headers(init.headers)
  headers.set('x-slack-request-timestamp', timestamp)
  headers.set('x-slack-signature', signature)
  return fetch(address, { ...init, ...(init.method !== 'GET' && { body }), headers })
}

async function connect(
  userId: string | undefined,
  { modern = false, teamId = WORKSPACE as string | null } = {},
) {
  const client = new Client(
    { name: 'slackbot', version: '1' },
    modern ? { versionNegotiation: { mode: 'auto' } } : {},
  )
  const transport = new StreamableHTTPClientTransport(new URL('/slack/mcp', world.app.url), {
    fetch: slackFetch(userId, teamId),
  })
  await client.connect(transport)
  return client
}

interface Result {
  content: { type: string; text: string }[]
  isError?: boolean
  _meta?: { slack?: { blocks: { type: string; elements?: { action_id?: string; value?: string }[] }[] } }
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Result> {
  return (await client.callTool({ name, arguments: args })) as unknown as Result
}
const readAnswer = ({ content }: Result): string => content.map(({ text }) => text).join('\n')

/** Returns the call that the card's button with this label makes. */
function findButton({ _meta }: Result, label: string): Record<string, unknown> {
  const elements = (_meta?.slack?.blocks ?? []).flatMap((block) =>
    block.type === 'actions' ? (block.elements ?? []) : [],
  )
  const found = elements.find((element) => JSON.stringify(element).includes(`"${label}"`))
  expect(found?.action_id).toBe('tool:run')
  return JSON.parse(found?.value ?? '{}')
}

describe.each([
  ['the 2025 revision of MCP', false],
  ['the 2026 revision of MCP', true],
])('the reference client, %s', (_, modern) => {
  it('lists read-only commands as tools with their options, except commands that show personal data', async () => {
    const client = await connect(MEMBER, { modern })
    expect(client.getServerVersion()).toMatchObject({ name: 'signalman', version: VERSION })
    const { tools } = await client.listTools()
    const names = tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['hc', 'hc_list', 'hc_show', 'hc_history', 'threat', 'run']))
    expect(names.filter((name) => /approve|connect|token|whois|grant|audit|policy|queue/.test(name))).toEqual(
      [],
    )
    for (const { name, inputSchema } of tools)
      expect(Object.keys(inputSchema.properties ?? {}), name).not.toContainEqual(
        expect.stringMatching(/^(?:whois|personal|share)$/),
      )
    const list = tools.find(({ name }) => name === 'hc_list')
    expect(list?.inputSchema.properties).toMatchObject({
      status: { type: 'string' },
      limit: { type: 'string' },
    })
    expect(list?.annotations?.readOnlyHint).toBe(true)
    expect(tools.find(({ name }) => name === 'run')?.annotations?.readOnlyHint).toBe(false)
    await client.close()
  })

  it('gets the same responses as its user, on cards that Slackbot can render', async () => {
    const client = await connect(MEMBER, { modern })
    const listed = await call(client, 'hc_list', { status: 'UNHEALTHY' })
    expect(readAnswer(listed)).toContain('web-1')
    expect(readAnswer(listed)).not.toContain('web-2')
    const shown = await call(client, 'hc_show', { words: 'web-1' })
    const blocks = shown._meta?.slack?.blocks ?? []
    for (const block of blocks) if (block.type === 'actions') expect(block.elements).toHaveLength(1)
    // Only people can open modals.
    expect(JSON.stringify(blocks)).not.toMatch(/"(?:Edit|Delete|Share to channel)"/)
    expect(readAnswer(await call(client, 'run', findButton(shown, 'Details')))).toContain('web-1')
    await client.close()
  })
})

describe('an act', () => {
  it('is previewed, runs when its button is pressed, and is audited once', async () => {
    const client = await connect(MEMBER)
    const preview = await call(client, 'run', { line: '/hc watch web-1 --me' })
    expect(readAnswer(preview)).toContain('Not done yet')
    const { slack } = world
    expect(readAnswer(await call(client, 'hc_watches', { all: true }))).not.toContain('web-1')
    expect(readAnswer(await call(client, 'run', findButton(preview, 'Run it')))).toContain('web-1')
    expect(readAnswer(await call(client, 'hc_watches', { all: true }))).toContain('web-1')
    await slack.admin.command('/hc', 'audit --verb watch')
    const log = readText((await slack.admin.messages()).at(-1))
    expect(log).toContain('Slackbot')
    await client.close()
  })

  it('isn’t previewed for a person who may not do it', async () => {
    const client = await connect(GUEST)
    const answer = readAnswer(await call(client, 'run', { line: '/hc watch web-1 --me' }))
    expect(answer).toContain('Guests can view but not change anything')
    expect(answer).not.toContain('Not done yet')
    await client.close()
  })

  it('shows the environment in its preview', async () => {
    const client = await connect(MEMBER)
    const preview = await call(client, 'run', { line: '/hc watch web-1 --me --env ote' })
    expect(readAnswer(preview)).toContain('/hc watch web-1 --me --env ote')
    expect(findButton(preview, 'Run it').line).toBe('/hc watch web-1 --me --env ote')
    await client.close()
  })

  it('doesn’t run if the confirmation is forged, or belongs to another person or command', async () => {
    const [member, guest] = [await connect(MEMBER), await connect(GUEST)]
    const preview = await call(member, 'run', { line: '/hc watch web-2 --me' })
    const confirmation = findButton(preview, 'Run it')
    expect(readAnswer(await call(guest, 'run', confirmation))).toContain(
      'Guests can view but not change anything',
    )
    const { audit } = world.app.store
    const [row] = await audit.search({ workspaceId: WORKSPACE, limit: 1 })
    expect(row).toMatchObject({ outcome: 'refused', object: '(through Slackbot)' })
    expect(readAnswer(await call(member, 'run', { ...confirmation, offer: 'A'.repeat(22) }))).toContain(
      'Not done yet',
    )
    const other = findButton(await call(member, 'run', { line: '/hc watch web-1 --me' }), 'Run it')
    expect(readAnswer(await call(member, 'run', { ...confirmation, offer: other.offer }))).toContain(
      'Not done yet',
    )
    await Promise.all([member.close(), guest.close()])
  })
})

it('does nothing if the person lost the role after the preview', async () => {
  await using own = await startWorld({ features: ['slackbot'], checks: [{ name: 'web-1' }] })
  const { grants, audit } = own.app.store
  const { member } = own.slack
  const line = '/threat take 7e57ed00-0000-4000-8000-00000000000a'
  const preview = await member.callTool('run', { line })
  const confirmation = findButton((preview.ok ? preview.result : {}) as unknown as Result, 'Run it')
  for (const { role, subject } of await grants.list(WORKSPACE)) await grants.remove(WORKSPACE, role, subject)
  const answer = await member.callTool('run', confirmation as { line: string })
  expect(JSON.stringify(answer)).toContain('This needs the operator role')
  expect(await audit.search({ workspaceId: WORKSPACE, withIntents: true, limit: 1 })).toMatchObject([
    { verb: '/threat take', object: '(through Slackbot)', outcome: 'refused', actor: { userId: MEMBER } },
  ])
})

describe('the caller of a tool', () => {
  it.each([
    ['no person', undefined, WORKSPACE],
    ['no workspace', MEMBER, null],
    ['a person with an invalid ID', 'U0member01', WORKSPACE],
    ['a workspace with an invalid ID', MEMBER, 'W0HOME0001'],
  ])('gets an error, and nothing runs: %s', async (_, userId, teamId) => {
    const client = await connect(userId, { teamId })
    const answer = await call(client, 'hc_list', { user_id: MEMBER })
    expect(answer.isError).toBe(true)
    expect(readAnswer(answer)).toBe(
      'Slack didn’t say who is asking, or from which workspace. Nothing was done.',
    )
    await client.close()
  })

  it.each(['U0NOBODY99', 'U0FOREIGN1', 'U0LEFT0001'])(
    'can’t read anything from outside this workspace: %s',
    async (userId) => {
      const client = await connect(userId)
      expect(readAnswer(await call(client, 'hc_list'))).not.toContain('web-1')
      await client.close()
    },
  )

  it('isn’t taken from an argument', async () => {
    const client = await connect(undefined)
    expect(
      readAnswer(await call(client, 'run', { line: '/hc list', user_id: MEMBER, team_id: WORKSPACE })),
    ).not.toContain('web-1')
    await client.close()
  })
})

it.each([
  '/hc tokens',
  '/hc connect',
  '/cert-order approve 1',
  '/hc grant @a operator',
  '/threat whois x',
  '/threat 1 --share --full',
  '/hc list --share',
])('never runs %s for Slackbot', async (line) => {
  const client = await connect(MEMBER)
  expect(readAnswer(await call(client, 'run', { line }))).toContain('Slackbot can’t run commands that')
  await client.close()
})

it('rejects unsigned requests and other methods, and survives hostile calls', async () => {
  const address = new URL('/slack/mcp', world.app.url).href
  expect((await fetch(address, { method: 'POST', body: '{}' })).status).toBe(401)
  expect((await sendSigned(address, '', { method: 'GET' })).status).toBe(405)
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const meta = { slack: { user_id: MEMBER, team_id: WORKSPACE } }
  const hostile = [
    '',
    'null',
    '[]',
    '[1,2]',
    '{"jsonrpc":"2.0"}',
    JSON.stringify(Array.from({ length: 21 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }))),
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: {} }),
    ...['x', '', 'hc_list', 'run', '__proto__'].flatMap((name) =>
      [
        null,
        1,
        [],
        { words: 5 },
        { line: 7 },
        { line: '<!channel>' },
        { line: '/nothing' },
        { __proto__: 1 },
        { line: '/hc x'.repeat(2000) },
        { offer: {}, line: '/hc list' },
      ].map((args) =>
        JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: args, _meta: meta },
        }),
      ),
    ),
  ]
  for (const body of hostile) {
    const response = await sendSigned(address, body, { method: 'POST', headers })
    expect(response.status, body).toBeLessThan(500)
    expect(await response.text()).not.toContain('"isPersonal"')
  }
})

it('treats identical requests as one', async () => {
  const address = new URL('/slack/mcp', world.app.url).href
  const client = await connect(MEMBER)
  const confirmation = findButton(await call(client, 'run', { line: '/hc watch web-* --me' }), 'Run it')
  const params = {
    name: 'run',
    arguments: confirmation,
    _meta: { slack: { user_id: MEMBER, team_id: WORKSPACE } },
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'tools/call', params })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = `v0=${createHmac('sha256', SIGNING_SECRET).update(`v0:${timestamp}:${body}`).digest('hex')}`
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': signature,
  }
  const answers = await Promise.all(
    Array.from({ length: 50 }, async () => (await fetch(address, { method: 'POST', body, headers })).text()),
  )
  expect(new Set(answers).size).toBe(1)
  await client.close()
})

describe('an internal error', () => {
  it('is reported with a reference and without internals', async () => {
    await using failing = await startWorld({ features: ['slackbot'] })
    const { ephemeralState } = failing.app.store
    Object.assign(ephemeralState, { find: () => Promise.reject(new Error('disk /var/secret is unreadable')) })
    const params = {
      name: 'run',
      arguments: { line: `read:${'A'.repeat(22)}` },
      _meta: { slack: { user_id: MEMBER, team_id: WORKSPACE } },
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const response = await sendSigned(new URL('/slack/mcp', failing.app.url).href, body, {
      method: 'POST',
      headers,
    })
    expect(response.status).toBe(200)
    const text = await response.text()
    expect(text).toMatch(/nothing was done\. Try again in a minute\. Reference: \w{10}/)
    expect(text).not.toContain('secret')
  })

  it('is reported as plain text, without a card', async () => {
    await using failing = await startWorld({ features: ['slackbot'], checks: [{ name: 'web-1' }] })
    Object.assign(failing.app.store.ephemeralState, {
      saveOnce: () => Promise.reject(new Error('disk /var/secret is unreadable')),
    })
    const params = {
      name: 'run',
      arguments: { line: '/hc watch web-1 --me' },
      _meta: { slack: { user_id: MEMBER, team_id: WORKSPACE } },
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const text = await (
      await sendSigned(new URL('/slack/mcp', failing.app.url).href, body, { method: 'POST', headers })
    ).text()
    expect(text).toContain('Not done yet')
    expect(text).not.toMatch(/secret|"blocks"/)
  })
})

describe('the Slackbot endpoint', () => {
  it('responds with 404 if it is turned off', async () => {
    await using defaultWorld = await startWorld()
    const address = new URL('/slack/mcp', defaultWorld.app.url).href
    expect((await sendSigned(address, '{}', { method: 'POST' })).status).toBe(404)
  })

  it('isn’t in the manifest in Socket Mode', () => {
    expect(JSON.stringify(createPrintedManifest(['slackbot'], true))).not.toMatch(/mcp/)
  })

  it('isn’t in the default manifest', () => {
    expect(JSON.stringify(createPrintedManifest([]))).not.toMatch(/mcp/)
  })

  it('is in the manifest when turned on, with its scope', () => {
    const { mcp_servers: servers, oauth_config: oauth } = createPrintedManifest(['slackbot'])
    expect(servers).toEqual({
      signalman: { url: 'https://signalman.example.com/slack/mcp', auth_type: 'slack_identity_auth' },
    })
    expect(oauth.scopes.bot).toContain('mcp:connect')
  })
})

it('responds to a slow call even if many other calls arrive in the meantime', async () => {
  const slow = Promise.withResolvers<void>()
  const toolAnswers = createToolAnswers()
  const endpoint = createSlackbotEndpoint({
    async readSigned({ headers: { line } }: IncomingMessage) {
      const slack = { user_id: MEMBER, team_id: WORKSPACE }
      const params = { name: 'run', arguments: { line }, _meta: { slack } }
      const raw = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
      return { signature: line, raw }
    },
    async handleRequest({ text, origin }: { text: string; origin: { surface: { callId: string } } }) {
      if (text === 'slow') await slow.promise
      toolAnswers.deliver(origin.surface.callId, { text: `${text} ${'x'.repeat(1024 * 1024)}`, blocks: [] })
    },
    verbs: [],
    toolAnswers,
    inFlight: { add: () => undefined },
    version: '1',
  } as unknown as Parameters<typeof createSlackbotEndpoint>[0])
  async function call(line: string): Promise<string> {
    const answered = Promise.withResolvers<string>()
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      line,
    }
    const response = { writeHead: () => ({ end: answered.resolve }) } as unknown as ServerResponse
    await endpoint({ headers } as unknown as IncomingMessage, response)
    return answered.promise
  }
  const first = call('/hc slow')
  for (let nth = 0; nth < 12; nth += 1) expect(await call(`/hc ${nth}`)).toContain(`${nth} xxx`)
  slow.resolve()
  expect(await first).toContain('slow xxx')
})
