import { expect, it } from 'vitest'
import { startWorld } from '../app.ts'

const plain = (text: string) => ({ type: 'plain_text', text })
const feedback = {
  type: 'context_actions',
  elements: [
    {
      type: 'feedback_buttons',
      action_id: 'rate',
      positive_button: { text: plain('Good Response'), value: 'good' },
      negative_button: { text: plain('Bad Response'), value: 'bad' },
    },
  ],
}

it('clicks feedback buttons by their labels', async () => {
  await using world = await startWorld()
  const { member } = world.slack
  await world.api('chat.postMessage', { channel: 'C0GENERAL1', text: 'Rated?', blocks: [feedback] })
  const message = (await member.messages()).at(-1)
  for (const label of ['Good Response', 'Bad Response'])
    void member.click(message, label, { until: () => true, waitMs: 1000 }).catch(() => undefined)
  await world.eventually('both clicks', () => world.sent.length === 2)
  expect(world.sent.map(({ body }) => body.actions)).toEqual([
    [expect.objectContaining({ action_id: 'rate', value: 'good' })],
    [expect.objectContaining({ action_id: 'rate', value: 'bad' })],
  ])
  await expect(member.click(message, 'Great')).rejects.toThrow('Good Response, Bad Response')
})
