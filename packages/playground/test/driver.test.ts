import { expect, it } from 'vitest'
import { startWorld } from './app.ts'

const BLOCKS = [{ type: 'header', text: { type: 'plain_text', text: 'web' } }]

it('the driver waits for a message where the person acted, or that the action caused', async () => {
  await using world = await startWorld()
  const { member } = world.slack
  const post = (channel: string, text: string) => world.api('chat.postMessage', { channel, text })
  const typed = member.command('/hc')
  await world.eventually('the command', () => world.sent.length === 1)
  await post('U0MEMBER01', 'something else')
  await world.api('views.publish', { user_id: 'U0MEMBER01', view: { type: 'home', blocks: BLOCKS } })
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
