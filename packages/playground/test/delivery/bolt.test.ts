import { App } from '@slack/bolt'
import { describe, expect, it } from 'vitest'
import { createDriver } from '../../src/driver.ts'
import { startPlayground } from '../../src/program/start.ts'
import { MANIFEST, SECRET } from '../app.ts'

const plain = (text: string) => ({ type: 'plain_text' as const, text })

function buildApp(apiUrl: string, token: string): App {
  const app = new App({ token, signingSecret: SECRET, clientOptions: { slackApiUrl: apiUrl } })
  app.command('/hc', async ({ ack, respond, command }) => {
    await ack()
    const button = { type: 'button' as const, action_id: 'edit', text: plain('Edit'), value: command.text }
    await respond({ text: `You typed ${command.text}`, blocks: [{ type: 'actions', elements: [button] }] })
  })
  app.action('edit', async ({ ack, body, client }) => {
    await ack()
    const element = { type: 'plain_text_input' as const, action_id: 'value' }
    const blocks = [{ type: 'input' as const, block_id: 'name', label: plain('Name'), element }]
    const view = {
      type: 'modal' as const,
      callback_id: 'edit',
      title: plain('Edit'),
      submit: plain('Save'),
      blocks,
    }
    if ('trigger_id' in body) await client.views.open({ trigger_id: body.trigger_id, view })
  })
  app.view('edit', async ({ ack, view, client, body }) => {
    const name = view.state.values.name?.value?.value ?? ''
    if (name === 'taken') return ack({ response_action: 'errors', errors: { name: 'That name is taken.' } })
    await ack()
    await client.chat.postEphemeral({ channel: 'C0GENERAL1', user: body.user.id, text: `Saved ${name}` })
  })
  return app
}

describe('an app built with Bolt', () => {
  it('handles a command, a button, a form error, and a submission', async () => {
    await using playground = await startPlayground({
      appUrl: 'http://127.0.0.1:9',
      signingSecret: SECRET,
      manifestPath: MANIFEST,
    })
    const app = buildApp(playground.apiUrl, playground.botToken)
    const server = await app.start({ port: 0, host: '127.0.0.1' })
    const address = server.address()
    playground.setAppUrl(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
    try {
      const { member } = createDriver(playground.url)
      const card = await member.command('/hc', 'show web')
      expect(card.message).toMatchObject({ text: 'You typed show web', ephemeral: true })
      const { view } = await member.click(card.message, 'Edit')
      expect(view?.view.title?.text).toBe('Edit')
      const refused = await member.submit({ Name: 'taken' })
      expect(refused.view?.errors).toEqual({ name: 'That name is taken.' })
      const saved = await member.submit({ Name: 'web-2' }, { until: 'Saved web-2' })
      expect(saved.closed).toBe(true)
    } finally {
      await app.stop()
    }
  })
})
