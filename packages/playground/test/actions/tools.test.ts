import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Fields } from '../../src/protocol/json.ts'
import { SECRET, startWorld } from '../app.ts'

const resolveManifest = (name: string) => new URL(`../${name}.yml`, import.meta.url).pathname

describe('Slackbot', () => {
  it('calls the app’s MCP server with a signed request that identifies the person', async () => {
    await using world = await startWorld(
      ({ body: { id, method } }) => {
        const tools = [{ name: 'hc_list' }]
        const toolResult = { content: [{ type: 'text', text: 'all up' }] }
        const result: Fields = method === 'tools/list' ? { tools } : toolResult
        return { json: { jsonrpc: '2.0', id: id ?? null, result } }
      },
      { manifestPath: resolveManifest('step-manifest') },
    )
    const { admin } = world.slack
    expect(await admin.tools()).toMatchObject({ ok: true, result: { tools: [{ name: 'hc_list' }] } })
    expect(await admin.callTool('hc_list', { status: 'down' })).toMatchObject({
      result: { content: [{ text: 'all up' }] },
    })
    const lastRequest = world.sent.at(-1)
    expect(lastRequest?.body).toMatchObject({
      method: 'tools/call',
      params: {
        name: 'hc_list',
        arguments: { status: 'down' },
        _meta: { slack: { user_id: 'U0ADMIN001', team_id: 'T0PLAYGRND' } },
      },
    })
    const base = `v0:${lastRequest?.headers['x-slack-request-timestamp']}:${lastRequest?.raw}`
    const signature = `v0=${createHmac('sha256', SECRET).update(base).digest('hex')}`
    expect(lastRequest?.headers['x-slack-signature']).toBe(signature)
  })

  it('returns the server’s errors, and can read streamed responses', async () => {
    const answers = [
      { json: { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'Unknown tool' } } },
      { text: 'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{"content":[]}}\n\n' },
    ]
    await using world = await startWorld(() => answers.shift() ?? {}, {
      manifestPath: resolveManifest('step-manifest'),
    })
    expect(await world.slack.member.callTool('nope')).toMatchObject({ ok: false, message: 'Unknown tool' })
    expect(await world.slack.member.tools()).toMatchObject({ ok: true, result: { content: [] } })
  })

  it('has no tools if the manifest has no MCP server', async () => {
    await using world = await startWorld()
    await expect(world.slack.member.tools()).rejects.toThrow('no mcp_servers')
  })
})
