import { describe, expect, it } from 'vitest'
import { startWorld } from './app.ts'

const CARD = {
  text: 'the notification',
  blocks: [
    { type: 'header', text: { type: 'plain_text', text: 'web' } },
    { type: 'section', fields: [{ type: 'mrkdwn', text: '*Status* up' }] },
    {
      type: 'actions',
      elements: [{ type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' } }],
    },
  ],
}

describe('the driver', () => {
  it('waits for a message where the person acted, or that the action caused', async () => {
    await using world = await startWorld()
    const { member } = world.slack
    const post = (channel: string, text: string) => world.api('chat.postMessage', { channel, text })
    const typed = member.command('/hc')
    await world.eventually('the command', () => world.sent.length === 1)
    await post('U0MEMBER01', 'something else')
    await world.api('views.publish', { user_id: 'U0MEMBER01', view: { type: 'home', blocks: CARD.blocks } })
    await post('C0GENERAL1', 'the answer')
    expect((await typed).messages.map(({ text }) => text)).toEqual(['something else', 'the answer'])
    await post('C0GENERAL1', 'elsewhere')
    const asked = await member.say('go on', { channel: 'dm' })
    await post('C0GENERAL1', 'something else')
    await post('U0MEMBER01', 'the answer')
    expect((await asked.answer()).text).toContain('the answer')
    const replied = member.command('/hc', '', { channel: 'dm' })
    const listCommands = () => world.sent.filter(({ body }) => body.command)
    await world.eventually('the second command', () => listCommands().length === 2)
    await post('C0GENERAL1', 'something else')
    await world.respond(listCommands()[1]?.body.response_url, { text: 'the answer' })
    expect((await replied).text).toContain('the answer')
    // With a text to wait for, a message anywhere can be the answer.
    const notified = member.command('/hc', '', { until: 'directly' })
    await world.eventually('the third command', () => listCommands().length === 3)
    await post('U0MEMBER01', 'answered directly')
    expect((await notified).message?.text).toBe('answered directly')
  })

  it('can type into the message field and read the channel like a person', async () => {
    await using world = await startWorld(({ body }) => (body.command ? { text: `ran ${body.text}` } : {}))
    const { member } = world.slack
    expect((await member.type(' /hc list  up ')).text).toBe('ran list  up')
    await member.type('hello', { channel: 'operations', until: () => true })
    expect((await member.messages('operations')).map(({ text }) => text)).toEqual(['hello'])
    const seeing = member.see(/later \d/)
    await world.api('chat.postMessage', { channel: 'C0OPERATNS', text: 'later 7' })
    expect(await seeing).toContain('hello\nlater 7')
    await expect(member.see('never', { waitMs: 20 })).rejects.toThrow('waited 20 ms for the text "never"')
  })

  it('explains in timeout errors what it waited for and what happened instead', async () => {
    await using world = await startWorld(() => ({ json: CARD }))
    const { member } = world.slack
    await expect(member.command('/hc', '', { until: 'never', waitMs: 20 })).rejects.toThrow(
      /No answer with "never" within 20 ms \(the app acknowledged\)[\s\S]*Status/,
    )
    const { message } = await member.command('/hc')
    await expect(member.click(message, 'Stop')).rejects.toThrow('no element "Stop" here. There are: Go.')
    await expect(member.click(undefined, 'Go')).rejects.toThrow('no message or view')
    await expect(member.submit({})).rejects.toThrow('has no modal open')
    await expect(member.say('x', { channel: 'nope' })).rejects.toThrow('isn\'t in a channel "nope"')
    await expect(member.until('the end', () => false, 20)).rejects.toThrow('waited 20 ms for the end')
    await expect(world.slack.user('U0NOPE').state()).rejects.toThrow('no person "U0NOPE"')
  })
})
