import { createEmulator } from 'emulate'
import type { Fields } from '../../src/protocol/json.ts'
import { asString, isFields } from '../../src/protocol/json.ts'
import { startWorld } from '../app.ts'

/** A running implementation of Slack's Web API, with the IDs and functions that the flows need. */
export interface SlackApi extends AsyncDisposable {
  /** Calls a method, and returns the response's body. `token` overrides the app's token. */
  call(method: string, args?: object, token?: string): Promise<Fields>
  /** A channel that the app is in. */
  channel: string
  /** A person in that channel. */
  user: string
  email: string
  /** Creates a trigger ID for that person. */
  trigger(viewId?: string): Promise<string>
  upload(address: string, text: string): Promise<number>
  download(address: string): Promise<string>
}

const parseFields = (text: string): Fields => {
  const value: unknown = JSON.parse(text)
  return isFields(value) ? value : {}
}

const upload = async (address: string, body: string): Promise<number> =>
  (await fetch(address, { method: 'POST', body })).status

async function download(token: string, address: string): Promise<string> {
  return (await fetch(address, { headers: { authorization: `Bearer ${token}` } })).text()
}

export async function startPlaygroundApi(): Promise<SlackApi> {
  const triggers: string[] = []
  const world = await startWorld(
    ({ body }) => {
      triggers.push(asString(body.trigger_id) ?? '')
      return {}
    },
    { rate: 'off' },
  )
  const { member } = world.slack
  return {
    channel: 'C0GENERAL1',
    user: 'U0MEMBER01',
    email: 'member@example.com',
    async call(method, args = {}, token) {
      const { status: _, retryAfter: __, ...body } = await world.api(method, args, token)
      return body
    },
    async trigger(viewId) {
      const openView = (await member.views()).find(({ view }) => view.id === viewId)
      if (openView) await member.click(openView, 'Push', { until: () => true })
      else await member.command('/hc', '', { until: () => true })
      return triggers.at(-1) ?? ''
    },
    upload,
    download: (address) => download(world.playground.botToken, address),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

/** Starts https://github.com/vercel-labs/emulate, an independent implementation from the same documentation. */
export async function startEmulateApi(): Promise<SlackApi> {
  const token = 'xoxb-emulate'
  const slack = {
    team: { name: 'Playground', domain: 'playground' },
    users: [{ name: 'member', real_name: 'Member', email: 'member@example.com' }],
    channels: [{ name: 'general', topic: 'Everyone is here' }],
    bots: [{ name: 'example' }],
    strict_scopes: false,
  }
  const emulator = await createEmulator({ service: 'slack', port: 0, seed: { slack } })
  async function call(method: string, args: object = {}, callToken = token): Promise<Fields> {
    const response = await fetch(`${emulator.url}/api/${method}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(callToken && { authorization: `Bearer ${callToken}` }),
      },
      body: JSON.stringify(args),
    })
    return parseFields(await response.text())
  }
  const lookup = await call('users.lookupByEmail', { email: 'member@example.com' })
  const listed = await call('conversations.list')
  const channels = Array.isArray(listed.channels) ? listed.channels.filter(isFields) : []
  const channel = asString(channels.find(({ name }) => name === 'general')?.id) ?? ''
  const user = isFields(lookup.user) ? (asString(lookup.user.id) ?? '') : ''
  await call('conversations.invite', { channel, users: user })
  return {
    call,
    channel,
    user,
    email: 'member@example.com',
    async trigger(viewId) {
      const created = await call('views.generateTriggerId', { ...(viewId && { view_id: viewId }) })
      return asString(created.trigger_id) ?? ''
    },
    upload,
    download: (address) => download(token, address),
    [Symbol.asyncDispose]: () => emulator.close(),
  }
}
